// tare selftest: measures known doses and says whether the benchmark sees them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/effect.h"
#include "analysis/raw_reader.h"
#include "analysis/run_index.h"
#include "analysis/signed_rank.h"
#include "analysis/slices.h"
#include "cli/execute.h"
#include "cli/places.h"
#include "cli/subcommands.h"
#include "common/files.h"
#include "common/whole_number.h"
#include "harness/selftest.h"

namespace tare::cli {
namespace {

using harness::DoseArms;

constexpr int whole_rounds = 12;
constexpr int least_rounds = 6;  // an interval of 95 % takes as many
constexpr double margin = 0.05;
constexpr double significant = 0.05;

struct Options {
  int rounds = whole_rounds;
  std::uint64_t seed = 1;
  std::string out;
};

struct Check {
  std::string name;
  bool passed = false;
  std::string figures;
};

using analysis::Slice;
using Figure = std::optional<double> Slice::*;

// What the run shows of one arm beside another.
class Judge {
 public:
  Judge(const analysis::RawRun& run, const std::filesystem::path& folder)
      : run_(run), index_(run), folder_(folder) {}

  std::vector<Check> checks() const {
    return {twin("A/A latency", &Slice::latency_ms),
            twin("A/A CPU", &Slice::cpu_us),
            twin("A/A memory", &Slice::anon_bytes),
            cpu(),
            latency(),
            memory(),
            bytes()};
  }

 private:
  analysis::SliceTable slices(const std::string& arm) const {
    return analysis::slices_of(index_.rows(analysis::Design::sliced, arm, "logs", "repeated"));
  }

  std::vector<double> differences(const char* arm, const char* reference, Figure figure) const {
    return analysis::paired_differences(slices(arm), slices(reference), figure);
  }

  static Check too_few(std::string name, std::size_t rounds) {
    return {std::move(name), false, fmt::format("{} rounds count: too few to judge", rounds)};
  }

  // Two copies of one program: nothing may be called better or worse.
  Check twin(std::string name, Figure figure) const {
    const auto pairs = analysis::paired_rounds(slices(std::string(DoseArms::plain) + "-twin"),
                                               slices(DoseArms::plain), figure);
    std::vector<double> ratios;
    for (const auto& pair : pairs) ratios.push_back(pair.log_ratio);
    const auto effect = analysis::effect_of(pairs);
    const auto p = analysis::beyond_margin_p(ratios, std::log1p(margin));
    const auto estimate = effect.estimate;
    if (!p || !estimate || !effect.within95) return too_few(std::move(name), ratios.size());
    return {
        std::move(name), *p > significant,
        fmt::format("{:+.2f} % [{:+.2f}, {:+.2f}], resolution {:.2f} %, over {} rounds",
                    100 * analysis::share_of_log(*estimate),
                    100 * analysis::share_of_log(effect.within95->low),
                    100 * analysis::share_of_log(effect.within95->high),
                    100 * analysis::share_of_log(effect.within95->half_width()), ratios.size())};
  }

  // The interval holds what the arm says it burnt more than the one without, and not 0; the point
  // is within 15 % + 5 us.
  Check cpu() const {
    const auto values = differences(DoseArms::cpu, DoseArms::plain, &Slice::cpu_us);
    const auto interval = analysis::signed_rank_interval(values, 0.95);
    const auto burnt = reported_cpu_us(DoseArms::cpu);
    const auto without = reported_cpu_us(DoseArms::plain);
    if (!interval || !burnt || !without) return too_few("CPU dose", values.size());
    const double reported = *burnt - *without;
    const double point = analysis::hodges_lehmann(values).value_or(0);
    const bool holds = interval->low <= reported && reported <= interval->high;
    const bool near = std::abs(point - reported) <= 0.15 * reported + 5;
    return {"CPU dose", interval->low > 0 && holds && near,
            fmt::format("{:.1f} us [{:.1f}, {:.1f}], burnt {:.1f} us", point, interval->low,
                        interval->high, reported)};
  }

  // By the slope between two doses: a CPU that slept has a cost of its own for waking up.
  Check latency() const {
    const auto values =
        differences(DoseArms::sleep_long, DoseArms::sleep_short, &Slice::latency_ms);
    const auto point = analysis::hodges_lehmann(values);
    if (!point) return too_few("latency dose", values.size());
    const double dose_ms =
        static_cast<double>(harness::dose_sleep_long_us - harness::dose_sleep_short_us) / 1000;
    const double slope = *point / dose_ms;
    return {"latency dose", slope >= 0.95 && slope <= 1.10,
            fmt::format("slope {:.3f} ({:.3f} ms of {:.3f} ms)", slope, *point, dose_ms)};
  }

