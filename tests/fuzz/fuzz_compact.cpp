// Any bytes given to the writer: its form expands to them, and compact() gives back them or a
// smaller form of them. The first byte chooses the level and the rules; a NUL in the rest parts
// outputs of one request, each of which may refer to those before it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "proxy/compact/compact.h"
#include "proxy/compact/writer.h"

namespace {

using namespace tare::compact;

void check(std::string_view text, const Options& options, const Earlier& earlier) {
  constexpr std::size_t max_bytes = std::size_t{64} << 20;
  const auto form = write_form(text, options, &earlier);
  if (form && expand(form->text, max_bytes, &earlier) != text) std::abort();
  const auto made = compact(text, options, &earlier);
  const bool exact =
      made.changed ? expand(made.text, max_bytes, &earlier) == text : made.text == text;
  const bool small = made.text.size() <= text.size() + (looks_like_form(text) ? 64 : 0);
  if (!exact || !small) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static constexpr std::string_view names[] = {"a", "call_1", "a.b:c-d", "a", "e", "f"};
  const Options options{.min_bytes = 0,
                        .alerts_literal = (data[0] & 8) == 0,
                        .level = static_cast<Level>(data[0] % 3),
                        .repeats_only = (data[0] & 0xF0) == 0xF0};
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  Earlier earlier;
  for (const std::string_view name : names) {
    const bool last = name == "f";
    const std::size_t end = last ? rest.size() : std::min(rest.find('\0'), rest.size());
    check(rest.substr(0, end), options, earlier);
    if (end == rest.size()) break;
    earlier.add(name, rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  return 0;
}
