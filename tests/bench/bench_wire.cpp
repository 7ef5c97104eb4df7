// What finding, decoding and splicing outputs costs, apart from compaction.
//
//   no_output/N      a body whose N bytes are one user text: the search alone
//   decode, encode   an output of log lines (few escapes) and of JSON (many)
//   rewrite          a body with one such output, its form a word
#include <benchmark/benchmark.h>

#include <string>

#include "proxy/wire/json_string.h"
#include "proxy/wire/rewrite.h"

namespace {

using namespace tare;

constexpr auto* target = "/v1/responses";

std::string log_lines(std::size_t bytes) {
  std::string text;
  for (int i = 0; text.size() < bytes; ++i) {
    text += "2026-09-15T12:00:00Z INFO env=production heartbeat healthy worker=worker-" +
            std::to_string(i % 7) + "\n";
  }
  return text;
}

std::string json_rows(std::size_t bytes) {
  std::string text;
  for (int i = 0; text.size() < bytes; ++i) {
    text += R"({"id":)" + std::to_string(i) + R"(,"name":"row","ok":true},)";
  }
  return text;
}

std::string body_of(const std::string& text) {
  return R"({"model":"m","input":[{"type":"function_call_output","call_id":"c","output":)" +
         wire::encode(text, wire::Spelling::shortest).value() + "}]}";
}

compact::Compacted keep(std::string_view) {
  return {};
}
compact::Compacted shorten(std::string_view) {
  return {"short", true};
}

void no_output(benchmark::State& state) {
  const auto body = R"({"input":[{"type":"message","content":")" +
                    std::string(static_cast<std::size_t>(state.range(0)), 'x') + "\"}]}";
  for (auto _ : state) benchmark::DoNotOptimize(wire::rewrite_with(target, body, keep));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(body.size()));
}
BENCHMARK(no_output)->Arg(20 << 10)->Arg(1 << 20)->Arg(10 << 20);

void decode(benchmark::State& state, const std::string& text) {
  const auto json = wire::encode(text, wire::Spelling::shortest).value();
  for (auto _ : state) benchmark::DoNotOptimize(wire::decode(json));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(json.size()));
}
BENCHMARK_CAPTURE(decode, log, log_lines(20 << 10));
BENCHMARK_CAPTURE(decode, json, json_rows(20 << 10));

void encode(benchmark::State& state, const std::string& text) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(wire::encode(text, wire::Spelling::shortest));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK_CAPTURE(encode, log, log_lines(1 << 10));
BENCHMARK_CAPTURE(encode, json, json_rows(1 << 10));

void rewrite(benchmark::State& state, const std::string& text) {
  const auto body = body_of(text);
  for (auto _ : state) benchmark::DoNotOptimize(wire::rewrite_with(target, body, shorten));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(body.size()));
}
BENCHMARK_CAPTURE(rewrite, log, log_lines(20 << 10));
BENCHMARK_CAPTURE(rewrite, json, json_rows(20 << 10));

}  // namespace

BENCHMARK_MAIN();
