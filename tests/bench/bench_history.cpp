// What rewriting a conversation of 60 turns costs when most of it was seen before, by wire format
// and size, beside what else could be done with the same body:
//   seen             all outputs were seen, as when a request is sent again
//   grown            the first 59 turns were seen, the last output (22 KB of logs) is new
//   newest           that output in a body of its own: what of `grown` is its compaction
//   unseen           nothing was seen, or nothing is cached
//   memcpy           what merely moving the body costs
//   simdjson_parse   a parse of it
// Read the CPU column (`grown`: Time, which is CPU time too). bytes_per_second is of the body,
// `cache_bytes` what the cache holds then.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <simdjson.h>

#include <ctime>
#include <string>
#include <vector>

#include "proxy/wire/rewriter.h"
#include "tests/bench/by_class.h"
#include "tests/support/published_texts.h"
#include "tests/support/wire_bodies.h"

namespace {

using namespace tare;
using namespace tare::bench;
using test::WireFormat;

constexpr std::size_t turn_count = 60;

// The same conversation with outputs of `pieces` usual ones each.
std::vector<test::Turn> conversation(std::size_t pieces) {
  test::Random random(7);
  auto turns = test::make_turns(random, turn_count);
  for (auto& turn : turns) {
    for (std::size_t i = 1; i < pieces; ++i) {
      turn.text += test::make_text(random.pick(test::text_classes), random);
    }
  }
  turns.back().call_id = "call_newest";
  turns.back().as_parts = false;
  turns.back().text = test::published_like("logs", 22'000);
  return turns;
}

struct Case {
  const WireFormat* format;
  std::vector<test::Turn> turns;
  std::string body;
  std::string body_before;  // the last turn
};

Case make_case(const WireFormat& format, std::size_t pieces) {
  Case made{&format, conversation(pieces), {}, {}};
  made.body = test::body_of(format, made.turns);
  made.body_before = test::body_of(format, {made.turns.begin(), made.turns.end() - 1});
  return made;
}

// Of this thread: other programs' time is not ours.
double cpu_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void seen(benchmark::State& state, const Case& c) {
  wire::Rewriter rewriter({});
  rewriter.rewrite(c.format->target, c.body);
  for (auto _ : state) benchmark::DoNotOptimize(rewriter.rewrite(c.format->target, c.body));
  state.counters["cache_bytes"] = static_cast<double>(rewriter.cache().memory_bytes());
  finish(state, c.body.size());
}

void grown(benchmark::State& state, const Case& c) {
  for (auto _ : state) {
    wire::Rewriter rewriter({});
    rewriter.rewrite(c.format->target, c.body_before);
    rewriter.rewrite(c.format->target, c.body_before);
    const double begin = cpu_seconds();
    benchmark::DoNotOptimize(rewriter.rewrite(c.format->target, c.body));
    state.SetIterationTime(cpu_seconds() - begin);
  }
  finish(state, c.body.size());
}

void newest(benchmark::State& state, const Case& c) {
  const auto body = test::body_of(*c.format, {c.turns.back()});
  for (auto _ : state) benchmark::DoNotOptimize(wire::rewrite(c.format->target, body, {}));
  finish(state, c.body.size());
}

void unseen(benchmark::State& state, const Case& c) {
  for (auto _ : state) benchmark::DoNotOptimize(wire::rewrite(c.format->target, c.body, {}));
  finish(state, c.body.size());
}

void copy_body(benchmark::State& state, const Case& c) {
  copy(state, c.body);
}

void simdjson_parse(benchmark::State& state, const Case& c) {
  const simdjson::padded_string body(c.body);
  simdjson::dom::parser parser;
  for (auto _ : state) benchmark::DoNotOptimize(parser.parse(body).error());
  finish(state, c.body.size());
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Case> cases;
  for (const WireFormat& format : test::wire_formats) {
    for (const std::size_t pieces : {1U, 6U}) cases.push_back(make_case(format, pieces));
  }
  using Measure = void (*)(benchmark::State&, const Case&);
  const std::vector<std::pair<const char*, Measure>> measures = {
      {"seen", seen},     {"grown", grown},      {"newest", newest},
      {"unseen", unseen}, {"memcpy", copy_body}, {"simdjson_parse", simdjson_parse}};
  for (const Case& c : cases) {
    for (const auto& [what, measure] : measures) {
      const auto name = fmt::format("{}/{}/{}", what, c.format->name, c.body.size());
      auto* const registered = benchmark::RegisterBenchmark(
          name.c_str(), [&c, measure](benchmark::State& state) { measure(state, c); });
      registered->Unit(benchmark::kMicrosecond);
      if (measure == grown) registered->UseManualTime()->Iterations(10);
    }
  }
  return run(argc, argv);
}
