// tare-load: what tare-proxy costs and bears beside nginx, haproxy and no proxy at all, measured in
// one run. See tests/load/README.md.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <thread>

#include "common/clock.h"
#include "common/files.h"
#include "common/version.h"
#include "tests/load/lab.h"

namespace tare::load {
namespace {

constexpr std::array cases = {
    Case{"latency", "forward-only, 22 KB, one connection", added_latency},
    Case{"throughput", "forward-only, 22 KB, 64 connections", throughput},
    Case{"streams", "open streams, 5 events/s each, one event loop", streams},
    Case{"idle", "idle keep-alive connections", idle_connections},
    Case{"hang-up", "clients that hang up, and nobody at all", hang_up},
    Case{"large", "concurrent 1 MB bodies, rewritten", large_bodies},
    Case{"first-byte", "first byte of a streamed answer, 22 KB", first_byte},
    Case{"restarts", "restarts with the socket handed over", restarts},
};

struct Options {
  std::vector<std::string> names;
  bool quick = false;
  std::string raw = "build/load.json";
};

std::string verdict_of(const Row& row, bool quick) {
  if (row.verdict == Row::Verdict::noted) return "";
  if (row.timed && quick) return "not judged";
#ifdef TARE_UNDER_SANITIZER
  if (row.what.find("memory") != std::string::npos) return "not judged";
#endif
  return row.verdict == Row::Verdict::met ? "met" : "**not met**";
}

// Prints the case's rows; whether all that is judged is met.
bool print_rows(const Case& one, const Findings& findings, bool quick) {
  bool fine = true;
  for (const Row& row : findings.rows) {
    const std::string verdict = verdict_of(row, quick);
    fine &= verdict != "**not met**";
    fmt::print("| {} | {} | {} | {} | {} |\n", one.name, row.what, row.demanded, row.measured,
               verdict);
  }
  std::fflush(stdout);
  return fine;
}

nlohmann::json raw_of(const Findings& findings) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Row& row : findings.rows) {
    rows.push_back({{"what", row.what},
                    {"demanded", row.demanded},
                    {"measured", row.measured},
                    {"met", row.verdict == Row::Verdict::noted
                                ? nlohmann::json(nullptr)
                                : nlohmann::json(row.verdict == Row::Verdict::met)}});
  }
  return {{"rows", std::move(rows)}, {"numbers", findings.raw}};
}

int run(const Options& options) {
  Lab lab(options.quick);
  nlohmann::json raw;
  bool fine = true;
  fmt::print("tare {}, {}, {} CPUs{}\n\n", version(), iso8601(system_clock().wall_ns()),
             std::thread::hardware_concurrency(),
             options.quick ? ", quick: no speed is judged" : "");
  fmt::print("| case | what | demanded | measured | |\n|---|---|---|---|---|\n");
  for (const Case& one : cases) {
    if (!options.names.empty() && std::ranges::find(options.names, one.name) == options.names.end())
      continue;
    const auto findings = one.run(lab);
    if (!findings) {
      fmt::print(stderr, "tare-load: {}: {}\n", one.name, findings.error().text());
      fine = false;
      continue;
    }
    fine &= print_rows(one, *findings, options.quick);
    raw[std::string(one.name)] = raw_of(*findings);
  }
  if (!options.raw.empty()) {
    if (const auto written = write_file(options.raw, raw.dump()); !written) {
      fmt::print(stderr, "tare-load: {}\n", written.error().text());
      return 1;
    }
  }
  return fine ? 0 : 1;
}

}  // namespace
}  // namespace tare::load

int main(int argc, char** argv) {
  using namespace tare::load;
  CLI::App app("Measures tare-proxy as a transport, beside nginx and haproxy where they are.");
  Options options;
  std::vector<std::string> names;
  std::string menu = "\nCases:\n";
  for (const Case& one : cases) {
    names.emplace_back(one.name);
    menu += fmt::format("  {:<12} {}\n", one.name, one.title);
  }
  app.footer(menu + "Exit code 1: something is not met, or could not be run.");
  app.add_option("CASE", options.names, "cases to run, all when none is named")
      ->check(CLI::IsMember(names));
  app.add_flag("--quick", options.quick, "a second or two each: counts and memory are judged only");
  app.add_option("--raw", options.raw, "file for every number behind the table; empty: none")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    return run(options);
  } catch (const std::exception& failure) {
    fmt::print(stderr, "tare-load: {}\n", failure.what());
    return 1;
  }
}
