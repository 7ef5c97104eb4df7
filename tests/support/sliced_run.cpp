#include "tests/support/sliced_run.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <stdexcept>
#include <vector>

#include "common/files.h"
#include "common/hash.h"
#include "common/zstd_stream.h"
#include "tests/support/run_folder.h"

namespace tare::test {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

struct ArmFacts {
  const char* name;
  const char* kind;
  const char* twin_of;
  double latency_us;
  double cpu_us;
  double anon_mb;
  double kept;  // share of a body's text that is forwarded
};
constexpr ArmFacts arms[] = {
    {"direct", "direct", nullptr, 100, 0, 0, 1},
    {"control", "forwarder", nullptr, 160, 60, 9, 1},
    {"control-twin", "forwarder", "control", 160, 60, 9, 1},
    {"nginx", "forwarder", nullptr, 150, 40, 5, 1},
    {"tare", "compressor", nullptr, 300, 180, 9, 0.3},
    {"headroom-0.37.0", "compressor", nullptr, 8000, 5000, 150, 0.6},
};
constexpr const char* tasks[] = {"logs", "json"};
constexpr const char* modes[] = {"repeated", "unique"};
constexpr int warmups = 2;

template <typename T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().text());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

struct Body {
  std::string bytes;
  std::string sha256;
};

Body make_body(const std::string& task, int index, double kept, int size) {
  std::string text = fmt::format("ERROR {} request=req-{}", task, index);
  for (int line = 0; static_cast<double>(text.size()) < kept * size; ++line) {
    text += fmt::format("\\nline {} of {}", line, index * 7919 % 1000);
  }
  Body body;
  body.bytes = fmt::format(
      R"({{"model":"m","input":[{{"type":"function_call_output","call_id":"c","output":"{}"}}]}})",
      text);
  body.sha256 = sha256_hex(body.bytes);
  return body;
}

class Writer {
 public:
  Writer(const SlicedRun& plan, const fs::path& folder)
      : plan_(plan), folder_(folder), random_(plan.seed) {
    must(make_directories(folder));
    for (const char* name : {"workload", "rounds", "starts", "groups", "requests", "samples"}) {
      const auto path = folder / (std::string(name) + ".jsonl.zst");
      fs::remove(path);
      files_.emplace(name, must(ZstdAppender::open(path)));
    }
  }

  void write() {
    make_bodies();
    for (int i = 0; i < plan_.rounds; ++i) {
      if (i < plan_.discarded_rounds) round("sliced", true);
      round("sliced", false);
      const int isolated = plan_.isolated_rounds * (i + 1) / plan_.rounds;
      for (; isolated_done_ < isolated; ++isolated_done_) round("isolated", false);
    }
    for (auto& [name, file] : files_) must(file.end_frame());
    must(write_file(folder_ / "events.jsonl", events_));
    must(write_file(folder_ / "run.json", document().dump(1)));
  }

 private:
  struct Start {
    const ArmFacts* arm;
    std::int64_t id;
    double latency;  // of this start, times the arm's own
    double cpu;
    std::int64_t cpu_us = 0;
  };

  void line(const char* file, const std::string& text) {
    must(files_.at(file).write(text));
    must(files_.at(file).write("\n"));
  }

  void end_frames() {
    for (auto& [name, file] : files_) must(file.end_frame());
  }

  void make_bodies() {
    for (const char* task : tasks) {
      for (int index = 0; index < plan_.bodies; ++index) {
        for (const double kept : {1.0, 0.3, 0.6}) {
          Body body = make_body(task, index, kept, plan_.body_bytes);
          if (plan_.keep_bodies) {
            const auto at = folder_ / "bodies" / body.sha256.substr(0, 2);
            must(make_directories(at));
            must(write_file(at / (body.sha256 + ".zst"), zstd_compress(body.bytes)));
          }
          bodies_[{task, index, kept}] = {body.sha256, body.bytes.size()};
        }
        const auto& [sha256, size] = bodies_[{task, index, 1.0}];
        const json fact = {{"name", "error line"},
                           {"spellings", {fmt::format("ERROR {} request=req-{}", task, index)}}};
        line("workload", json{{"task", task},
                              {"index", index},
                              {"seed", 1},
                              {"sha256", sha256},
                              {"bytes", size},
                              {"output_sha256", std::string(64, 'b')},
                              {"output_bytes", 0},
                              {"route", "responses"},
                              {"tool", "read_file"},
                              {"class", nullptr},
                              {"name", nullptr},
                              {"turn", nullptr},
                              {"conversation", nullptr},
                              {"facts", {fact}}}
                             .dump());
      }
    }
  }

