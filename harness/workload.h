// The published workload: every request body, byte for byte. Pure functions. Source: the published
// protocol; sizes and SHA-256 of all bodies are in data/published. Other workloads: workloads.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "harness/request_body.h"

namespace tare::harness {

// What a group sends, by its name in the raw rows: "logs", "folder/log", "conversation/30@chat".
struct Task {
  std::string name;

  static const Task logs;  // the published ones
  static const Task json;
  static const Task code;
  auto operator<=>(const Task&) const = default;
};
inline const Task Task::logs{"logs"};
inline const Task Task::json{"json"};
inline const Task Task::code{"code"};

enum class Mode {
  repeated,  // the first body throughout
  unique,    // another body each time
  each,      // each body of the workload once, then again from the first
};

std::string_view name_of(const Task& task);
std::string_view name_of(Mode mode);
Result<Task> task_from(std::string_view name);  // of a published one
Result<Mode> mode_from(std::string_view name);

struct Fact {
  std::string name;
  std::vector<std::string>
      spellings;  // the fact is kept when one of them stands in the forwarded output's text
};

struct Body {
  Task task;
  int index = 0;           // 0, 1, 2, ...; mode repeated sends 0 throughout
  std::uint64_t seed = 0;  // published: 1,800,000,000 + index
  std::string text;        // the whole request body
  std::string output;      // the text of its last tool output
  std::vector<Fact> facts;
  Route route = Route::responses;
  std::string tool;          // of that output
  std::string class_name;    // of that output; may be empty
  std::string name;          // of the file that holds it; may be empty
  int turn = 0;              // of a conversation, from 1; else 0
  std::string conversation;  // its name; may be empty
};

// `task` must be a published one.
Body make_body(const Task& task, int index, std::string_view tool = "read_file",
               Route route = Route::responses);

}  // namespace tare::harness
