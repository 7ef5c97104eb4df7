#include "analysis/start_figures.h"

#include "analysis/cell.h"
#include "analysis/statistics.h"

namespace tare::analysis {
namespace {

std::optional<double> in_ms(std::optional<std::int64_t> us) {
  if (!us) return std::nullopt;
  return static_cast<double>(*us) / 1e3;
}

void add_life(const StartRow& start, Series& ready, Series& cpu_at_ready, Series& anon_at_ready,
              Series& peak) {
  if (start.has_process && start.began_ns && start.ready_ns) {
    ready.add(static_cast<double>(*start.ready_ns - *start.began_ns) / 1e6, start.line);
  }
  if (const auto ms = in_ms(start.cpu_at_ready_us)) cpu_at_ready.add(*ms, start.line);
  anon_at_ready.add(start.anon_at_ready_bytes, start.line);
  peak.add(start.peak_bytes, start.line);
}

Figure first_request(const RunIndex& index, const std::vector<const StartRow*>& starts) {
  Series series;
  for (const StartRow* start : starts) {
    const RequestRow* row = index.requests_of(start->start).first;
    if (row == nullptr) continue;
    if (const auto latency_ms = row->latency_ms()) series.add(*latency_ms, row->line);
  }
  return series.figure(metrics::first_request, mean(series.values()));
}

Figure life_cpu(const RunIndex& index, const std::vector<const StartRow*>& starts) {
  Series series;
  double sum_ms = 0;
  std::size_t sum_requests = 0;
  for (const StartRow* start : starts) {
    if (!start->cpu_total_us || !start->cpu_at_ready_us) continue;
    series.add(0, start->line);
    sum_ms += static_cast<double>(*start->cpu_total_us - *start->cpu_at_ready_us) / 1e3;
    sum_requests += index.requests_of(start->start).count;
  }
  Figure figure =
      series.figure(metrics::life_cpu, ratio(sum_ms, static_cast<double>(sum_requests)));
  figure.n = sum_requests;
  return figure;
}

}  // namespace

Figures start_figures(const RunIndex& index, const std::vector<const StartRow*>& starts) {
  Series ready;
  Series cpu_at_ready;
  Series anon_at_ready;
  Series peak;
  std::vector<const GroupRow*> windows;
  for (const StartRow* start : starts) {
    add_life(*start, ready, cpu_at_ready, anon_at_ready, peak);
    const auto& of_start = index.windows_of(start->start);
    windows.insert(windows.end(), of_start.begin(), of_start.end());
  }
  Figures figures;
  figures.add(ready.figure(metrics::ready, mean(ready.values())));
  figures.add(first_request(index, starts));
  figures.add(cpu_at_ready.figure(metrics::cpu_at_ready, mean(cpu_at_ready.values())));
  figures.add(anon_at_ready.figure(metrics::anon_at_ready, mean(anon_at_ready.values())));
  figures.add(peak.figure(metrics::peak, largest(peak.values())));
  figures.add(cpu_per_request(metrics::window_cpu, windows, &GroupRow::cpu_us));
  figures.add(life_cpu(index, starts));
  figures.add(cpu_per_request(metrics::harness_cpu, windows, &GroupRow::harness_cpu_us));
  figures.add(cpu_per_request(metrics::upstream_cpu, windows, &GroupRow::upstream_cpu_us));
  return figures;
}

}  // namespace tare::analysis
