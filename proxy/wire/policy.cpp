#include "proxy/wire/policy.h"

#include <algorithm>

#include "proxy/wire/file_read.h"
#include "proxy/wire/source_text.h"

namespace tare::wire {

CallKind kind_of_call(const Policy& policy, std::string_view tool, std::string_view arguments) {
  const auto& verbatim = policy.verbatim_tools;
  if (std::ranges::find(verbatim, tool) != verbatim.end()) return CallKind::verbatim_tool;
  return reads_file(tool, arguments) ? CallKind::reads_file : CallKind::other;
}

Treatment treatment_of(CallKind kind, std::string_view text) {
  if (kind == CallKind::verbatim_tool) return Treatment::leave;
  if (kind == CallKind::reads_file && is_source(text)) return Treatment::repeats_only;
  return Treatment::compact;
}

}  // namespace tare::wire
