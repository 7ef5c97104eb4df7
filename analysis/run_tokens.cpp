#include "analysis/run_tokens.h"

#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <string_view>
#include <unordered_set>

#include "analysis/bodies.h"
#include "common/files.h"

namespace tare::analysis {
namespace {

using nlohmann::json;

std::set<std::string> bodies_of(const RawRun& run) {
  std::unordered_set<const char*> seen;  // a run keeps each SHA-256 once
  std::set<std::string> named;
  const auto add = [&](std::string_view sha256) {
    if (seen.insert(sha256.data()).second) named.emplace(sha256);
  };
  for (const auto& request : run.requests) {
    add(request.sent_sha256);
    if (request.received_sha256) add(*request.received_sha256);
  }
  return named;
}

}  // namespace

Result<std::size_t> count_run_tokens(const std::filesystem::path& run_folder, const O200k& ranks) {
  const auto run = read_run(run_folder);
  if (!run) return fail(run.error());
  Bodies bodies(run_folder);
  std::string lines;
  std::size_t counted = 0;
  for (const auto& sha256 : bodies_of(*run)) {
    const StoredBody* body = bodies.find(sha256);
    if (body == nullptr) continue;
    json outputs = json::array();
    for (const auto& output : body->outputs) outputs.push_back(ranks.count(output.text));
    const json row = {{"sha256", sha256},
                      {"encoding", "o200k_base"},
                      {"body_tokens", ranks.count(body->bytes)},
                      {"output_tokens", outputs}};
    lines += row.dump() + "\n";
    ++counted;
  }
  if (auto written = write_file(run_folder / "tokens.jsonl", lines); !written) {
    return fail(written.error());
  }
  return counted;
}

std::map<std::string, double, std::less<>> counted_outputs(const RawRun& run) {
  std::map<std::string, double, std::less<>> counted;
  for (const auto& row : run.tokens) {
    counted[row.sha256] = std::accumulate(row.output_tokens.begin(), row.output_tokens.end(), 0.0);
  }
  for (const auto& sha256 : bodies_of(run)) {
    if (!counted.contains(sha256)) return {};
  }
  return counted;
}

}  // namespace tare::analysis
