// Any bytes as a tool call's arguments, as a command and as an output: each is judged, and twice
// alike.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "proxy/wire/policy.h"
#include "proxy/wire/shell_command.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tare::wire;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static const Policy policy;
  for (const std::string_view tool : {"shell", "str_replace_based_edit_tool", "call"}) {
    if (kind_of_call(policy, tool, text) != kind_of_call(policy, tool, text)) std::abort();
  }
  if (shows_file(text) != shows_file(text)) std::abort();
  if (treatment_of(CallKind::reads_file, text) != treatment_of(CallKind::reads_file, text)) {
    std::abort();
  }
  return 0;
}
