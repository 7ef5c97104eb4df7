#include "proxy/server/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "common/version.h"

namespace tare::server {

namespace {

using Loops = std::span<const Metrics* const>;

std::size_t index_of(std::string_view format) {
  const auto* const found = std::find(Metrics::formats.begin(), Metrics::formats.end() - 1, format);
  return static_cast<std::size_t>(found - Metrics::formats.begin());
}

// The sum over all loops of what `pick` takes of each.
template <typename Pick>
std::uint64_t sum(Loops loops, Pick pick) {
  std::uint64_t total = 0;
  for (const Metrics* loop : loops) total += pick(*loop);
  return total;
}

std::uint64_t sum_of_format(Loops loops, std::size_t format, Counter FormatCounters::* counter) {
  return sum(loops, [&](const Metrics& loop) { return (loop.by_format[format].*counter).value(); });
}

double seconds(std::uint64_t ns) {
  return static_cast<double>(ns) / 1e9;
}

class Text {
 public:
  void family(std::string_view name, std::string_view type, std::string_view help) {
    add("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
  }

  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }

  void gauge(std::string_view name, std::string_view help, double value) {
    family(name, "gauge", help);
    add("{} {}\n", name, value);
  }

  void by_format(Loops loops, std::string_view name, std::string_view help,
                 Counter FormatCounters::* counter) {
    family(name, "counter", help);
    for (std::size_t i = 0; i < Metrics::formats.size(); ++i) {
      add("{}{{format=\"{}\"}} {}\n", name, Metrics::formats[i], sum_of_format(loops, i, counter));
    }
  }

