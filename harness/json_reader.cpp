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
  bool too_deep = false;
  const auto shallow = [&](int depth, Json::parse_event_t, const Json&) {
    too_deep = too_deep || depth > most_levels;
    return depth <= most_levels;
  };
  try {
    auto document = Json::parse(text, shallow);
    if (!too_deep) return document;
    return fail(Error::invalid(
        fmt::format("{}: lists and objects more than {} levels deep", source, most_levels),
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
