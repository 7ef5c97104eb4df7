// A stop asked for before and during a compaction or an expansion. How soon it ends is measured
// elsewhere; here, that what comes back is never half a form.
#include <atomic>
#include <catch2/catch.hpp>
#include <stop_token>
#include <string>
#include <thread>

#include "proxy/compact/compact.h"
#include "tests/support/sized_texts.h"

using tare::compact::compact;
using tare::compact::Compacted;
using tare::compact::expand;
using tare::compact::Level;
using namespace tare::test;

namespace {

std::stop_token requested() {
  std::stop_source source;
  source.request_stop();
  return source.get_token();
}

}  // namespace

TEST_CASE("once a stop is requested every text stays as it is") {
  const auto stop = requested();
  for (const SizedClass& kind : sized_classes) {
    CAPTURE(kind.name);
    const std::string text = kind.make(20'000);
    const Compacted made = compact(text, {}, nullptr, stop);
    CHECK(made.stopped);
    CHECK_FALSE(made.changed);
    CHECK(made.text.empty());
  }
  CHECK(compact("[~{} compact, lossless, 1 lines]\na", {}, nullptr, stop).stopped);
}

TEST_CASE("a stop during a compaction gives no form, or the one that it gives without") {
  for (const SizedClass& kind : sized_classes) {
    const std::string text = kind.make(400'000);
    for (const Level level : {Level::standard, Level::full}) {
      CAPTURE(kind.name, level);
      const Compacted whole = compact(text, {.level = level});
      std::stop_source source;
      std::atomic<bool> is_running = false;
      Compacted made;
      std::thread worker([&] {
        is_running = true;
        is_running.notify_one();
        made = compact(text, {.level = level}, nullptr, source.get_token());
      });
      is_running.wait(false);
      source.request_stop();
      worker.join();
      CHECK(made.text == (made.stopped ? std::string() : whole.text));
      CHECK(made.changed == (!made.stopped && whole.changed));
    }
  }
}

TEST_CASE("an expansion that is stopped is an error") {
  const Compacted made = compact(sized::access_rows(20'000));
  REQUIRE(made.changed);
  CHECK(expand(made.text));
  CHECK_FALSE(expand(made.text, std::size_t{64} << 20, nullptr, requested()));
}
