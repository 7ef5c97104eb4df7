// Writes a small run folder whose figures can be computed by hand, for tests of what reads run
// folders. Change the rows, then write().
//
// Three rounds of four arms (tare, headroom-0.37.0, control, direct) over logs/repeated and
// logs/unique, with one warm-up and four measured requests each. The latency of a measured request
// is the arm's own (1, 8, 0.5, 0.25 ms) + round x 0.1 ms + sequence x 0.01 ms; its CPU a request is
// 0.2, 4, 0.1 ms, and not measured for direct. tare writes "heartbeat" as "<hb>", which its decoder
// undoes; HeadRoom respells the body and drops the planted line of every odd body.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tare::test {

// The environment in the run.json of a made run.
nlohmann::json environment_json(const std::string& cpu_model);

class RunFolder {
 public:
  RunFolder();
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  void write() const;
  const std::filesystem::path& path() const { return path_; }

  nlohmann::json run;
  std::vector<nlohmann::json> workload;
  std::vector<nlohmann::json> starts;
  std::vector<nlohmann::json> groups;
  std::vector<nlohmann::json> requests;
  std::vector<nlohmann::json> events;
  std::vector<std::string> bodies;  // distinct bytes

 private:
  void add_start(int round, int position, const std::string& arm);
  void add_group(int round, const std::string& arm, const std::string& mode);
  void add_request(int round, const std::string& arm, const std::string& mode, int sequence,
                   bool measured);

  std::filesystem::path path_;
  std::int64_t now_ns_ = 1'000'000'000;
};

// The body of index i as it is sent, and as an arm forwards it.
std::string sent_body(int index);
std::string forwarded_body(const std::string& arm, int index);

}  // namespace tare::test
