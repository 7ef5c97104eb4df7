// What compacting takes of the heap, by class and size of text: counted, so the same on every
// machine with the same C++ library.
#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

#include "proxy/compact/compact.h"
#include "tests/support/heap.h"
#include "tests/support/sized_texts.h"

using namespace tare::test;

namespace {

double bytes_in_line(const std::string& text) {
  return static_cast<double>(text.size()) / static_cast<double>(1 + std::ranges::count(text, '\n'));
}

// Times the text. What is kept of each line weighs more where lines are short.
double most(const std::string& text) {
  if (text.size() >= 1'000'000) return 4.5;
  return bytes_in_line(text) < 30 ? 10.5 : 6.7;
}

}  // namespace

TEST_CASE("compacting takes a few times the text's memory, the form included") {
  for (const SizedClass& kind : sized_classes) {
    for (const std::size_t bytes : {10'000UZ, 30'000UZ, 100'000UZ, 1'000'000UZ}) {
      CAPTURE(kind.name, bytes);
      const std::string text = kind.make(bytes);
      tare::compact::Compacted made;
      const std::size_t peak = peak_heap_bytes([&] { made = tare::compact::compact(text); });
      CHECK(static_cast<double>(peak) <= most(text) * static_cast<double>(text.size()));
    }
  }
}
