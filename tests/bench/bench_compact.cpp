// compact and expand by class of text (0 logs, 1 json, 2 code) and size, beside what else could be
// done with the same bytes:
//   compact, expand   the form and back (compact includes its own check, which is an expand)
//   memcpy            what merely moving the text costs
//   zstd_3            a general compressor at its usual level
//   simdjson_parse    (json only) a parse of the text by the fastest parser we know
// bytes_per_second is of the original text; `kept` is the form's share of its bytes.
#include <benchmark/benchmark.h>
#include <simdjson.h>
#include <zstd.h>

#include <cstring>
#include <string>
#include <vector>

#include "proxy/compact/compact.h"
#include "tests/support/published_texts.h"

namespace {

constexpr std::int64_t json_task = 1;

std::string text_of(const benchmark::State& state) {
  const auto task = tare::test::published_tasks[static_cast<std::size_t>(state.range(0))];
  return tare::test::published_like(task, static_cast<std::size_t>(state.range(1)));
}

void finish(benchmark::State& state, std::size_t text_bytes) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text_bytes));
}

void compact(benchmark::State& state) {
  const std::string text = text_of(state);
  std::size_t form_bytes = 0;
  for (auto _ : state) {
    const auto made = tare::compact::compact(text);
    form_bytes = made.text.size();
    benchmark::DoNotOptimize(form_bytes);
  }
  state.counters["kept"] = static_cast<double>(form_bytes) / static_cast<double>(text.size());
  finish(state, text.size());
}

void expand(benchmark::State& state) {
  const std::string text = text_of(state);
  const auto made = tare::compact::compact(text);
  for (auto _ : state) benchmark::DoNotOptimize(tare::compact::expand(made.text).has_value());
  finish(state, text.size());
}

void copy(benchmark::State& state) {
  const std::string text = text_of(state);
  std::vector<char> to(text.size());
  for (auto _ : state) {
    std::memcpy(to.data(), text.data(), text.size());
    benchmark::ClobberMemory();
  }
  finish(state, text.size());
}

void zstd_3(benchmark::State& state) {
  const std::string text = text_of(state);
  std::vector<char> to(ZSTD_compressBound(text.size()));
  for (auto _ : state) {
    benchmark::DoNotOptimize(ZSTD_compress(to.data(), to.size(), text.data(), text.size(), 3));
  }
  finish(state, text.size());
}

void simdjson_parse(benchmark::State& state) {
  const simdjson::padded_string text(text_of(state));
  simdjson::dom::parser parser;
  for (auto _ : state) benchmark::DoNotOptimize(parser.parse(text).error());
  finish(state, text.size());
}

void by_class_and_size(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"class", "bytes"});
  for (std::int64_t task = 0; task < 3; ++task) {
    for (const std::int64_t bytes : {1 << 10, 16 << 10, 128 << 10, 1 << 20})
      bench->Args({task, bytes});
  }
}

void json_by_size(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"class", "bytes"});
  for (const std::int64_t bytes : {1 << 10, 16 << 10, 128 << 10, 1 << 20})
    bench->Args({json_task, bytes});
}

}  // namespace

BENCHMARK(compact)->Apply(by_class_and_size);
BENCHMARK(expand)->Apply(by_class_and_size);
BENCHMARK(copy)->Name("memcpy")->Apply(by_class_and_size);
BENCHMARK(zstd_3)->Apply(by_class_and_size);
BENCHMARK(simdjson_parse)->Apply(json_by_size);

BENCHMARK_MAIN();