  Check memory() const {
    const auto values = differences(DoseArms::memory, DoseArms::plain, &Slice::anon_bytes);
    const auto point = analysis::hodges_lehmann(values);
    if (!point) return too_few("memory dose", values.size());
    const auto dose = static_cast<double>(harness::dose_memory_bytes);
    const double tolerance = std::max(0.02 * dose, 200'000.0);
    return {"memory dose", std::abs(*point - dose) <= tolerance,
            fmt::format("{:.3f} MB of {:.3f} MB", *point / 1e6, dose / 1e6)};
  }

  Check bytes() const {
    std::size_t requests = 0;
    std::size_t exact = 0;
    for (const auto& row : run_.requests) {
      if (row.failed() || !row.received_bytes) continue;
      const auto pad = row.arm == DoseArms::memory ? harness::dose_pad_bytes : 0;
      ++requests;
      if (*row.received_bytes == row.sent_bytes + pad) ++exact;
    }
    return {"byte dose", requests > 0 && exact == requests,
            fmt::format("{} of {} requests exact", exact, requests)};
  }

  // A request, by what the arm printed when it ended: the mean over its starts.
  std::optional<double> reported_cpu_us(const std::string& arm) const {
    double cpu_ns = 0;
    double requests = 0;
    std::error_code e;
    for (std::filesystem::directory_iterator it(folder_ / "logs", e), end; !e && it != end;
         it.increment(e)) {
      const std::string name = it->path().filename();
      if (!name.starts_with(arm + "-r") || !name.ends_with(".out")) continue;
      const auto text = read_file(it->path());
      if (!text) continue;
      const auto begin = text->find('{');
      if (begin == std::string::npos) continue;
      const auto dose = nlohmann::json::parse(text->substr(begin), nullptr, false);
      if (!dose.is_object()) continue;
      cpu_ns += dose.value("cpu_ns", 0.0);
      requests += dose.value("requests", 0.0);
    }
    if (requests == 0) return std::nullopt;
    return cpu_ns / requests / 1000;
  }

  const analysis::RawRun& run_;
  const analysis::RunIndex index_;
  const std::filesystem::path& folder_;
};

Result<int> selftest(const Options& options, const Places& places) {
  const auto plan = harness::selftest_plan(options.rounds, options.seed);
  std::filesystem::path folder = options.out;
  if (options.out.empty()) {
    const auto made = make_temporary_directory("tare-selftest");
    if (!made) return fail(made.error());
    folder = *made;
  }
  const auto executed = execute(plan, harness::selftest_setup(plan), places, folder, nullptr);
  if (!executed) return fail(executed.error());
  if (executed->interrupted) return 1;
  const auto run = analysis::read_run(folder);
  if (!run) return fail(run.error());
  bool passed = true;
  for (const auto& check : Judge(*run, folder).checks()) {
    fmt::print("{:<14} {:<7} {}\n", check.name, check.passed ? "ok" : "failed", check.figures);
    passed = passed && check.passed;
  }
  if (const auto& reason = executed->incomplete) fmt::print("incomplete: {}\n", *reason);
  fmt::print("{}; raw data: {}\n", passed ? "passed" : "failed", folder.string());
  return passed ? 0 : 1;
}

}  // namespace

void add_selftest(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand(
      "selftest",
      "Measure known doses of CPU, time, memory and bytes, and two copies of one program");
  auto options = std::make_shared<Options>();
  auto* rounds = command->add_option("--rounds", options->rounds, "Rounds that must count")
                     ->capture_default_str()
                     ->check(CLI::Range(least_rounds, 1000))
                     ->type_name("N");
  command
      ->add_flag_callback(
          "--quick", [options] { options->rounds = least_rounds; },
          fmt::format("As few rounds as give an interval: {}", least_rounds))
      ->excludes(rounds);
  command->add_option("--seed", options->seed, "Seed of the orders")
      ->check(fault_of_whole_number)
      ->type_name("N");
  command
      ->add_option("--out", options->out, "New folder for the raw data (a temporary one if absent)")
      ->type_name("DIR");
  command->callback([&app, &exit_code, options] {
    const auto code = selftest(*options, places_of(app));
    exit_code = code ? *code : print_error(code.error());
  });
}

}  // namespace tare::cli