  double noise(double share) {
    return std::exp(share * std::normal_distribution<double>()(random_));
  }

  void round(const std::string& design, bool discarded) {
    ++round_;
    const std::int64_t begin_ns = now_ns_;
    std::vector<Start> starts;
    std::vector<std::string> order;
    for (const auto& arm : arms) {
      const bool tare = std::string(arm.name) == "tare";
      starts.push_back({&arm, ++starts_, noise(0.03) * (tare ? plan_.tare_latency : 1),
                        noise(0.03) * (tare ? plan_.tare_cpu : 1)});
      order.push_back(arm.name);
    }
    for (const char* task : tasks) {
      for (const char* mode : modes) {
        if (design == "sliced") {
          sliced_group(starts, task, mode);
        } else {
          for (auto& start : starts) isolated_group(start, task, mode);
        }
        end_frames();
      }
    }
    for (std::size_t i = 0; i < starts.size(); ++i) start_row(starts[i], design, i + 1, begin_ns);
    line("rounds", json{{"round", round_},
                        {"design", design},
                        {"block", 0},
                        {"order", order},
                        {"attempt", 1},
                        {"replaces", nullptr},
                        {"begin_ns", begin_ns},
                        {"end_ns", now_ns_},
                        {"canary_begin_ns", 10'000'000},
                        {"canary_end_ns", discarded ? 14'000'000 : 10'100'000},
                        {"steal_share", 0.002},
                        {"foreign_cpu_share", 0.01},
                        {"clock_step_ns", 0},
                        {"swap_bytes", 0},
                        {"discarded", discarded ? json("canary") : json(nullptr)}}
                       .dump());
    if (discarded) {
      events_ +=
          json{{"time_ns", now_ns_},        {"at", "2026-11-30T12:00:30Z"},
               {"kind", "round_discarded"}, {"arm", nullptr},
               {"round", round_},           {"message", "canary: the fixed loop took 40 % longer"}}
              .dump() +
          "\n";
    }
    end_frames();
  }

  void sliced_group(std::vector<Start>& starts, const char* task, const char* mode) {
    for (auto& start : starts) {
      for (int i = 0; i < warmups; ++i) request(start, task, mode, i, std::nullopt, i, false, 1.2);
    }
    for (int slice = 0; slice < plan_.slice_groups; ++slice) {
      const double machine = 1 + 0.1 * slice / plan_.slice_groups;
      int position = 0;
      for (auto& start : starts) {
        window(start, task, mode, "sliced", slice, ++position, plan_.requests_a_slice, machine);
      }
    }
  }

  void isolated_group(Start& start, const char* task, const char* mode) {
    for (int i = 0; i < warmups; ++i) request(start, task, mode, i, std::nullopt, i, false, 1.2);
    window(start, task, mode, "isolated", std::nullopt, 0, plan_.isolated_requests, 0.97);
  }

