#include "harness/resume.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "common/files.h"
#include "common/hash.h"
#include "common/zstd_stream.h"
#include "harness/schedule.h"

namespace tare::harness {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

Error damaged(const fs::path& file, const std::string& what) {
  return Error::invalid(fmt::format("{}: {}", file.string(), what),
                        "a run whose files were changed cannot go on: report what is there");
}

// Calls `each` with every row; a file that is not there has none. What throws is a row that is not
// as documented.
Result<void> for_each_row(const fs::path& file, const std::function<void(const Json&)>& each) {
  std::error_code e;
  if (!fs::exists(file, e)) return {};
  const auto content = zstd_read_file(file);
  if (!content) return fail(content.error());
  std::string_view text = content->bytes;
  for (int line = 1; !text.empty(); ++line) {
    const auto end = std::min(text.find('\n'), text.size());
    try {
      each(Json::parse(text.substr(0, end)));
    } catch (const Json::exception&) {
      return fail(damaged(file, fmt::format("line {} is no row of a run", line)));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

template <typename T>
std::optional<T> value_or_null(const Json& row, const char* key) {
  if (!row.contains(key) || row[key].is_null()) return std::nullopt;
  return row[key].get<T>();
}

Outcome outcome_from(const std::string& name) {
  for (const Outcome outcome : {Outcome::ok, Outcome::rate_limited, Outcome::crashed, Outcome::hung,
                                Outcome::not_installed, Outcome::leaked, Outcome::interrupted}) {
    if (name == name_of(outcome)) return outcome;
  }
  return Outcome::failed;
}

StartRow start_of(const Json& row) {
  StartRow start;
  start.start = row.at("start");
  start.round = row.at("round");
  start.arm = row.at("arm");
  start.outcome = outcome_from(row.at("outcome"));
  start.reason = value_or_null<std::string>(row, "reason");
  start.ready_ns = value_or_null<std::int64_t>(row, "ready_ns");
  return start;
}

class Reader {
 public:
  Reader(fs::path folder, CutRun& cut) : folder_(std::move(folder)), cut_(cut) {}

  Result<void> read() {
    for (auto part : {&Reader::read_rounds, &Reader::read_starts, &Reader::read_requests,
                      &Reader::read_receipts, &Reader::read_workload}) {
      if (auto done = (this->*part)(); !done) return done;
    }
    return {};
  }

 private:
  Result<void> read_rounds() {
    const auto planned = rounds_of(cut_.plan);
    RunPoint& point = cut_.point;
    bool fits = true;
    auto read = for_each_row(folder_ / "rounds.jsonl.zst", [&](const Json& row) {
      const int round = row.at("round");
      const auto at = static_cast<std::size_t>(point.rounds_done);
      fits = fits && at < planned.size() && row.at("order") == Json(planned[at].order) &&
             row.at("design") == name_of(planned[at].design);
      point.last_round = std::max(point.last_round, round);
      if (row.at("discarded").is_null()) {
        counted_.insert(round);
        next_planned();
        return;
      }
      point.attempts = row.at("attempt");
      point.replaces = round;
      if (point.attempts < most_attempts) return;
      point.missed.push_back(missed_reason(round, row.at("discarded").get<std::string>()));
      next_planned();
    });
    if (read && !fits) {
      return fail(damaged(folder_ / "rounds.jsonl.zst", "its rounds are not the plan's"));
    }
    return read;
  }

  void next_planned() {
    ++cut_.point.rounds_done;
    cut_.point.attempts = 0;
    cut_.point.replaces.reset();
  }

  Result<void> read_starts() {
    return for_each_row(folder_ / "starts.jsonl.zst", [&](const Json& row) {
      StartRow start = start_of(row);
      seen(start.start, start.round);
      if (counted_.contains(start.round)) cut_.point.starts.push_back(std::move(start));
    });
  }

  Result<void> read_requests() {
    RunPoint& point = cut_.point;
    return for_each_row(folder_ / "requests.jsonl.zst", [&](const Json& row) {
      const int round = row.at("round");
      seen(row.at("start"), round);
      point.last_request = std::max(point.last_request, row.at("request").get<std::int64_t>());
      if (row.at("phase") == name_of(Phase::warmup)) {
        ++point.totals.warmups;
        return;
      }
      ++point.totals.measured;
      if (row.at("status") == 200 && row.at("reply_correct").get<bool>()) return;
      ++point.totals.failed_measured;
      point.failed_measured += counted_.contains(round) ? 1 : 0;
    });
  }

  Result<void> read_receipts() {
    return for_each_row(folder_ / "upstream.jsonl.zst", [&](const Json& row) {
      if (const auto start = value_or_null<int>(row, "start")) seen(*start, 0);
      cut_.last_upstream_request =
          std::max(cut_.last_upstream_request, row.at("upstream_request").get<std::int64_t>());
    });
  }

  Result<void> read_workload() {
    return for_each_row(folder_ / "workload.jsonl.zst",
                        [&](const Json&) { cut_.point.workload_kept = true; });
  }

  void seen(int start, int round) {
    cut_.point.last_start = std::max(cut_.point.last_start, start);
    cut_.point.last_round = std::max(cut_.point.last_round, round);
  }

  fs::path folder_;
  CutRun& cut_;
  std::set<int> counted_;  // whole rounds that were not discarded
};

// What is left in the folder was last written then.
std::int64_t last_write_ns(const fs::path& folder) {
  std::int64_t last_ns = 0;
  for (const char* name :
       {"run.json", "events.jsonl", "requests.jsonl.zst", "starts.jsonl.zst", "rounds.jsonl.zst"}) {
    struct stat facts{};
    if (::stat((folder / name).c_str(), &facts) != 0) continue;
    last_ns = std::max(last_ns,
                       std::int64_t{facts.st_mtim.tv_sec} * 1'000'000'000 + facts.st_mtim.tv_nsec);
  }
  return last_ns;
}

}  // namespace

Result<CutRun> read_cut_run(const fs::path& folder, std::int64_t now_ns) {
  const auto file = folder / "run.json";
  const auto text = read_file(file);
  if (!text) {
    return fail(Error::usage(folder.string() + ": no run is there: it has no run.json",
                             "name the folder that tare run was given"));
  }
  const Json run = Json::parse(*text, nullptr, false);
  if (!run.is_object() || !run.contains("plan") || !run.contains("arms") ||
      !run.contains("started_at") || !run["started_at"].is_string()) {
    return fail(damaged(file, "it is no document of a run"));
  }
  if (run.value("schema", "") != "tare-run/2") {
    return fail(Error::usage(folder.string() + ": an older version made it: it cannot go on",
                             "run the plan anew"));
  }
  if (run.value("state", "") == "complete") {
    return fail(Error::usage(folder.string() + ": this run is complete", "see: tare report"));
  }
  const auto plan = parse_plan(run["plan"].dump(), file.string());
  if (!plan) return fail(plan.error());
  if (sha256_hex(to_json(*plan)) != run.value("plan_sha256", "")) {
    return fail(damaged(file, "its plan is not the one that its plan_sha256 is of"));
  }
  CutRun cut;
  cut.plan = *plan;
  cut.started_at = run["started_at"];
  cut.arms_json = run["arms"].dump();
  if (auto read = Reader(folder, cut).read(); !read) return fail(read.error());
  const auto gap_ns = std::max<std::int64_t>(now_ns - last_write_ns(folder), 0);
  cut.point.gap = fmt::format(
      "nothing was measured for {:.1f} s; goes on behind {} of {} planned rounds",
      static_cast<double>(gap_ns) / 1e9, cut.point.rounds_done, rounds_of(*plan).size());
  return cut;
}

Result<void> check_same_arms(const CutRun& cut, const std::vector<ArmRecord>& arms) {
  const auto text = arms_json(arms);
  if (!text) return fail(text.error());
  const Json now = Json::parse(*text);
  const Json then = Json::parse(cut.arms_json);
  for (std::size_t i = 0; i < std::max(now.size(), then.size()); ++i) {
    if (i < now.size() && i < then.size() && now[i] == then[i]) continue;
    const auto& known = i < then.size() ? then[i] : now[i];
    return fail(Error::usage(
        fmt::format("arm {}: it is not what it was when the run began", known.value("name", "?")),
        "install what the run began with, or run the plan anew"));
  }
  return {};
}

}  // namespace tare::harness
