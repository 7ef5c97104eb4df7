#include "harness/progress.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <memory>

using namespace tare;
using namespace tare::harness;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

namespace {

class ManualClock final : public Clock {
 public:
  std::int64_t monotonic_ns() const override { return now_ns; }
  std::int64_t wall_ns() const override { return now_ns; }
  void sleep_until_ns(std::int64_t time_ns) override { now_ns = time_ns; }
  void pass_s(std::int64_t seconds) { now_ns += seconds * 1'000'000'000; }
  std::int64_t now_ns = 0;
};

// A FILE whose text can be read back.
class Screen {
 public:
  Screen() : file_(::open_memstream(&text_, &size_)) {}
  ~Screen() {
    std::fclose(file_);
    std::free(text_);
  }
  std::FILE* file() { return file_; }
  std::string text() {
    std::fflush(file_);
    return {text_, size_};
  }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* file_;
};

void whole_start(Progress& progress, ManualClock& clock, int round, const std::string& arm,
                 std::int64_t seconds) {
  progress.begin_start(round, arm);
  clock.pass_s(seconds);
  progress.end_group();
  progress.end_group();
  progress.end_start();
}

}  // namespace

TEST_CASE("the time left is that of the starts to come, each as its arm took so far") {
  ManualClock clock;
  Progress progress(clock, nullptr, false, {"fast", "slow", "fast", "slow"}, 2);
  progress.begin_start(1, "fast");
  CHECK(progress.status() == "round 1, fast: 0 of 8 groups");
  clock.pass_s(10);
  progress.end_group();
  progress.end_group();
  progress.end_start();
  CHECK_THAT(progress.status(), EndsWith("2 of 8 groups, 30 s left"));
  whole_start(progress, clock, 1, "slow", 100);
  CHECK_THAT(progress.status(), EndsWith("4 of 8 groups, 2 min left"));
  whole_start(progress, clock, 2, "fast", 10);
  progress.begin_start(2, "slow");
  clock.pass_s(60);
  progress.end_group();
  CHECK(progress.status() == "round 2, slow: 7 of 8 groups, 40 s left");
}

TEST_CASE("a terminal has a bar that is redrawn in place and cleared at the end") {
  ManualClock clock;
  Screen screen;
  Progress progress(clock, screen.file(), true, {"a", "b"}, 2);
  whole_start(progress, clock, 1, "a", 5);
  CHECK_THAT(screen.text(),
             Contains("[============            ] round 1, a: 2 of 4 groups, 5 s left"));
  CHECK(screen.text().find('\n') == std::string::npos);
  progress.note("b: not installed");
  CHECK_THAT(screen.text(), Contains("\r\033[Kb: not installed\n"));
  progress.finish();
  CHECK_THAT(screen.text(), EndsWith("\r\033[K"));
}

TEST_CASE("elsewhere a plain line comes now and then") {
  ManualClock clock;
  Screen screen;
  Progress progress(clock, screen.file(), false, {"a", "a", "a"}, 2);
  whole_start(progress, clock, 1, "a", 5);
  CHECK(screen.text().empty());
  whole_start(progress, clock, 2, "a", 15);
  CHECK(screen.text() == "round 2, a: 3 of 6 groups, 5 s left\n");
  progress.note("something");
  progress.finish();
  CHECK_THAT(screen.text(), EndsWith("\nsomething\n"));
}
