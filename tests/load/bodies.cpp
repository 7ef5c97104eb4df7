#include "tests/load/bodies.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "harness/workload.h"

namespace tare::load {

namespace {

using nlohmann::json;

std::string body_of(json items) {
  return json{{"model", "m"}, {"stream", true}, {"input", std::move(items)}}.dump();
}

json output_item(int number, const std::string& text) {
  return {{"type", "function_call_output"},
          {"call_id", "call_" + std::to_string(number)},
          {"output", text}};
}

}  // namespace

std::string small_body(int index) {
  return harness::make_body(harness::Task::logs, index).text;
}

std::string large_body(std::size_t bytes, int index) {
  const std::array tasks = {harness::Task::logs, harness::Task::json, harness::Task::code};
  json items = json::array();
  std::size_t size = 0;
  for (int number = 0; size < bytes; ++number) {
    const auto body = harness::make_body(tasks[static_cast<std::size_t>(number) % tasks.size()],
                                         index * 1000 + number);
    size += body.output.size();
    items.push_back(output_item(number, body.output));
  }
  return body_of(std::move(items));
}

std::string huge_output(std::size_t bytes) {
  std::string text;
  for (unsigned number = 0, x = 1; text.size() < bytes; ++number) {
    x = x * 1664525 + 1013904223;
    text += fmt::format("step {} of job-{} took {} us in module/{}.cpp:{}\n", number, x % 977,
                        x >> 16, x % 13, x % 5000);
  }
  return body_of(json::array({output_item(0, text)}));
}

}  // namespace tare::load
