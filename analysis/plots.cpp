#include "analysis/plots.h"

#include <algorithm>
#include <limits>
#include <map>

#include "analysis/statistics.h"

namespace tare::analysis {
namespace {

constexpr std::size_t curve_points = 101;
constexpr std::size_t stretches = 200;

struct Stretch {
  double cpu_sum = 0;
  double cpu_count = 0;
  std::optional<double> anon_bytes;
};

// Samples of counted starts; CPU is of the time since the start's sample before.
class Collector {
 public:
  Collector(const RawRun& run, const RunIndex& index) : run_(run) {
    for (const auto& start : run.starts) {
      if (index.counted(start)) arm_of_[start.start] = start.arm;
    }
    for (const auto& row : run.samples) {
      first_ns_ = std::min(first_ns_, row.time_ns);
      last_ns_ = std::max(last_ns_, row.time_ns);
    }
  }

  std::map<std::string, std::map<std::size_t, Stretch>> collect() {
    std::map<std::int64_t, const SampleRow*> before;
    for (const auto& row : run_.samples) {
      const auto arm = arm_of_.find(row.start);
      if (arm == arm_of_.end()) continue;
      add(stretches_[arm->second][place(row.time_ns)], row, before[row.start]);
      before[row.start] = &row;
    }
    return std::move(stretches_);
  }

  double seconds(std::size_t stretch) const {
    return (static_cast<double>(stretch) + 0.5) * span_s() / static_cast<double>(stretches);
  }

 private:
  double span_s() const { return static_cast<double>(last_ns_ - first_ns_) / 1e9; }

  std::size_t place(std::int64_t time_ns) const {
    if (last_ns_ == first_ns_) return 0;
    const double share =
        static_cast<double>(time_ns - first_ns_) / static_cast<double>(last_ns_ - first_ns_);
    return std::min(static_cast<std::size_t>(share * stretches), stretches - 1);
  }

  static void add(Stretch& stretch, const SampleRow& row, const SampleRow* before) {
    if (row.anon_bytes) {
      stretch.anon_bytes =
          std::max(stretch.anon_bytes.value_or(0), static_cast<double>(*row.anon_bytes));
    }
    if (before == nullptr || !row.cpu_us || !before->cpu_us || row.time_ns <= before->time_ns) {
      return;
    }
    stretch.cpu_sum += 1e3 * static_cast<double>(*row.cpu_us - *before->cpu_us);
    stretch.cpu_count += static_cast<double>(row.time_ns - before->time_ns);
  }

  const RawRun& run_;
  std::map<std::int64_t, std::string> arm_of_;
  std::map<std::string, std::map<std::size_t, Stretch>> stretches_;
  std::int64_t first_ns_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_ns_ = std::numeric_limits<std::int64_t>::min();
};

}  // namespace

std::vector<Curve> latency_curves(const RawRun& run, const RunIndex& index, Design design) {
  std::vector<Curve> curves;
  for (const auto& [task, mode] : run.info.plan.groups) {
    for (const auto& arm : run.info.arms) {
      std::vector<double> all;
      for (const RequestRow* row : index.rows(design, arm.name, task, mode).requests) {
        if (const auto ms = row->latency_ms(); ms && row->measured) all.push_back(*ms);
      }
      if (all.empty()) continue;
      std::sort(all.begin(), all.end());
      Curve curve{arm.name, task, mode, all.size(), {}};
      for (std::size_t i = 0; i < curve_points; ++i) {
        curve.ms.push_back(all[(all.size() - 1) * i / (curve_points - 1)]);
      }
      curves.push_back(std::move(curve));
    }
  }
  return curves;
}

std::vector<TimeSeries> time_series(const RawRun& run, const RunIndex& index) {
  Collector collector(run, index);
  const auto collected = collector.collect();
  std::vector<TimeSeries> all;
  for (const auto& arm : run.info.arms) {
    const auto of_arm = collected.find(arm.name);
    if (of_arm == collected.end()) continue;
    TimeSeries series{arm.name, {}};
    for (const auto& [place, stretch] : of_arm->second) {
      const auto cpus = ratio(stretch.cpu_sum, stretch.cpu_count);
      if (!cpus && !stretch.anon_bytes) continue;
      series.points.push_back({collector.seconds(place), cpus, stretch.anon_bytes});
    }
    if (!series.points.empty()) all.push_back(std::move(series));
  }
  return all;
}

}  // namespace tare::analysis
