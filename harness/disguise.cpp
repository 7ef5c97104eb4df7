#include "harness/disguise.h"

#include <array>
#include <string_view>
#include <utility>

namespace tare::harness {
namespace {

// What the published bodies could be known by. The levels and states that compressors look for
// stay.
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> other_words{{
    {"gpt-6-astra", "gpt-5-other"},
    {"sonnet-6", "ballad-4"},
    {"call_local", "call_7f3a9"},
    {"Reply in JSON", "Write in JSON"},
    {"Answer in JSON", "Return in JSON"},
    {"heartbeat", "roundtrip"},
    {"production", "operations"},
    {"worker", "runner"},
    {"canary", "linnet"},
    {"record-", "entity-"},
    {"region", "sector"},
    {"RETRY_LIMIT", "QUEUE_DEPTH"},
    {"FEATURE_", "VARIANT_"},
    {"src/queue-", "lib/stack-"},
}};

std::string in_other_words(std::string text) {
  for (const auto& [from, to] : other_words) {
    for (auto at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
    }
  }
  return text;
}

}  // namespace

Body disguised_body(const Task& task, Route route) {
  Body body = make_body(task, 0, "read_file", route);
  body.text = in_other_words(std::move(body.text));
  body.output = in_other_words(std::move(body.output));
  body.facts.clear();
  return body;
}

std::vector<std::string> disguised_headers() {
  return {"authorization: Bearer another-token", "user-agent: agent/1.0"};
}

}  // namespace tare::harness
