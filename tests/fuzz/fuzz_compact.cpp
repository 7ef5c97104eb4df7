// Any bytes given to the writer: its form expands to them, and compact() gives back them or a
// smaller form of them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "proxy/compact/compact.h"
#include "proxy/compact/writer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tare::compact;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Options options{.min_bytes = 0};
  const auto form = write_form(text, options);
  if (form && expand(form->text) != text) std::abort();
  const auto made = compact(text, options);
  const bool exact = made.changed ? expand(made.text) == text : made.text == text;
  const bool small = made.text.size() <= text.size() + (looks_like_form(text) ? 64 : 0);
  if (!exact || !small) std::abort();
  return 0;
}
