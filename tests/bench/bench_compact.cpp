// compact and expand by class of text and size, beside what else could be done with the same bytes:
//   compact, expand   the form and back (compact includes its own check, which is an expand)
//   cold              compact as a server has it: other work has the caches between two outputs;
//   only
//                     the compaction is timed
//   memcpy            what merely moving the text costs
//   zstd_1, zstd_3    a general compressor, fast and at its usual level
//   simdjson_parse    (json classes only) a parse of the text by the fastest parser we know
// bytes_per_second is of the original text; `kept` is the form's share of its bytes, `heap` the
// peak of the heap in bytes for each byte of the text, what is returned included.
#include <benchmark/benchmark.h>
#include <simdjson.h>
#include <time.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "proxy/compact/compact.h"
#include "tests/bench/by_class.h"
#include "tests/support/heap.h"

namespace {

using namespace tare::bench;
using tare::test::SizedClass;

constexpr std::size_t max_cold_bytes = 100'000;

void compact(benchmark::State& state, const std::string& text) {
  for (auto _ : state) benchmark::DoNotOptimize(tare::compact::compact(text).changed);
  tare::compact::Compacted made;
  const auto work = [&] { made = tare::compact::compact(text); };
  state.counters["heap"] = share(tare::test::peak_heap_bytes(work), text.size());
  state.counters["kept"] = share(made.text.size(), text.size());
  finish(state, text.size());
}

// More than the caches of a core hold; each line is written, as by other work.
void evict_caches() {
  static std::vector<char> other(std::size_t{64} << 20);
  for (std::size_t i = 0; i < other.size(); i += 64) ++other[i];
  benchmark::ClobberMemory();
}

// What this thread has had of a processor: other programs count less in it than in the time passed.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void cold(benchmark::State& state, const std::string& text) {
  for (auto _ : state) {
    evict_caches();
    const double begin = cpu_seconds();
    const auto made = tare::compact::compact(text);
    const double end = cpu_seconds();
    benchmark::DoNotOptimize(made.changed);
    state.SetIterationTime(end - begin);
  }
  finish(state, text.size());
}

void expand(benchmark::State& state, const std::string& text) {
  const auto made = tare::compact::compact(text);
  if (!made.changed) return state.SkipWithError("the text is not worth a form");
  for (auto _ : state) benchmark::DoNotOptimize(tare::compact::expand(made.text).has_value());
  const auto work = [&] { benchmark::DoNotOptimize(tare::compact::expand(made.text).has_value()); };
  state.counters["heap"] = share(tare::test::peak_heap_bytes(work), text.size());
  finish(state, text.size());
}

// The context is kept, as a server would.
void zstd(benchmark::State& state, const std::string& text, int level) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(),
                                                                     ZSTD_freeCCtx);
  std::vector<char> to(ZSTD_compressBound(text.size()));
  std::size_t bytes = 0;
  for (auto _ : state) {
    bytes = ZSTD_compressCCtx(context.get(), to.data(), to.size(), text.data(), text.size(), level);
    benchmark::DoNotOptimize(bytes);
  }
  state.counters["kept"] = share(bytes, text.size());
  finish(state, text.size());
}

void simdjson_parse(benchmark::State& state, const std::string& text) {
  const simdjson::padded_string padded(text);
  simdjson::dom::parser parser;
  for (auto _ : state) benchmark::DoNotOptimize(parser.parse(padded).error());
  finish(state, text.size());
}

void add_all(const SizedClass& kind, std::size_t bytes) {
  add("compact", kind, bytes, compact);
  if (bytes <= max_cold_bytes) add("cold", kind, bytes, cold)->UseManualTime();
  const std::array<std::string_view, 3> never{"prose", "base64", "one_line"};
  if (std::ranges::find(never, kind.name) == never.end()) add("expand", kind, bytes, expand);
  add("memcpy", kind, bytes, copy);
  add("zstd_1", kind, bytes, [](auto& state, const auto& text) { zstd(state, text, 1); });
  add("zstd_3", kind, bytes, [](auto& state, const auto& text) { zstd(state, text, 3); });
  if (kind.name == "json") add("simdjson_parse", kind, bytes, simdjson_parse);
}

}  // namespace

int main(int argc, char** argv) {
  for (const SizedClass& kind : tare::test::sized_classes) {
    for (const std::size_t bytes : sizes) add_all(kind, bytes);
  }
  return run(argc, argv);
}
