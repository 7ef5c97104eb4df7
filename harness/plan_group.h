// A group as a plan's JSON has it.
#pragma once

#include "harness/json_reader.h"
#include "harness/workloads.h"

namespace tare::harness {

// What is sent, and how; the same to every arm that has the workload's route.
struct Group {
  Task task;  // the workload's name in the raw rows
  Mode mode{};
  Workload workload = {};
};

// {"task": "logs@chat", "mode": "unique"}, or in words: {"workload": "folder", "class": "log",
// "tool": "exec_command", "route": "chat"}. A resolved plan has the first form.
Group read_group(const Json& value, const Place& place);
Json group_json(const Group& group);

}  // namespace tare::harness
