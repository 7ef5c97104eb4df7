// What is done with a tool output, going by the call that asked for it and by its text.
//
// - Outputs of the tools in `verbatim_tools` stay as they are.
// - A file read for editing whose text is source code stays as it is, but for exact repeats of an
//   earlier output: an edit has to match the file's bytes, and a model that copies them from a form
//   may slip.
// - All others are compacted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/compact/compact.h"

namespace tare::wire {

struct Policy {
  compact::Options compact;
  std::vector<std::string> verbatim_tools;
  bool references = true;  // a form may refer to earlier outputs of the same request
};

// What an output is, going by its call.
enum class CallKind : std::uint8_t {
  other,          // or unknown: its call is not in the request
  reads_file,     // asks for a file as it is
  verbatim_tool,  // of a tool whose outputs are not to be changed
};

// `arguments` is JSON or free text, decoded.
CallKind kind_of_call(const Policy& policy, std::string_view tool, std::string_view arguments);

using compact::Treatment;

Treatment treatment_of(CallKind kind, std::string_view text);

}  // namespace tare::wire
