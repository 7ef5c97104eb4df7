#include "proxy/server/held_bytes.h"

#include <catch2/catch.hpp>
#include <thread>
#include <vector>

using namespace tare::server;

TEST_CASE("what is held is bounded, and given back when its owner ends") {
  HeldBytes all(100);
  {
    HeldShare first(all);
    CHECK(first.grow_to(60));
    CHECK(first.grow_to(20));  // it does not shrink
    CHECK(all.count() == 60);
    HeldShare second(all);
    CHECK(second.grow_to(40));
    CHECK_FALSE(second.grow_to(41));
    CHECK_FALSE(first.grow_to(61));
    CHECK(all.count() == 100);
    second.clear();
    CHECK(first.grow_to(100));
  }
  CHECK(all.count() == 0);
}

TEST_CASE("several threads never hold more than the limit together") {
  HeldBytes all(1000);
  std::vector<std::thread> threads;
  std::atomic<bool> over = false;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 2000; ++n) {
        HeldShare share(all);
        // More than the sum of all four can be only while one of them is being refused.
        if (share.grow_to(400) && all.count() > 4 * 400) over = true;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK_FALSE(over);
  CHECK(all.count() == 0);
}
