#include "analysis/figures.h"

namespace tare::analysis {

std::string_view name_of(Unit unit) {
  switch (unit) {
    case Unit::count:
      return "count";
    case Unit::milliseconds:
      return "ms";
    case Unit::bytes:
      return "bytes";
    case Unit::tokens:
      return "tokens (o200k_base)";
    case Unit::estimated_tokens:
      return "tokens (estimate)";
    case Unit::share:
      return "share";
  }
  return "";
}

const Figure& Figures::at(const Metric& metric) const {
  static const Figure none;
  for (const auto& figure : all_) {
    if (figure.metric == &metric) return figure;
  }
  return none;
}

namespace metrics {

constexpr std::string_view requests_file = "requests.jsonl.zst";
constexpr std::string_view groups_file = "groups.jsonl.zst";
constexpr std::string_view starts_file = "starts.jsonl.zst";

const Metric requests{"requests", "n", Unit::count, requests_file, "count of rows"};
const Metric failures{"failures", "failed", Unit::count, requests_file,
                      "count of rows whose status is not 200 or whose reply is not correct"};
const Metric mean_latency{"mean_ms", "mean", Unit::milliseconds, requests_file,
                          "mean of (last_byte_ns - sent_ns) / 1e6 over the rows that did not fail"};
const Metric median_latency{
    "median_ms", "median", Unit::milliseconds, requests_file,
    "median of (last_byte_ns - sent_ns) / 1e6 over the rows that did not fail"};
const Metric p90_latency{
    "p90_ms", "p90", Unit::milliseconds, requests_file,
    "type 7 quantile 0.9 of (last_byte_ns - sent_ns) / 1e6 over the rows that did not fail; only "
    "of 100 or more"};
const Metric p95_latency{
    "p95_ms", "p95", Unit::milliseconds, requests_file,
    "type 7 quantile 0.95 of (last_byte_ns - sent_ns) / 1e6 over the rows that did not fail; only "
    "of 200 or more"};
const Metric added_mean{"added_mean_ms", "added mean", Unit::milliseconds, requests_file,
                        "mean over rounds of (mean_ms - mean_ms of direct in the same round)"};
const Metric added_median{
    "added_median_ms", "added median", Unit::milliseconds, requests_file,
    "mean over rounds of (median_ms - median_ms of direct in the same round)"};
const Metric cpu{"cpu_ms_per_request", "CPU a request", Unit::milliseconds, groups_file,
                 "sum of cpu_us / sum of requests / 1e3"};
const Metric sent_bytes{"mean_sent_bytes", "sent bytes", Unit::bytes, requests_file,
                        "mean of sent_bytes"};
const Metric forwarded_bytes{"mean_forwarded_bytes", "forwarded bytes", Unit::bytes, requests_file,
                             "mean of received_bytes over the rows that have it"};
const Metric sent_tokens{"mean_sent_tokens", "sent tokens", Unit::tokens, requests_file,
                         "mean of the sums of output_tokens in tokens.jsonl of sent_sha256"};
const Metric forwarded_tokens{
    "mean_forwarded_tokens", "forwarded tokens", Unit::tokens, requests_file,
    "mean of the sums of output_tokens in tokens.jsonl of received_sha256"};
const Metric estimated_sent_tokens{"mean_sent_tokens_estimate", "sent tokens",
                                   Unit::estimated_tokens, requests_file,
                                   "mean estimate of the tool outputs in bodies/ of sent_sha256"};
const Metric estimated_forwarded_tokens{
    "mean_forwarded_tokens_estimate", "forwarded tokens", Unit::estimated_tokens, requests_file,
    "mean estimate of the tool outputs in bodies/ of received_sha256"};
const Metric anon_end{"anon_end_bytes", "anonymous, end", Unit::bytes, groups_file,
                      "mean of anon_end_bytes"};
const Metric anon_largest{"anon_largest_bytes", "anonymous, largest", Unit::bytes, groups_file,
                          "largest of anon_begin_bytes and anon_end_bytes"};
const Metric private_largest{"private_largest_bytes", "private", Unit::bytes, groups_file,
                             "largest of private_begin_bytes and private_end_bytes"};
const Metric harness_cpu{"harness_cpu_ms_per_request", "client's CPU", Unit::milliseconds,
                         groups_file, "sum of harness_cpu_us / sum of requests / 1e3"};
const Metric upstream_cpu{"upstream_cpu_ms_per_request", "upstream's CPU", Unit::milliseconds,
                          groups_file, "sum of upstream_cpu_us / sum of requests / 1e3"};

const Metric ready{"ready_ms", "ready after", Unit::milliseconds, starts_file,
                   "mean of (ready_ns - began_ns) / 1e6"};
const Metric first_request{
    "first_request_ms", "first request", Unit::milliseconds, requests_file,
    "mean over starts of (last_byte_ns - sent_ns) / 1e6 of each start's first request"};
const Metric cpu_at_ready{"cpu_at_ready_ms", "CPU at ready", Unit::milliseconds, starts_file,
                          "mean of cpu_at_ready_us / 1e3"};
const Metric anon_at_ready{"anon_at_ready_bytes", "anonymous at ready", Unit::bytes, starts_file,
                           "mean of anon_at_ready_bytes"};
const Metric peak{"peak_bytes", "peak", Unit::bytes, starts_file, "largest of peak_bytes"};
const Metric window_cpu{"window_cpu_ms_per_request", "CPU a request, in windows",
                        Unit::milliseconds, groups_file, "sum of cpu_us / sum of requests / 1e3"};
const Metric life_cpu{
    "life_cpu_ms_per_request", "CPU a request, ready to end", Unit::milliseconds, starts_file,
    "sum of (cpu_total_us - cpu_at_ready_us) / count of the starts' rows in requests.jsonl.zst "
    "(warm-ups too) / 1e3"};

}  // namespace metrics
}  // namespace tare::analysis
