// Workloads, by name: what a plan's group sends. "published" is the published one (workload.h);
// "folder" sends a folder's tool outputs, one a body; "conversation" the turns of a conversation
// made of such outputs; "incompressible", "tiny" and "huge" are made from a seed. Each in the shape
// of any of the three APIs. The same on every machine, for the same files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "harness/workload.h"

namespace tare::harness {

// Which bodies, besides how they are sent (Mode).
struct Workload {
  std::string name = "published";
  std::string task;        // published: logs, json or code
  std::string path;        // folder, conversation: relative to the home folder
  std::string class_name;  // folder: of one subfolder only; empty: all of them
  int turns = 0;           // conversation
  std::string tool = "read_file";
  Route route = Route::responses;
};

// What is sent, and how; the same to every arm that has the workload's route.
struct Group {
  Task task;  // the workload's name in the raw rows
  Mode mode{};
  Workload workload = {};
};

// A published workload as its name says it: of read_file's outputs, on Responses.
Group published_group(const Task& task, Mode mode);

constexpr const char* usual_outputs = "data/corpora";
constexpr int most_turns = 999;  // of a conversation

std::vector<std::string> workload_names();

// Its name in the raw rows: "logs", "folder/log", "conversation/30@chat".
Task task_of(const Workload& workload);

// The workload of such a name; folders are the usual one. Errors: usage.
Result<Workload> workload_from(std::string_view task);

// `most` limits a published workload, which has no end; the others give all their bodies. Errors:
// usage (no such folder, no outputs in it), io.
Result<std::vector<Body>> make_bodies(const Workload& workload, int most,
                                      const std::filesystem::path& home);

}  // namespace tare::harness