  void window(Start& start, const char* task, const char* mode, const char* design,
              std::optional<int> slice, int position, int requests, double machine) {
    const std::int64_t begin_ns = now_ns_;
    const double factor = machine * noise(0.05);
    int failures = 0;
    for (int i = 0; i < requests; ++i) {
      const int sequence = slice.value_or(0) * requests + i;
      failures += request(start, task, mode, warmups + sequence, slice, sequence, true, factor);
    }
    const bool process = start.arm->twin_of != nullptr || start.arm->cpu_us > 0;
    const auto or_null = [&](double value) {
      return process ? fmt::format("{}", std::llround(value)) : "null";
    };
    const double cpu_us = start.arm->cpu_us * start.cpu * factor * requests;
    const double anon = start.arm->anon_mb * 1e6;
    start.cpu_us += std::llround(cpu_us);
    const bool isolated = !slice;
    line(
        "groups",
        fmt::format(
            R"({{"start":{},"round":{},"arm":"{}","task":"{}","mode":"{}","design":"{}","slice":{},"slice_position":{},)"
            R"("begin_ns":{},"end_ns":{},"requests":{},"failures":{},"cpu_us":{},"cpu_after_us":{},"idle_us":{},"idle_cpu_us":{},)"
            R"("anon_begin_bytes":{},"anon_end_bytes":{},"private_begin_bytes":{},"private_end_bytes":{},"peak_bytes":null,)"
            R"("harness_cpu_us":{},"upstream_cpu_us":{},"source":"cgroup"}})",
            start.id, round_, start.arm->name, task, mode, design,
            slice ? std::to_string(*slice) : "null", slice ? std::to_string(position) : "null",
            begin_ns, now_ns_, requests, failures, or_null(cpu_us), or_null(cpu_us * 0.02),
            isolated ? "1000000" : "null", isolated ? or_null(120) : "null", or_null(anon),
            or_null(anon * noise(0.01)), isolated ? or_null(anon * 0.9) : "null",
            isolated ? or_null(anon) : "null", 30 * requests, 20 * requests));
    line("samples",
         fmt::format(R"({{"start":{},"time_ns":{},"cpu_us":{},"anon_bytes":{}}})", start.id,
                     now_ns_, process ? std::to_string(start.cpu_us) : "null", or_null(anon)));
  }

  // How many failed: 0 or 1.
  int request(Start& start, const char* task, const char* mode, int index, std::optional<int> slice,
              int sequence, bool measured, double factor) {
    const bool unique = std::string(mode) == "unique";
    const int body = unique ? index % plan_.bodies : 0;
    const auto& [sent, sent_bytes] = bodies_.at({task, body, 1.0});
    const auto& [received, received_bytes] = bodies_.at({task, body, start.arm->kept});
    const auto latency_ns =
        std::llround(1000 * start.arm->latency_us * start.latency * factor * noise(0.05));
    const bool fails = measured && unique && std::string(task) == "logs" && slice &&
                       std::string(start.arm->name) == "tare" && failed_ < plan_.failing_requests;
    if (fails) ++failed_;
    ++(measured ? measured_ : warmups_);
    line(
        "requests",
        fmt::format(
            R"({{"request":{},"start":{},"round":{},"arm":"{}","task":"{}","mode":"{}","index":{},"phase":"{}","slice":{},)"
            R"("sequence":{},"sent_ns":{},"first_byte_ns":{},"last_byte_ns":{},"status":{},"sent_bytes":{},"sent_sha256":"{}",)"
            R"("received_bytes":{},"received_sha256":"{}","attempts":1,"reply_correct":{},"error":null}})",
            measured_ + warmups_, start.id, round_, start.arm->name, task, mode, index,
            measured ? "measured" : "warmup", slice ? std::to_string(*slice) : "null", sequence,
            now_ns_, now_ns_ + latency_ns - 1000, now_ns_ + latency_ns, fails ? 500 : 200,
            sent_bytes, sent, received_bytes, received, !fails));
    now_ns_ += latency_ns + 50'000;
    return fails ? 1 : 0;
  }

  void start_row(const Start& start, const std::string& design, std::size_t position,
                 std::int64_t begin_ns) {
    const bool process = start.arm->cpu_us > 0;
    const auto or_null = [&](std::int64_t value) { return process ? json(value) : json(nullptr); };
    line("starts", json{{"start", start.id},
                        {"round", round_},
                        {"position", position},
                        {"design", design},
                        {"block", 0},
                        {"arm", start.arm->name},
                        {"argv", process ? json{start.arm->name} : json(nullptr)},
                        {"outcome", "ok"},
                        {"reason", nullptr},
                        {"began_ns", begin_ns},
                        {"ready_ns", begin_ns + 20'000'000},
                        {"ended_ns", now_ns_},
                        {"cpu_at_ready_us", or_null(5000)},
                        {"anon_at_ready_bytes", or_null(std::llround(start.arm->anon_mb * 8e5))},
                        {"first_request_ns", std::llround(start.arm->latency_us * 3000)},
                        {"cpu_total_us", or_null(5000 + start.cpu_us)},
                        {"rusage_total_us", or_null(5000 + start.cpu_us)},
                        {"grade", process ? json("A") : json(nullptr)},
                        {"peak_bytes", or_null(std::llround(start.arm->anon_mb * 2e6))},
                        {"peak_since", process ? json("start") : json(nullptr)},
                        {"exit_code", 0},
                        {"exit_signal", nullptr},
                        {"leaked_processes", 0}}
                       .dump());
  }

