// Any bytes given to expand(): a text within the limit or an error, in time and memory within
// bounds. What stands before the first NUL is an earlier output that the form may refer to.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tests/fuzz/laws.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view form(reinterpret_cast<const char*>(data), size);
  tare::compact::Earlier earlier;
  if (const auto nul = form.find('\0'); nul != std::string_view::npos) {
    earlier.add("a", form.substr(0, nul));
    form.remove_prefix(nul + 1);
  }
  if (!tare::test::broken_reader_law(form, &earlier).empty()) std::abort();
  return 0;
}
