// JSON around the text of a tool output, as shells and MCP servers write it:
//
//   {"output":"...","metadata":{"exit_code":0}}        output, stdout and stderr are texts
//   {"content":[{"type":"text","text":"..."}]}         and so are the text parts of content
//   [{"type":"text","text":"..."}]                     or of a bare list
//
// A text is an envelope by what stands around those strings and never by what is in them, so it
// still is one, with the same strings, when they have been replaced.
#pragma once

#include <string_view>
#include <vector>

#include "proxy/wire/format.h"

namespace tare::wire {

// The places of the strings in `text`, first to last; none when it is no envelope.
std::vector<Span> envelope_strings(std::string_view text);

}  // namespace tare::wire
