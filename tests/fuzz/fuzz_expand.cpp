// Any bytes given to expand(): a text within the limit or an error, in time and memory within
// bounds. What stands before the first NUL is an earlier output that the form may refer to.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "proxy/compact/compact.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t max_bytes = std::size_t{1} << 20;
  std::string_view form(reinterpret_cast<const char*>(data), size);
  tare::compact::Earlier earlier;
  if (const auto nul = form.find('\0'); nul != std::string_view::npos) {
    earlier.add("a", form.substr(0, nul));
    form.remove_prefix(nul + 1);
  }
  const auto text = tare::compact::expand(form, max_bytes, &earlier);
  if (text ? text->size() > max_bytes || !tare::compact::looks_like_form(form)
           : text.error().message.empty()) {
    std::abort();
  }
  return 0;
}