  void histogram(Loops loops, std::string_view name, std::string_view help,
                 Histogram Metrics::* which) {
    family(name, "histogram", help);
    std::uint64_t below = 0;
    for (std::size_t i = 0; i <= Histogram::bounds_s.size(); ++i) {
      below += sum(loops, [&](const Metrics& loop) { return (loop.*which).counts[i].value(); });
      const bool bounded = i < Histogram::bounds_s.size();
      add("{}_bucket{{le=\"{}\"}} {}\n", name,
          bounded ? fmt::format("{}", Histogram::bounds_s[i]) : "+Inf", below);
    }
    add("{}_sum {}\n{}_count {}\n", name,
        seconds(sum(loops, [&](const Metrics& loop) { return (loop.*which).sum_ns.value(); })),
        name, below);
  }

  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

void add_requests(Text& text, Loops loops) {
  text.family("tare_requests_total", "counter",
              "Requests that have ended, by the response's class (none: no response).");
  for (std::size_t i = 0; i < Metrics::formats.size(); ++i) {
    for (std::size_t digit = 0; digit < 6; ++digit) {
      const auto count = sum(
          loops, [&](const Metrics& loop) { return loop.by_format[i].by_status[digit].value(); });
      if (count == 0 && digit != 2) continue;
      text.add("tare_requests_total{{format=\"{}\",code=\"{}\"}} {}\n", Metrics::formats[i],
               digit == 0 ? "none" : fmt::format("{}xx", digit), count);
    }
  }
  text.family("tare_request_failures_total", "counter",
              "Requests whose response was not passed on whole, by reason.");
  for (std::size_t i = 1; i < ending_count; ++i) {
    text.add("tare_request_failures_total{{reason=\"{}\"}} {}\n", name_of(static_cast<Ending>(i)),
             sum(loops, [&](const Metrics& loop) { return loop.by_ending[i].value(); }));
  }
}

void add_sizes(Text& text, Loops loops) {
  text.by_format(loops, "tare_request_body_received_bytes_total",
                 "Bytes of request bodies as clients sent them.",
                 &FormatCounters::body_received_bytes);
  text.by_format(loops, "tare_request_body_sent_bytes_total",
                 "Bytes of request bodies as the upstream got them.",
                 &FormatCounters::body_sent_bytes);
  text.by_format(loops, "tare_response_body_bytes_total", "Bytes of response bodies passed on.",
                 &FormatCounters::response_body_bytes);
  text.by_format(loops, "tare_tool_outputs_rewritten_total",
                 "Tool outputs that were sent in a smaller form.",
                 &FormatCounters::outputs_rewritten);
  text.by_format(loops, "tare_tool_outputs_unchanged_total",
                 "Tool outputs that were sent as they came.", &FormatCounters::outputs_unchanged);
  text.by_format(loops, "tare_tool_output_received_tokens_total",
                 "Estimated tokens of the rewritten tool outputs as they came.",
                 &FormatCounters::tokens_received);
  text.by_format(loops, "tare_tool_output_sent_tokens_total",
                 "Estimated tokens of the rewritten tool outputs as they were sent.",
                 &FormatCounters::tokens_sent);
}

std::uint64_t rewrites_given_up(Loops loops) {
  return sum(loops, [](const Metrics& loop) { return loop.rewrites_given_up.value(); });
}

std::uint64_t open_requests(Loops loops) {
  return sum(loops, [](const Metrics& loop) {
    return loop.open_requests.load(std::memory_order_relaxed);
  });
}

}  // namespace

void Histogram::observe(RequestRecord::Duration time) {
  const double time_s = std::chrono::duration<double>(time).count();
  const auto* const bucket = std::lower_bound(bounds_s.begin(), bounds_s.end(), time_s);
  counts[static_cast<std::size_t>(bucket - bounds_s.begin())].add(1);
  sum_ns.add(static_cast<std::uint64_t>(
      std::max<std::int64_t>(0, std::chrono::nanoseconds(time).count())));
}

void Metrics::count(const RequestRecord& record) {
  FormatCounters& format = by_format[index_of(record.format)];
  format.by_status[std::min(record.status / 100, 5U)].add(1);
  format.body_received_bytes.add(record.body_received_bytes);
  format.body_sent_bytes.add(record.body_sent_bytes);
  format.response_body_bytes.add(record.response_body_bytes);
  format.outputs_rewritten.add(record.outputs_rewritten);
  format.outputs_unchanged.add(record.outputs_found - record.outputs_rewritten);
  format.tokens_received.add(static_cast<std::uint64_t>(record.tokens_received));
  format.tokens_sent.add(static_cast<std::uint64_t>(record.tokens_sent));
  by_ending[static_cast<std::size_t>(record.ending)].add(1);
  total_time.observe(record.total_time);
  if (record.first_byte_time.count() > 0) first_byte_time.observe(record.first_byte_time);
  if (record.rewrite_time.count() > 0) rewrite_time.observe(record.rewrite_time);
}

std::string prometheus_text(Loops loops, const Gauges& gauges) {
  Text text;
  text.family("tare_build_info", "gauge", "The version that runs.");
  text.add("tare_build_info{{version=\"{}\"}} 1\n", version());
  add_requests(text, loops);
  add_sizes(text, loops);
  text.histogram(loops, "tare_request_duration_seconds",
                 "From a request's head to the end of its response.", &Metrics::total_time);
  text.histogram(loops, "tare_first_byte_duration_seconds",
                 "From a request's head to the head of its response.", &Metrics::first_byte_time);
  text.histogram(loops, "tare_rewrite_duration_seconds", "Spent on rewriting a request's body.",
                 &Metrics::rewrite_time);
  text.family("tare_rewrites_given_up_total", "counter",
              "Rewritings ended before they were done, their client having gone.");
  text.add("tare_rewrites_given_up_total {}\n", rewrites_given_up(loops));
  text.gauge("tare_open_requests", "Requests whose response has not ended.",
             static_cast<double>(open_requests(loops)));
  text.gauge("tare_open_connections", "Connections of clients.",
             static_cast<double>(gauges.open_connections));
  text.gauge("tare_held_bytes", "Bytes of request bodies held in memory.",
             static_cast<double>(gauges.held_bytes));
  text.gauge("tare_uptime_seconds", "Since the start.", gauges.uptime_s);
  return text.take();
}

std::string stats_json(Loops loops, const Gauges& gauges) {
  Text text;
  text.add(R"({{"version":"{}","uptime_s":{:.3f},"open_connections":{},"open_requests":{},)"
           R"("held_bytes":{},"rewrites_given_up":{},"endings":{{)",
           version(), gauges.uptime_s, gauges.open_connections, open_requests(loops),
           gauges.held_bytes, rewrites_given_up(loops));
  for (std::size_t i = 0; i < ending_count; ++i) {
    text.add("{}\"{}\":{}", i == 0 ? "" : ",", name_of(static_cast<Ending>(i)),
             sum(loops, [&](const Metrics& loop) { return loop.by_ending[i].value(); }));
  }
  text.add("}},\"formats\":{{");
  for (std::size_t i = 0; i < Metrics::formats.size(); ++i) {
    const auto of = [&](Counter FormatCounters::* counter) {
      return sum_of_format(loops, i, counter);
    };
    text.add(
        R"({}"{}":{{"body_received_bytes":{},"body_sent_bytes":{},"response_body_bytes":{},)"
        R"("outputs_rewritten":{},"outputs_unchanged":{},"output_tokens_received_estimate":{},)"
        R"("output_tokens_sent_estimate":{}}})",
        i == 0 ? "" : ",", Metrics::formats[i], of(&FormatCounters::body_received_bytes),
        of(&FormatCounters::body_sent_bytes), of(&FormatCounters::response_body_bytes),
        of(&FormatCounters::outputs_rewritten), of(&FormatCounters::outputs_unchanged),
        of(&FormatCounters::tokens_received), of(&FormatCounters::tokens_sent));
  }
  text.add("}}}}\n");
  return text.take();
}

}  // namespace tare::server
