// Any bytes given to the writer, against what must hold (laws.h). The first byte chooses the level
// and the rules; a NUL in the rest parts outputs of one request, each of which may refer to those
// before it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tests/fuzz/laws.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tare::compact;
  if (size == 0) return 0;
  static constexpr std::string_view names[] = {"a", "call_1", "a.b:c-d", "a", "e", "f"};
  const Options options{
      .min_bytes = 0,
      .alerts_literal = (data[0] & 8) == 0,
      .level = static_cast<Level>(data[0] % 3),
      .treatment = (data[0] & 0xF0) == 0xF0 ? Treatment::repeats_only : Treatment::compact};
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  Earlier earlier;
  for (const std::string_view name : names) {
    const bool last = name == "f";
    const std::size_t end = last ? rest.size() : std::min(rest.find('\0'), rest.size());
    if (!tare::test::broken_law(rest.substr(0, end), options, &earlier).empty()) std::abort();
    if (end == rest.size()) break;
    earlier.add(name, rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  return 0;
}
