// Counters of one event loop, and their sum as Prometheus text and as JSON.
//
// Written by the loop's thread only, read by any: a reading may see one request half counted, never
// a torn number.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <string>

#include "proxy/server/request_record.h"

namespace tare::server {

class Counter {
 public:
  void add(std::uint64_t count) {
    value_.store(value_.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
  }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_ = 0;
};

class Histogram {
 public:
  // Upper bounds of the buckets; one more has no bound.
  static constexpr std::array<double, 16> bounds_s = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005,
                                                      0.01,   0.025,   0.05,   0.1,   0.25,   1,
                                                      5,      30,      120,    600};

  void observe(RequestRecord::Duration time);

  std::array<Counter, bounds_s.size() + 1> counts;
  Counter sum_ns;
};

struct FormatCounters {
  std::array<Counter, 6> by_status;  // by the first digit; 0: no response
  Counter body_received_bytes, body_sent_bytes, response_body_bytes;
  Counter outputs_rewritten, outputs_unchanged;
  Counter tokens_received, tokens_sent;
};

class Metrics {
 public:
  static constexpr std::array<std::string_view, 4> formats = {"responses", "chat", "messages",
                                                              "other"};

  void count(const RequestRecord& record);

  std::array<FormatCounters, formats.size()> by_format;
  std::array<Counter, ending_count> by_ending;
  Counter rewrites_given_up;
  Histogram total_time, first_byte_time, rewrite_time;
  std::atomic<std::uint64_t> open_requests = 0;
};

// What is now, beside what has been counted.
struct Gauges {
  std::uint64_t open_connections = 0;
  std::uint64_t held_bytes = 0;
  double uptime_s = 0;
};

// The text format of Prometheus, version 0.0.4.
std::string prometheus_text(std::span<const Metrics* const> loops, const Gauges& gauges);

// One JSON object: requests, failures, sizes and savings by format.
std::string stats_json(std::span<const Metrics* const> loops, const Gauges& gauges);

}  // namespace tare::server
