// A group as a plan's JSON has it.
#pragma once

#include "harness/json_reader.h"
#include "harness/workloads.h"

namespace tare::harness {

// {"task": "logs@chat", "mode": "unique"}, or in words: {"workload": "folder", "class": "log",
// "tool": "exec_command", "route": "chat"}. A resolved plan has the first form.
Group read_group(const Json& value, const Place& place);
Json group_json(const Group& group);

}  // namespace tare::harness
