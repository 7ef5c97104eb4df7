#include "harness/disguise.h"

#include <catch2/catch.hpp>

namespace tare::harness {

TEST_CASE("a disguised body is as long as the published one and shares its names with none") {
  for (const Route route : {Route::responses, Route::chat, Route::messages}) {
    for (const Task& task : {Task::logs, Task::json, Task::code}) {
      CAPTURE(task.name, name_of(route));
      const auto published = make_body(task, 0, "read_file", route);
      const auto disguised = disguised_body(task, route);
      CHECK(disguised.text.size() == published.text.size());
      CHECK(disguised.output.size() == published.output.size());
      CHECK(disguised.output != published.output);
      for (const char* name : {"gpt-6-astra", "sonnet-6", "call_local", "heartbeat", "production",
                               "worker", "record-", "RETRY_LIMIT"}) {
        CHECK(disguised.text.find(name) == std::string::npos);
      }
    }
  }
}

}  // namespace tare::harness
