// The published workload: every request body, byte for byte. Pure functions. Source: the published
// protocol; sizes and SHA-256 of all bodies are in data/published.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"

namespace tare::harness {

enum class Task { logs, json, code };
enum class Mode { repeated, unique };

std::string_view name_of(Task task);
std::string_view name_of(Mode mode);
Result<Task> task_from(std::string_view name);
Result<Mode> mode_from(std::string_view name);

struct Fact {
  std::string name;
  std::vector<std::string>
      spellings;  // the fact is kept when one of them stands in the forwarded output's text
};

struct Body {
  Task task;
  int index;           // 0, 1, 2, ...; mode repeated sends 0 throughout
  std::uint64_t seed;  // 1,800,000,000 + index
  std::string text;    // the whole request body
  std::string output;  // the tool output's text in it
  std::vector<Fact> facts;
};

Body make_body(Task task, int index);

}  // namespace tare::harness
