// What the programs here share: measuring by class of text and size.
#pragma once

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/sized_texts.h"

namespace tare::bench {

inline constexpr std::array<std::size_t, 6> sizes{1'000,   10'000,    30'000,
                                                  100'000, 1'000'000, 10'000'000};

// Made once for all that is measured with it, and only when it is.
inline const std::string& text_of(const test::SizedClass& kind, std::size_t bytes) {
  static std::map<std::pair<std::string_view, std::size_t>, std::string> texts;
  std::string& text = texts[{kind.name, bytes}];
  if (text.empty()) text = kind.make(bytes);
  return text;
}

// Registers WHAT/CLASS/BYTES.
inline benchmark::internal::Benchmark* add(std::string_view what, const test::SizedClass& kind,
                                           std::size_t bytes,
                                           void (*measure)(benchmark::State&,
                                                           const std::string& text)) {
  const std::string name = fmt::format("{}/{}/{}", what, kind.name, bytes);
  return benchmark::RegisterBenchmark(
      name.c_str(), [=](benchmark::State& state) { measure(state, text_of(kind, bytes)); });
}

inline void finish(benchmark::State& state, std::size_t text_bytes) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text_bytes));
}

inline double share(std::size_t part, std::size_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

// What merely moving the text costs.
inline void copy(benchmark::State& state, const std::string& text) {
  std::vector<char> to(text.size());
  for (auto _ : state) {
    std::memcpy(to.data(), text.data(), text.size());
    benchmark::ClobberMemory();
  }
  finish(state, text.size());
}

// Runs what is registered; the result is the program's exit code.
inline int run(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  return benchmark::RunSpecifiedBenchmarks() > 0 ? 0 : 1;
}

}  // namespace tare::bench
