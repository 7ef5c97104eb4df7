#include "harness/arm_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>

#include "common/files.h"
#include "common/programs.h"
#include "harness/installation.h"
#include "harness/readiness.h"

namespace tare::harness {

namespace fs = std::filesystem;

Result<ArmCommand> prepare_command(const Manifest& manifest,
                                   const std::vector<std::string>& removed_arguments,
                                   const std::string& upstream, const fs::path& bin,
                                   const fs::path& kept_state) {
  ArmCommand prepared;
  Placeholders& values = prepared.values;
  if (!manifest.ready.stdout_line) {
    const auto port = free_port();
    if (!port) return fail(port.error());
    values.port = *port;
  }
  if (kept_state.empty()) {
    auto state = make_temporary_directory("tare-" + manifest.name);
    if (!state) return fail(state.error());
    values.state = prepared.remove_folder = *state;
  } else {
    if (auto made = make_directories(kept_state); !made) return fail(made.error());
    values.state = kept_state;
  }
  values.upstream = upstream;
  values.install = install_folder(manifest);
  values.bin = bin;
  auto give_up = [&](Error error) {
    std::error_code ignored;
    fs::remove_all(prepared.remove_folder, ignored);
    error.message = fmt::format("arm {}: {}", manifest.name, error.message);
    return fail(std::move(error));
  };

  if (manifest.config_template) {
    const auto text = read_file(manifest.folder / *manifest.config_template);
    if (!text) return give_up(text.error());
    values.config = values.state / fs::path(*manifest.config_template).stem();
    if (auto written = write_file(values.config, resolve(*text, values)); !written) {
      return give_up(written.error());
    }
  }

  std::vector<std::string> command = manifest.command;
  for (const auto& word : removed_arguments) {
    if (std::erase(command, word) == 0) {
      return give_up(Error::usage(fmt::format("its command has no word \"{}\" to remove", word),
                                  "correct the plan's arm_overrides"));
    }
  }
  if (command.empty()) return give_up(Error::usage("its command is empty"));
  for (const auto& word : command) prepared.argv.push_back(resolve(word, values));
  if (const auto program = find_program(prepared.argv.front())) prepared.argv.front() = *program;

  std::map<std::string, std::string> environment{{"PATH", path_variable()},
                                                 {"HOME", values.state.string()}};
  for (const auto* set : {&manifest.environment, &manifest.forced_environment}) {
    for (const auto& [name, value] : *set) environment[name] = resolve(value, values);
  }
  for (const auto& [name, value] : environment) prepared.environment.push_back(name + "=" + value);
  return prepared;
}

void read_files_of(const ArmCommand& command) {
  auto read_one = [](const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::array<char, 65536> chunk;
    while (in.read(chunk.data(), chunk.size())) {
    }
  };
  std::error_code ignored;
  for (const auto& word : command.argv) {
    if (word.starts_with('/') && fs::is_regular_file(word, ignored)) read_one(word);
  }
  constexpr auto skip = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator file(command.values.install, skip, ignored), end;
       file != end; file.increment(ignored)) {
    if (file->is_regular_file(ignored)) read_one(file->path());
  }
}

}  // namespace tare::harness