  json document() const {
    json plan_arms = json::array();
    json all = json::array();
    for (const auto& arm : arms) {
      if (arm.twin_of == nullptr) plan_arms.push_back(arm.name);
      all.push_back({{"name", arm.name},
                     {"title", fmt::format("{}, made for a test", arm.name)},
                     {"twin_of", arm.twin_of == nullptr ? json(nullptr) : json(arm.twin_of)},
                     {"kind", arm.kind},
                     {"licence", "Apache-2.0"},
                     {"homepage", nullptr},
                     {"status", "ready"},
                     {"reason", nullptr},
                     {"identity", {{"version", "1.0"}}},
                     {"degraded", json::array()},
                     {"command", {arm.name, "--port", "{port}"}},
                     {"environment", json::object()},
                     {"claims", {{"lossless", true}}},
                     {"caches", false},
                     {"decoder", nullptr},
                     {"notes", json::array()}});
    }
    json groups = json::array();
    for (const char* task : tasks) {
      for (const char* mode : modes) groups.push_back({{"task", task}, {"mode", mode}});
    }
    json run = {
        {"schema", "tare-run/2"},
        {"state", plan_.state},
        {"reason", plan_.state == "complete" ? json(nullptr) : json("interrupted by SIGINT")},
        {"started_at", "2026-11-30T12:00:00Z"},
        {"ended_at", "2026-11-30T12:20:00Z"},
        {"harness", {{"version", "0.1.0 (test)"}}},
        {"plan",
         {{"name", "made"},
          {"title", "A sliced plan of a test"},
          {"protocol", "sliced"},
          {"rounds", plan_.rounds},
          {"isolated_rounds", plan_.isolated_rounds},
          {"arms", plan_arms},
          {"twin_of", "control"},
          {"groups", groups},
          {"warmups", warmups},
          {"slice_groups", plan_.slice_groups},
          {"slice_ms", 100},
          {"slice_min_requests", 1},
          {"isolated_requests", plan_.isolated_requests},
          {"state", "fresh"},
          {"seed", plan_.seed},
          {"block", 6},
          {"subject", "tare"},
          {"references", {"control", "nginx", "headroom-0.37.0"}},
          {"margins", {{"latency", 0.05}, {"cpu", 0.05}, {"memory", 0.05}}},
          {"concurrency", 1},
          {"any_failure_makes_incomplete", false},
          {"arm_overrides", json::object()},
          {"time_limit_s", 60}}},
        {"environment", environment_json(plan_.cpu_model)},
        {"arms", all},
        {"totals",
         {{"planned_measured", measured_},
          {"measured", measured_},
          {"failed_measured", failed_},
          {"warmups", warmups_}}}};
    run["plan_sha256"] = sha256_hex(run["plan"].dump());
    return run;
  }

  const SlicedRun& plan_;
  fs::path folder_;
  std::mt19937_64 random_;
  std::map<std::string, ZstdAppender> files_;
  std::map<std::tuple<std::string, int, double>, std::pair<std::string, std::size_t>> bodies_;
  std::string events_;
  int round_ = 0;
  int isolated_done_ = 0;
  std::int64_t starts_ = 0;
  std::int64_t measured_ = 0;
  std::int64_t warmups_ = 0;
  int failed_ = 0;
  std::int64_t now_ns_ = 1'000'000'000;
};

}  // namespace

void SlicedRun::write(const fs::path& folder) const {
  Writer(*this, folder).write();
}

}  // namespace tare::test
