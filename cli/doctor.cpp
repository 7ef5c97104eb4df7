#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/subcommands.h"
#include "common/clock.h"
#include "harness/doctor.h"
#include "harness/environment.h"

namespace tare::cli {
namespace {

int doctor(const std::string& output) {
  const auto machine = harness::audit_environment();
  fmt::print("{}, {}\n{}, {} cores, {:.1f} GiB\n\n", machine.distribution, machine.kernel,
             machine.cpu_model, machine.cores,
             static_cast<double>(machine.memory_bytes) / (1024.0 * 1024.0 * 1024.0));
  int limited = 0;
  for (const auto& finding : harness::examine(system_clock(), output)) {
    using State = harness::Finding::State;
    const char mark = finding.state == State::good      ? ' '
                      : finding.state == State::limited ? '!'
                                                        : '?';
    fmt::print("{} {:<15} {}\n", mark, finding.topic, finding.text);
    if (!finding.remedy.empty()) fmt::print("  {:<15} better: {}\n", "", finding.remedy);
    limited += finding.state == State::limited ? 1 : 0;
  }
  fmt::print("\n{}\n", limited == 0 ? std::string("Nothing stands in the way of good figures.")
                                    : fmt::format("{} marked ! make figures worse or fewer; runs "
                                                  "work all the same and say so.",
                                                  limited));
  return 0;
}

}  // namespace

void add_doctor(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand(
      "doctor", "Tell what this machine can measure, and how to better each limit");
  auto output = std::make_shared<std::string>(".");
  command->add_option("--out", *output, "Folder that runs are to be written to")
      ->type_name("DIR")
      ->capture_default_str();
  command->callback([output, &exit_code] { exit_code = doctor(*output); });
}

}  // namespace tare::cli
