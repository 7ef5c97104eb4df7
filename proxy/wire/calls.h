// The calls of a request so far, by their ids.
//
// An output belongs to the last call of its id that stands before it: some clients use one id for
// all. An output whose call is not there (the upstream has it) belongs to none.
#pragma once

#include <string_view>
#include <unordered_map>

#include "proxy/wire/format.h"

namespace tare::wire {

class Calls {
 public:
  Calls(std::string_view body, const ToolTraffic& traffic) : body_(body), traffic_(traffic) {}

  // Null when there is none. `output` is of the same request and not before one that was asked for.
  const ToolCall* of(const ToolOutput& output);

 private:
  std::string_view body_;
  const ToolTraffic& traffic_;
  std::size_t taken_ = 0;
  std::unordered_map<std::string_view, const ToolCall*> by_id_;  // ids as they are spelled
};

}  // namespace tare::wire
