#include "harness/json_reader.h"

#include "common/files.h"

namespace tare::harness {
namespace {

constexpr std::size_t shown_bytes = 60;

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

Result<Json> parse_json_file(const std::filesystem::path& file) {
  const auto content = read_file(file);
  if (!content) return fail(content.error());
  try {
    return Json::parse(*content);
  } catch (const Json::exception& e) {
    std::string_view what = e.what();  // "[json.exception.parse_error.101] parse error at line ..."
    if (const auto end = what.find("] "); end != what.npos) what.remove_prefix(end + 2);
    return fail(Error::invalid(fmt::format("{}: not JSON: {}", file.string(), what)));
  }
}

}  // namespace tare::harness
