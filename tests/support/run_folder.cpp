#include "tests/support/run_folder.h"

#include <cstdlib>
#include <map>
#include <set>
#include <stdexcept>

#include "common/files.h"
#include "common/hash.h"
#include "common/zstd_stream.h"

namespace tare::test {
namespace {

using nlohmann::json;

constexpr int rounds = 3;
constexpr int warmups = 1;
constexpr int measured_requests = 4;

struct ArmFacts {
  std::int64_t latency_ns;
  int cpu_us;  // a request; 0: not measured
};
const std::map<std::string, ArmFacts> arm_facts{{"tare", {1'000'000, 200}},
                                                {"headroom-0.37.0", {8'000'000, 4000}},
                                                {"control", {500'000, 100}},
                                                {"direct", {250'000, 0}}};

std::string planted(int index) {
  return "ERROR request=req-" + std::to_string(index);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

template <typename T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().text());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

void write_rows(const std::filesystem::path& path, const std::vector<json>& rows) {
  std::filesystem::remove(path);
  auto file = must(ZstdAppender::open(path));
  std::size_t n = 0;
  for (const auto& row : rows) {
    must(file.write(row.dump() + "\n"));
    if (++n % 10 == 0) must(file.end_frame());
  }
  must(file.end_frame());
}

json arm(const std::string& name, const std::string& kind) {
  return {{"name", name},
          {"title", name + ", of a test"},
          {"kind", kind},
          {"licence", "Apache-2.0"},
          {"homepage", nullptr},
          {"status", "ready"},
          {"reason", nullptr},
          {"identity", {{"version", "1.0"}}},
          {"degraded", json::array()},
          {"command", {name, "--port", "{port}"}},
          {"environment", json::object()},
          {"claims", {{"lossless", true}}},
          {"caches", false},
          {"decoder", nullptr},
          {"notes", json::array()}};
}

}  // namespace

std::string sent_body(int index) {
  return R"({"model":"m","input":[{"role":"user","content":"Q"},)"
         R"({"type":"function_call_output","call_id":"c","output":"heartbeat 1\nheartbeat 2\n)" +
         planted(index) + R"(\nheartbeat 3"}]})";
}

std::string forwarded_body(const std::string& arm, int index) {
  if (arm == "tare") return replaced(sent_body(index), "heartbeat", "<hb>");
  if (arm != "headroom-0.37.0") return sent_body(index);
  const std::string body = replaced(sent_body(index), "\"model\":", "\"model\": ");
  return index % 2 == 1 ? replaced(body, planted(index) + "\\n", "") : body;
}

nlohmann::json environment_json(const std::string& cpu_model) {
  return {{"kernel", "6.1"},
          {"cpu_model", cpu_model},
          {"memory_bytes", 1073741824},
          {"distribution", "a system"},
          {"governor", nullptr},
          {"load_average", 0.25},
          {"cgroup", "/sys/fs/cgroup/somewhere"},
          {"cores", 2},
          {"cgroup_grade", "A"},
          {"limits", {"no turbo control"}}};
}

RunFolder::RunFolder() : path_(must(make_temporary_directory("tare-test-run"))) {
  run = {{"schema", "tare-run/1"},
         {"state", "complete"},
         {"reason", nullptr},
         {"started_at", "2026-11-30T12:00:00Z"},
         {"ended_at", "2026-11-30T12:01:00Z"},
         {"harness", {{"version", "0.1.0 (test)"}}},
         {"plan",
          {{"name", "test"},
           {"title", "A plan of a test"},
           {"protocol", "published"},
           {"rounds", rounds},
           {"arms", {"tare", "headroom-0.37.0", "control", "direct"}},
           {"rotate", 3},
           {"groups",
            {{{"task", "logs"}, {"mode", "repeated"}}, {{"task", "logs"}, {"mode", "unique"}}}},
           {"warmups", warmups},
           {"requests", measured_requests},
           {"seed", 1},
           {"concurrency", 1},
           {"any_failure_makes_incomplete", true},
           {"arm_overrides", json::object()},
           {"time_limit_s", 60}}},
         {"environment", environment_json("a CPU")},
         {"arms",
          {arm("tare", "compressor"), arm("headroom-0.37.0", "compressor"),
           arm("control", "forwarder"), arm("direct", "direct")}},
         {"totals",
          {{"planned_measured", 96}, {"measured", 96}, {"failed_measured", 0}, {"warmups", 24}}}};
  run["plan_sha256"] = sha256_hex(run["plan"].dump());
  run["arms"][0]["decoder"] = {"sed", "s/<hb>/heartbeat/g"};
  run["arms"][1]["degraded"] = {"without Kompress weights"};
  for (int index = 0; index < warmups + measured_requests; ++index) {
    const std::string body = sent_body(index);
    workload.push_back({{"task", "logs"},
                        {"index", index},
                        {"seed", 1800000000 + index},
                        {"sha256", sha256_hex(body)},
                        {"bytes", body.size()},
                        {"output_sha256", std::string(64, 'b')},
                        {"output_bytes", 0},
                        {"route", "responses"},
                        {"tool", "read_file"},
                        {"class", nullptr},
                        {"name", nullptr},
                        {"turn", nullptr},
                        {"conversation", nullptr},
                        {"facts", {{{"name", "error line"}, {"spellings", {planted(index)}}}}}});
  }
  for (int round = 1; round <= rounds; ++round) {
    int position = 0;
    for (const char* name : {"tare", "headroom-0.37.0", "control", "direct"}) {
      add_start(round, ++position, name);
      for (const char* mode : {"repeated", "unique"}) add_group(round, name, mode);
    }
  }
}

RunFolder::~RunFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void RunFolder::add_start(int round, int position, const std::string& name) {
  json row = {{"start", starts.size() + 1},
              {"round", round},
              {"position", position},
              {"arm", name},
              {"argv", {name}},
              {"outcome", "ok"},
              {"reason", nullptr},
              {"began_ns", now_ns_},
              {"ready_ns", now_ns_ + 10'000'000 * round},
              {"ended_ns", now_ns_ + 20'000'000},
              {"cpu_at_ready_us", 5000},
              {"anon_at_ready_bytes", 1048576},
              {"cpu_total_us", 5000 + 10 * arm_facts.at(name).cpu_us},
              {"rusage_total_us", 5000 + 10 * arm_facts.at(name).cpu_us},
              {"grade", "A"},
              {"peak_bytes", 4 * 1048576},
              {"peak_since", "warm-up"},
              {"exit_code", 0},
              {"exit_signal", nullptr},
              {"leaked_processes", 0}};
  if (name == "direct") {
    for (const char* field : {"argv", "cpu_at_ready_us", "anon_at_ready_bytes", "cpu_total_us",
                              "rusage_total_us", "grade", "peak_bytes", "peak_since"}) {
      row[field] = nullptr;
    }
  }
  starts.push_back(std::move(row));
  now_ns_ += 100'000'000;
}

void RunFolder::add_group(int round, const std::string& name, const std::string& mode) {
  for (int i = 0; i < warmups; ++i) add_request(round, name, mode, i, false);
  const std::int64_t begin_ns = now_ns_;
  for (int i = 0; i < measured_requests; ++i) add_request(round, name, mode, i, true);
  json row = {{"start", starts.size()},
              {"round", round},
              {"arm", name},
              {"task", "logs"},
              {"mode", mode},
              {"begin_ns", begin_ns},
              {"end_ns", now_ns_},
              {"requests", measured_requests},
              {"failures", 0},
              {"cpu_us", measured_requests * arm_facts.at(name).cpu_us},
              {"anon_begin_bytes", 2 * 1048576},
              {"anon_end_bytes", (2 + round) * 1048576},
              {"private_begin_bytes", 3 * 1048576},
              {"private_end_bytes", (3 + round) * 1048576},
              {"peak_bytes", nullptr},
              {"harness_cpu_us", measured_requests * 30},
              {"upstream_cpu_us", measured_requests * 20},
              {"source", "cgroup"}};
  if (name == "direct") {
    for (const char* field : {"cpu_us", "anon_begin_bytes", "anon_end_bytes", "private_begin_bytes",
                              "private_end_bytes"}) {
      row[field] = nullptr;
    }
  }
  groups.push_back(std::move(row));
}

void RunFolder::add_request(int round, const std::string& name, const std::string& mode,
                            int sequence, bool measured) {
  const int index = mode == "repeated" ? 0 : measured ? warmups + sequence : sequence;
  const std::string sent = sent_body(index);
  const std::string forwarded = forwarded_body(name, index);
  for (const auto& body : {sent, forwarded}) {
    if (std::find(bodies.begin(), bodies.end(), body) == bodies.end()) bodies.push_back(body);
  }
  const std::int64_t latency_ns =
      arm_facts.at(name).latency_ns + 100'000 * round + 10'000 * sequence;
  requests.push_back({{"request", requests.size() + 1},
                      {"start", starts.size()},
                      {"round", round},
                      {"arm", name},
                      {"task", "logs"},
                      {"mode", mode},
                      {"index", index},
                      {"phase", measured ? "measured" : "warmup"},
                      {"sequence", sequence},
                      {"sent_ns", now_ns_},
                      {"first_byte_ns", now_ns_ + latency_ns - 1000},
                      {"last_byte_ns", now_ns_ + latency_ns},
                      {"status", 200},
                      {"sent_bytes", sent.size()},
                      {"sent_sha256", sha256_hex(sent)},
                      {"received_bytes", forwarded.size()},
                      {"received_sha256", sha256_hex(forwarded)},
                      {"attempts", 1},
                      {"reply_correct", true},
                      {"error", nullptr}});
  now_ns_ += 20'000'000;
}

void RunFolder::write() const {
  must(write_file(path_ / "run.json", run.dump(1)));
  write_rows(path_ / "workload.jsonl.zst", workload);
  write_rows(path_ / "starts.jsonl.zst", starts);
  write_rows(path_ / "groups.jsonl.zst", groups);
  write_rows(path_ / "requests.jsonl.zst", requests);
  std::string lines;
  for (const auto& event : events) lines += event.dump() + "\n";
  must(write_file(path_ / "events.jsonl", lines));
  for (const auto& body : bodies) {
    const std::string sha256 = sha256_hex(body);
    must(make_directories(path_ / "bodies" / sha256.substr(0, 2)));
    must(write_file(path_ / "bodies" / sha256.substr(0, 2) / (sha256 + ".zst"),
                    zstd_compress(body)));
  }
}

}  // namespace tare::test
