#include "analysis/cell.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "analysis/statistics.h"

namespace tare::analysis {
namespace {

std::string too_few(std::size_t n, double p) {
  return fmt::format("needs {} values, has {}", needed_for_tail(p), n);
}

void add_latency(const std::vector<const RequestRow*>& requests, Figures& figures) {
  Series all;
  Series failed;
  Series latency;
  for (const RequestRow* row : requests) {
    all.add(1, row->line);
    if (row->failed()) failed.add(1, row->line);
    if (const auto latency_ms = row->latency_ms()) latency.add(*latency_ms, row->line);
  }
  const auto& ms = latency.values();
  figures.add(all.figure(metrics::requests, static_cast<double>(all.values().size())));
  figures.add(failed.figure(metrics::failures, static_cast<double>(failed.values().size())));
  figures.add(latency.figure(metrics::mean_latency, mean(ms)));
  auto sorted = ms;  // once, for all quantiles
  std::sort(sorted.begin(), sorted.end());
  figures.add(latency.figure(metrics::median_latency, median(sorted)));
  figures.add(
      latency.figure(metrics::p90_latency, tail_quantile(sorted, 0.9), too_few(ms.size(), 0.9)));
  figures.add(
      latency.figure(metrics::p95_latency, tail_quantile(sorted, 0.95), too_few(ms.size(), 0.95)));
}

void add_sizes(const std::vector<const RequestRow*>& requests, Bodies& bodies, Figures& figures) {
  Series sent;
  Series forwarded;
  Series sent_tokens;
  Series forwarded_tokens;
  // A run keeps each SHA-256 once, so the place of its text stands for it.
  std::unordered_map<const char*, std::optional<double>> found;
  const auto tokens_of = [&](std::string_view sha256) {
    const auto [at, first] = found.try_emplace(sha256.data());
    if (first) at->second = bodies.output_tokens(sha256);
    return at->second;
  };
  for (const RequestRow* row : requests) {
    sent.add(static_cast<double>(row->sent_bytes), row->line);
    forwarded.add(row->received_bytes, row->line);
    if (const auto tokens = tokens_of(row->sent_sha256)) sent_tokens.add(*tokens, row->line);
    if (!row->received_sha256) continue;
    if (const auto tokens = tokens_of(*row->received_sha256)) {
      forwarded_tokens.add(*tokens, row->line);
    }
  }
  figures.add(sent.figure(metrics::sent_bytes, mean(sent.values())));
  figures.add(forwarded.figure(metrics::forwarded_bytes, mean(forwarded.values())));
  const std::string no_body = "no body is stored";
  figures.add(
      sent_tokens.figure(bodies.counted() ? metrics::sent_tokens : metrics::estimated_sent_tokens,
                         mean(sent_tokens.values()), no_body));
  figures.add(forwarded_tokens.figure(
      bodies.counted() ? metrics::forwarded_tokens : metrics::estimated_forwarded_tokens,
      mean(forwarded_tokens.values()), no_body));
}

void add_memory(const std::vector<const GroupRow*>& groups, Figures& figures) {
  Series end;
  Series snapshots;
  Series private_memory;
  for (const GroupRow* row : groups) {
    end.add(row->anon_end_bytes, row->line);
    snapshots.add(row->anon_begin_bytes, row->line);
    snapshots.add(row->anon_end_bytes, row->line);
    private_memory.add(row->private_begin_bytes, row->line);
    private_memory.add(row->private_end_bytes, row->line);
  }
  figures.add(end.figure(metrics::anon_end, mean(end.values())));
  figures.add(snapshots.figure(metrics::anon_largest, largest(snapshots.values())));
  figures.add(private_memory.figure(metrics::private_largest, largest(private_memory.values())));
}

}  // namespace

void Series::add(double value, std::size_t line) {
  values_.push_back(value);
  lines_.add(line);
}

void Series::add(std::optional<std::int64_t> value, std::size_t line) {
  if (value) add(static_cast<double>(*value), line);
}

Figure Series::figure(const Metric& metric, std::optional<double> value,
                      std::string absent_because) const {
  Figure figure{&metric, value, values_.size(), lines_, ""};
  if (!value) figure.absent_because = std::move(absent_because);
  return figure;
}

Figure cpu_per_request(const Metric& metric, const std::vector<const GroupRow*>& rows,
                       std::optional<std::int64_t> GroupRow::* field) {
  Series series;
  std::int64_t sum_us = 0;
  std::int64_t requests = 0;
  for (const GroupRow* row : rows) {
    const auto cpu_us = row->*field;
    if (!cpu_us) continue;
    series.add(0, row->line);
    sum_us += *cpu_us;
    requests += row->requests;
  }
  Figure figure = series.figure(
      metric, ratio(static_cast<double>(sum_us) / 1e3, static_cast<double>(requests)));
  figure.n = static_cast<std::size_t>(std::max<std::int64_t>(requests, 0));
  return figure;
}

Figures cell_figures(const CellRows& rows, Bodies& bodies) {
  Figures figures;
  add_latency(rows.requests, figures);
  figures.add(cpu_per_request(metrics::cpu, rows.groups, &GroupRow::cpu_us));
  add_sizes(rows.requests, bodies, figures);
  add_memory(rows.groups, figures);
  figures.add(cpu_per_request(metrics::harness_cpu, rows.groups, &GroupRow::harness_cpu_us));
  figures.add(cpu_per_request(metrics::upstream_cpu, rows.groups, &GroupRow::upstream_cpu_us));
  return figures;
}

}  // namespace tare::analysis
