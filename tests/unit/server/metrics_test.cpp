#include "proxy/server/metrics.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "proxy/server/ledger.h"
#include "proxy/server/log.h"

using namespace std::chrono_literals;
using namespace tare::server;
using Catch::Matchers::Contains;

namespace {

RequestRecord record() {
  RequestRecord made;
  made.format = "responses";
  made.rewriting = Rewriting::done;
  made.status = 200;
  made.body_received_bytes = 1000;
  made.body_sent_bytes = 300;
  made.response_body_bytes = 50;
  made.outputs_found = 3;
  made.outputs_rewritten = 2;
  made.tokens_received = 250;
  made.tokens_sent = 80;
  made.rewrite_time = 120us;
  made.first_byte_time = 30ms;
  made.total_time = 2s;
  return made;
}

std::string text_of(const Metrics& metrics) {
  const Metrics* const loops[] = {&metrics};
  return prometheus_text(loops, {3, 4096, 1.5});
}

}  // namespace

TEST_CASE("what was counted is the sum over all event loops") {
  Metrics first;
  Metrics second;
  first.count(record());
  second.count(record());
  RequestRecord failed;
  failed.status = 502;
  failed.ending = Ending::upstream_unreachable;
  second.count(failed);
  const Metrics* const loops[] = {&first, &second};
  const auto text = prometheus_text(loops, {3, 4096, 1.5});
  for (const auto* line : {"tare_requests_total{format=\"responses\",code=\"2xx\"} 2\n",
                           "tare_requests_total{format=\"other\",code=\"5xx\"} 1\n",
                           "tare_request_failures_total{reason=\"upstream_unreachable\"} 1\n",
                           "tare_request_body_received_bytes_total{format=\"responses\"} 2000\n",
                           "tare_request_body_sent_bytes_total{format=\"responses\"} 600\n",
                           "tare_response_body_bytes_total{format=\"responses\"} 100\n",
                           "tare_tool_outputs_rewritten_total{format=\"responses\"} 4\n",
                           "tare_tool_outputs_unchanged_total{format=\"responses\"} 2\n",
                           "tare_tool_output_received_tokens_total{format=\"responses\"} 500\n",
                           "tare_tool_output_sent_tokens_total{format=\"responses\"} 160\n",
                           "tare_first_byte_duration_seconds_bucket{le=\"0.025\"} 0\n",
                           "tare_first_byte_duration_seconds_bucket{le=\"0.05\"} 2\n",
                           "tare_request_duration_seconds_bucket{le=\"+Inf\"} 3\n",
                           "tare_request_duration_seconds_sum 4\n", "tare_open_connections 3\n",
                           "tare_held_bytes 4096\n", "tare_rewrites_given_up_total 0\n",
                           "tare_uptime_seconds 1.5\n"}) {
    CHECK_THAT(text, Contains(line));
  }
}

TEST_CASE("the text follows the exposition format and the naming guidelines") {
  Metrics metrics;
  metrics.count(record());
  std::istringstream lines(text_of(metrics));
  std::map<std::string, std::string> types;
  std::set<std::string> series;
  std::string line;
  while (std::getline(lines, line)) {
    if (line.starts_with("# HELP ")) continue;
    if (line.starts_with("# TYPE ")) {
      const auto space = line.find(' ', 7);
      const auto [type, is_new] = types.emplace(line.substr(7, space - 7), line.substr(space + 1));
      CHECK(is_new);
      if (type->second == "counter") CHECK(type->first.ends_with("_total"));
      continue;
    }
    CAPTURE(line);
    CHECK(series.insert(line.substr(0, line.rfind(' '))).second);
    auto name = line.substr(0, line.find_first_of("{ "));
    CHECK(name.starts_with("tare_"));
    for (const auto* suffix : {"_bucket", "_sum", "_count"}) {
      const auto base = name.substr(0, name.size() - std::string(suffix).size());
      if (name.ends_with(suffix) && types.contains(base)) name = base;
    }
    CHECK(types.contains(name));
  }
}

TEST_CASE("the buckets of a histogram grow, and the last holds all") {
  Histogram histogram;
  for (const RequestRecord::Duration time :
       std::initializer_list<RequestRecord::Duration>{0ns, 100us, 101us, 5s, 600s, 3600s}) {
    histogram.observe(time);
  }
  CHECK(histogram.counts.front().value() == 2);
  CHECK(histogram.counts[1].value() == 1);
  CHECK(histogram.counts.back().value() == 1);
  std::uint64_t all = 0;
  for (const auto& count : histogram.counts) all += count.value();
  CHECK(all == 6);
}

TEST_CASE("a line of the ledger holds sizes, times and how it ended") {
  CHECK(ledger_line(record(), 1700000000123) ==
        R"({"ended_ms":1700000000123,"format":"responses","ending":"answered","status":200,)"
        R"("rewriting":"done","body_received_bytes":1000,"body_sent_bytes":300,"outputs_found":3,)"
        R"("outputs_rewritten":2,"output_tokens_received_estimate":250,)"
        R"("output_tokens_sent_estimate":80,"response_body_bytes":50,"rewrite_us":120,)"
        R"("first_byte_us":30000,"total_us":2000000})"
        "\n");
}

TEST_CASE("a line of the log is one line in either format") {
  CHECK(log_line(LogFormat::logfmt, LogLevel::error, "a \"b\"\nc", 1700000000123) ==
        "time=2023-11-14T22:13:20.123Z level=error msg=\"a \\\"b\\\" c\"\n");
  CHECK(log_line(LogFormat::json, LogLevel::info, "ready", 5) ==
        "{\"time\":\"1970-01-01T00:00:00.005Z\",\"level\":\"info\",\"msg\":\"ready\"}\n");
}
