#include "proxy/server/body_rewriter.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>

#include "proxy/wire/wire.h"

using namespace tare::server;
using tare::wire::Coding;

namespace {

const std::string target = "/v1/responses";

// Functions for the event loop's thread, which is the test's.
class Tasks {
 public:
  BodyRewriter::Post post() {
    return [this](std::function<void()> task) {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
      changed_.notify_one();
    };
  }

  void run_next() {
    std::function<void()> task;
    {
      std::unique_lock lock(mutex_);
      REQUIRE(changed_.wait_for(lock, std::chrono::minutes(5), [&] { return !tasks_.empty(); }));
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
};

std::string body(int outputs, int lines = 40) {
  std::string text = R"({"input":[)";
  for (int i = 0; i < outputs; ++i) {
    text +=
        R"({"type":"function_call_output","call_id":"c)" + std::to_string(i) + R"(","output":")";
    for (int n = 0; n < lines; ++n) {
      text +=
          "2026-09-15T12:00:00Z INFO heartbeat healthy worker=" + std::to_string(n % 3 + i) + "\\n";
    }
    text += i + 1 < outputs ? R"("},)" : R"("})";
  }
  return text + "]}";
}

}  // namespace

TEST_CASE("a body gets the same bytes at once and beside the event loop") {
  HeldBytes held(std::size_t{1} << 30);
  Tasks tasks;
  const tare::wire::Policy policy;
  BodyRewriter rewriter(policy, {std::size_t{1} << 30, held}, tasks.post());
  const auto text = body(5);
  const auto expected = tare::wire::rewrite(target, text, policy).body;
  REQUIRE_FALSE(expected.empty());
  CHECK(rewriter.rewrite_now(target, Coding::identity, text)->body == expected);
  int told = 0;
  const auto job = rewriter.start(target, Coding::identity, text, [&] { ++told; });
  // While the thread may have the cache.
  CHECK(rewriter.rewrite_now(target, Coding::identity, text)->body == expected);
  CHECK_FALSE(job->done);
  tasks.run_next();
  CHECK(job->done);
  CHECK(told == 1);
  CHECK(job->result.body == expected);
  CHECK(job->body == text);
}

TEST_CASE("bodies are rewritten one after another") {
  HeldBytes held(std::size_t{1} << 30);
  Tasks tasks;
  const tare::wire::Policy policy;
  BodyRewriter rewriter(policy, {std::size_t{1} << 30, held}, tasks.post());
  std::string order;
  const auto first = rewriter.start(target, Coding::identity, body(2), [&] { order += "1"; });
  const auto second = rewriter.start(target, Coding::identity, body(3), [&] { order += "2"; });
  tasks.run_next();
  tasks.run_next();
  CHECK(order == "12");
  CHECK(first->result.outputs_rewritten == 2);
  CHECK(second->result.outputs_rewritten == 3);
}

TEST_CASE("nobody is told of a job that was cancelled, and the next one is done") {
  HeldBytes held(std::size_t{1} << 30);
  Tasks tasks;
  const tare::wire::Policy policy;
  int given_up = 0;
  BodyRewriter rewriter(policy, {std::size_t{1} << 30, held}, tasks.post(), [&] { ++given_up; });
  bool told = false;
  // The first keeps the thread while the second is cancelled.
  rewriter.start(target, Coding::identity, body(500), [] {});
  const auto job = rewriter.start(target, Coding::identity, body(500), [&] { told = true; });
  job->cancel();
  const auto next = rewriter.start(target, Coding::identity, body(1), [] {});
  for (int i = 0; i < 3; ++i) tasks.run_next();
  CHECK_FALSE(told);
  CHECK(given_up == 1);
  CHECK_FALSE(job->done);
  CHECK(next->done);
}

TEST_CASE("ending gives up what is not done") {
  HeldBytes held(std::size_t{1} << 30);
  Tasks tasks;
  const tare::wire::Policy policy;
  bool told = false;
  {
    BodyRewriter rewriter(policy, {std::size_t{1} << 30, held}, tasks.post());
    rewriter.start(target, Coding::identity, body(200), [&] { told = true; });
    rewriter.start(target, Coding::identity, body(200), [&] { told = true; });
  }
  CHECK_FALSE(told);
}

TEST_CASE("a coded body comes back in its coding") {
  HeldBytes held(std::size_t{1} << 30);
  Tasks tasks;
  const tare::wire::Policy policy;
  BodyRewriter rewriter(policy, {std::size_t{1} << 30, held}, tasks.post());
  const auto coding = GENERATE(Coding::gzip, Coding::deflate, Coding::br, Coding::zstd);
  const auto any = [](std::size_t) { return true; };
  const auto small = body(5);
  const auto now = rewriter.rewrite_now(target, coding, *tare::wire::encode(coding, small));
  REQUIRE(now);
  CHECK(tare::wire::decode(coding, now->body, any) ==
        tare::wire::rewrite(target, small, policy).body);
  // What is large once it is decoded is a job, however small it came.
  const auto large = body(200);
  const auto encoded = *tare::wire::encode(coding, large);
  REQUIRE(encoded.size() < BodyRewriter::small_body_bytes);
  CHECK_FALSE(rewriter.rewrite_now(target, coding, encoded));
  const auto job = rewriter.start(target, coding, encoded, [] {});
  tasks.run_next();
  REQUIRE(job->done);
  CHECK((tare::wire::decode(coding, job->result.body, any) ==
         tare::wire::rewrite(target, large, policy).body));
  CHECK(job->body == encoded);
}

TEST_CASE("a coded body that may not be held, is too long or is broken stays as it is") {
  Tasks tasks;
  const tare::wire::Policy policy;
  const auto encoded = *tare::wire::encode(Coding::zstd, body(200));
  const bool is_long = GENERATE(true, false);
  const std::size_t max_bytes = is_long ? std::size_t{10} << 10 : std::size_t{1} << 30;
  HeldBytes held(is_long ? std::size_t{1} << 30 : std::size_t{70} << 10);
  BodyRewriter rewriter(policy, {max_bytes, held}, tasks.post());
  auto job = rewriter.start(target, Coding::zstd, encoded, [] {});
  tasks.run_next();
  CHECK(job->done);
  CHECK(job->result.body.empty());
  CHECK(rewriter.rewrite_now(target, Coding::gzip, encoded)->body.empty());
  job.reset();
  CHECK(held.count() == 0);
}
