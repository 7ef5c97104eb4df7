#include "harness/json_reader.h"

#include "common/files.h"

namespace tare::harness {
namespace {

constexpr std::string_view correct_the_file = "correct the file at that place";
constexpr std::size_t shown_bytes = 60;
constexpr int most_levels = 100;  // more than any document of ours; less than a stack holds

std::string escaped(std::string_view key) {
  std::string result;
  for (const char c : key) {
    if (c == '~') {
      result += "~0";
    } else if (c == '/') {
      result += "~1";
    } else {
      result += c;
    }
  }
  return result;
}

// Sees a document while it is parsed, for what the parsed document does not show: of two fields of
// one name it holds the last, and one that is too deep is not to be held at all.
class Watch {
 public:
  // False for what is not to be kept.
  bool see(int depth, Json::parse_event_t event, const Json& value) {
    if (depth > most_levels) {
      fault_ = fmt::format("lists and objects more than {} levels deep", most_levels);
      return false;
    }
    if (event == Json::parse_event_t::object_start) objects_.emplace_back();
    if (event == Json::parse_event_t::object_end && !objects_.empty()) objects_.pop_back();
    if (event == Json::parse_event_t::key && !objects_.empty()) see_key(value);
    return true;
  }
  const std::string& fault() const { return fault_; }

 private:
  void see_key(const Json& key) {
    if (objects_.back().insert(key.get<std::string>()).second || !fault_.empty()) return;
    fault_ = fmt::format("the field {} stands twice in one object",
                         key.dump(-1, ' ', true, Json::error_handler_t::replace));
  }

  std::vector<std::set<std::string>> objects_;  // the names so far, of each that is open
  std::string fault_;
};

}  // namespace

void Faults::add(const std::string& pointer, std::string_view what) {
  lines_.push_back(pointer.empty() ? fmt::format("{}: {}", file_, what)
                                   : fmt::format("{}: {}: {}", file_, pointer, what));
}

Error Faults::error(std::string remedy) const {
  return Error::invalid(fmt::format("{}", fmt::join(lines_, "\n")), std::move(remedy));
}

Place Place::at(std::string_view key) const {
  return {pointer + "/" + escaped(key), faults};
}

Place Place::at(std::size_t index) const {
  return {pointer + "/" + std::to_string(index), faults};
}

void Place::expected(std::string_view what, const Json& found) const {
  auto shown = found.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (shown.size() > shown_bytes) shown = shown.substr(0, shown_bytes) + "...";
  fault(fmt::format("expected {}, found {}", what, shown));
}

Result<Json> parse_json(std::string_view text, std::string_view source) {
  Watch watch;
  const auto see = [&](int depth, Json::parse_event_t event, const Json& value) {
    return watch.see(depth, event, value);
  };
  try {
    auto document = Json::parse(text, see);
    if (watch.fault().empty()) return document;
    return fail(Error::invalid(fmt::format("{}: {}", source, watch.fault()),
                               std::string(correct_the_file)));
  } catch (const Json::exception& e) {
    std::string_view what = e.what();  // "[json.exception.parse_error.101] parse error at line ..."
    if (const auto end = what.find("] "); end != what.npos) what.remove_prefix(end + 2);
    return fail(Error::invalid(fmt::format("{}: not JSON: {}", source, what),
                               std::string(correct_the_file)));
  }
}

Result<Json> parse_json_file(const std::filesystem::path& file) {
  const auto content = read_file(file);
  if (!content) return fail(content.error());
  return parse_json(*content, file.string());
}

}  // namespace tare::harness
