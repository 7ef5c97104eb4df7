#include "proxy/server/body_rewriter.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>

#include "proxy/wire/wire.h"

using namespace tare::server;

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
  Tasks tasks;
  const tare::wire::Policy policy;
  BodyRewriter rewriter(policy, tasks.post());
  const auto text = body(5);
  const auto expected = tare::wire::rewrite(target, text, policy).body;
  REQUIRE_FALSE(expected.empty());
  CHECK(rewriter.rewrite_now(target, text).body == expected);
  int told = 0;
  const auto job = rewriter.start(target, text, [&] { ++told; });
  // While the thread may have the cache.
  CHECK(rewriter.rewrite_now(target, text).body == expected);
  CHECK_FALSE(job->done);
  tasks.run_next();
  CHECK(job->done);
  CHECK(told == 1);
  CHECK(job->result.body == expected);
  CHECK(job->body == text);
}

TEST_CASE("bodies are rewritten one after another") {
  Tasks tasks;
  const tare::wire::Policy policy;
  BodyRewriter rewriter(policy, tasks.post());
  std::string order;
  const auto first = rewriter.start(target, body(2), [&] { order += "1"; });
  const auto second = rewriter.start(target, body(3), [&] { order += "2"; });
  tasks.run_next();
  tasks.run_next();
  CHECK(order == "12");
  CHECK(first->result.outputs_rewritten == 2);
  CHECK(second->result.outputs_rewritten == 3);
}

TEST_CASE("nobody is told of a job that was cancelled, and the next one is done") {
  Tasks tasks;
  const tare::wire::Policy policy;
  BodyRewriter rewriter(policy, tasks.post());
  bool told = false;
  const auto job = rewriter.start(target, body(500), [&] { told = true; });
  job->cancel();
  const auto next = rewriter.start(target, body(1), [] {});
  tasks.run_next();
  tasks.run_next();
  CHECK_FALSE(told);
  CHECK_FALSE(job->done);
  CHECK(next->done);
}

TEST_CASE("ending gives up what is not done") {
  Tasks tasks;
  const tare::wire::Policy policy;
  bool told = false;
  {
    BodyRewriter rewriter(policy, tasks.post());
    rewriter.start(target, body(200), [&] { told = true; });
    rewriter.start(target, body(200), [&] { told = true; });
  }
  CHECK_FALSE(told);
}
