// What one start of an arm executes: its manifest's command, environment and configuration with the
// placeholders filled in. May be used from several threads at once.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/error.h"
#include "harness/manifest.h"

namespace tare::harness {

struct ArmCommand {
  Placeholders values;
  std::filesystem::path remove_folder;  // the caller's to remove at the end: a new state folder
  std::vector<std::string> argv;
  std::vector<std::string> environment;  // PATH, HOME = the state folder, and the manifest's
};

// Makes the state folder, or takes `kept_state` when that is not empty, and in it the
// configuration; asks the system for a port, but for an arm that says where it listens: that gets
// 0. Errors name the arm: usage (the plan removes a word that the command does not have), io.
Result<ArmCommand> prepare_command(const Manifest& manifest,
                                   const std::vector<std::string>& removed_arguments,
                                   const std::string& upstream, const std::filesystem::path& bin,
                                   const std::filesystem::path& kept_state);

// Page cache is billed to whoever touches a file first: reads the program and all that its
// installer put there, so that this is us.
void read_files_of(const ArmCommand& command);

}  // namespace tare::harness
