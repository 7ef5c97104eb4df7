// What finding, decoding and splicing outputs costs, by class of output and size, beside what else
// could be done with the same body:
//   no_output        a body that is one user text: the search alone
//   decode, encode   the output's JSON string
//   splice           a body with one output, its form a word: all but compaction
//   rewrite          the same with compaction
//   memcpy           what merely moving the body costs
//   simdjson_parse   a parse of it
// bytes_per_second is of the body (decode: the string, encode: the output), `heap` the peak of the
// heap in bytes for each byte of the output.
#include <benchmark/benchmark.h>
#include <simdjson.h>

#include <string>

#include "proxy/wire/json_string.h"
#include "proxy/wire/rewriter.h"
#include "tests/bench/by_class.h"
#include "tests/support/heap.h"

namespace {

using namespace tare;
using namespace tare::bench;

constexpr auto* target = "/v1/responses";

std::string body_of(const std::string& text) {
  return R"({"model":"m","input":[{"type":"function_call_output","call_id":"c","output":)" +
         wire::encode(text, wire::Spelling::shortest).value() + "}]}";
}

wire::Compactor keep() {
  return [](std::string_view, wire::Treatment, const compact::Earlier&, const std::stop_token&) {
    return compact::Compacted{};
  };
}
wire::Compactor shorten() {
  return [](std::string_view, wire::Treatment, const compact::Earlier&, const std::stop_token&) {
    return compact::Compacted{"short", true};
  };
}

void no_output(benchmark::State& state, const std::string& text) {
  const auto body = R"({"input":[{"type":"message","content":)" +
                    wire::encode(text, wire::Spelling::shortest).value() + "}]}";
  wire::Rewriter rewriter({}, keep(), 0);
  for (auto _ : state) benchmark::DoNotOptimize(rewriter.rewrite(target, body));
  finish(state, body.size());
}

void decode(benchmark::State& state, const std::string& text) {
  const auto json = wire::encode(text, wire::Spelling::shortest).value();
  for (auto _ : state) benchmark::DoNotOptimize(wire::decode(json));
  finish(state, json.size());
}

void encode(benchmark::State& state, const std::string& text) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(wire::encode(text, wire::Spelling::shortest));
  }
  finish(state, text.size());
}

void rewrite_with(benchmark::State& state, const std::string& text,
                  const wire::Compactor& compactor) {
  const auto body = body_of(text);
  wire::Rewriter rewriter({}, compactor, 0);
  const auto work = [&] { benchmark::DoNotOptimize(rewriter.rewrite(target, body)); };
  for (auto _ : state) work();
  state.counters["heap"] = share(tare::test::peak_heap_bytes(work), text.size());
  finish(state, body.size());
}

void splice(benchmark::State& state, const std::string& text) {
  rewrite_with(state, text, shorten());
}

void rewrite(benchmark::State& state, const std::string& text) {
  rewrite_with(state, text, wire::compactor_for({}));
}

void copy_body(benchmark::State& state, const std::string& text) {
  copy(state, body_of(text));
}

void simdjson_parse(benchmark::State& state, const std::string& text) {
  const simdjson::padded_string body(body_of(text));
  simdjson::dom::parser parser;
  for (auto _ : state) benchmark::DoNotOptimize(parser.parse(body).error());
  finish(state, body.size());
}

}  // namespace

int main(int argc, char** argv) {
  for (const test::SizedClass& kind : test::sized_classes) {
    for (const std::size_t bytes : sizes) {
      add("no_output", kind, bytes, no_output);
      add("decode", kind, bytes, decode);
      add("encode", kind, bytes, encode);
      add("splice", kind, bytes, splice);
      add("rewrite", kind, bytes, rewrite);
      add("memcpy", kind, bytes, copy_body);
      add("simdjson_parse", kind, bytes, simdjson_parse);
    }
  }
  return run(argc, argv);
}
