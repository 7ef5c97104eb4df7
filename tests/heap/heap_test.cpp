// What compacting takes of the heap, by class and size of text: counted, so the same on every
// machine with the same C++ library.
#include <catch2/catch.hpp>

#include <cstddef>
#include <string>

#include "proxy/compact/compact.h"
#include "tests/support/heap.h"
#include "tests/support/sized_texts.h"

using namespace tare::test;

TEST_CASE("compacting takes at most six times the text's memory and 128 KiB, the form included") {
  for (const SizedClass& kind : sized_classes) {
    for (const std::size_t bytes : {1'000UZ, 10'000UZ, 30'000UZ, 100'000UZ, 1'000'000UZ}) {
      CAPTURE(kind.name, bytes);
      const std::string text = kind.make(bytes);
      tare::compact::Compacted made;
      CHECK(peak_heap_bytes([&] { made = tare::compact::compact(text); }) <=
            6 * text.size() + (std::size_t{128} << 10));
    }
  }
}
