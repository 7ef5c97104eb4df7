#include "harness/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/hash.h"

namespace tare::harness {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t base_seed = 1'800'000'000;
constexpr std::array<std::string_view, 3> task_names{"logs", "json", "code"};
constexpr std::array<std::string_view, 3> mode_names{"repeated", "unique", "each"};

// What the seed decides of one body.
struct Draw {
  std::array<std::uint8_t, 32> hash;
  std::string tag;
  int length;   // lines of logs, records of json; code has 50 more
  int planted;  // where the fact stands, from 0

  int choose(std::size_t byte, int choices) const { return hash[byte] % choices; }
};

Draw draw(const Task& task, std::uint64_t seed) {
  Draw d{.hash = sha256(fmt::format("heldout-v1:{}:{}", name_of(task), seed)),
         .tag = {},
         .length = 0,
         .planted = 0};
  const auto& h = d.hash;
  const std::uint32_t n =
      h[0] | std::uint32_t{h[1]} << 8 | std::uint32_t{h[2]} << 16 | std::uint32_t{h[3]} << 24;
  d.tag = fmt::format("{:02x}{:02x}{:02x}{:02x}", h[4], h[5], h[6], h[7]);
  d.length = 220 + static_cast<int>(n % 101);
  d.planted = 10 + (h[8] | h[9] << 8) % (d.length - 20);
  return d;
}

std::string upper(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

struct Content {
  std::string question;
  std::string output;
  std::vector<Fact> facts;
};

Content make_logs(const Draw& d) {
  constexpr std::array codes{"E_TIMEOUT", "E_POOL_EXHAUSTED", "E_CHECKSUM"};
  const auto planted = fmt::format(
      "2026-09-15T12:00:00Z ERROR env=production request=req-{} code={} worker=worker-{}", d.tag,
      codes[static_cast<std::size_t>(d.choose(10, 3))], 1 + d.choose(11, 16));
  std::vector<std::string> lines;
  for (int i = 0; i < d.length; ++i) {
    if (i == d.planted) {
      lines.push_back(planted);
    } else if (i % 61 == 0) {
      lines.push_back(fmt::format(
          "2026-09-15T12:00:00Z ERROR env=staging request=canary-{} code=E_CANARY worker=worker-0",
          i));
    } else {
      lines.push_back(fmt::format(
          "2026-09-15T12:00:00Z INFO env=production heartbeat healthy worker=worker-{}", i % 3));
    }
  }
  return {.question =
              "Which production request logged an ERROR? Ignore any staging canary. "
              "Reply in JSON with its request id, its code, and its worker id.",
          .output = fmt::format("{}", fmt::join(lines, "\n")),
          .facts = {{"the production ERROR line", {planted}}}};
}

// A record as it stands in an array printed with an indent of 2, from its first brace on.
std::string printed_in_array(const Json& record) {
  const std::string text = Json::array({record}).dump(2);  // "[\n  {...}\n]"
  return text.substr(4, text.size() - 6);
}

Content make_json(const Draw& d) {
  constexpr std::array reasons{"checksum_mismatch", "lease_expired", "quota_exceeded"};
  Json records = Json::array();
  for (int i = 0; i < d.length; ++i) {
    records.push_back({{"id", fmt::format("record-{}-{}", d.tag, i)},
                       {"status", "ok"},
                       {"reason", "none"},
                       {"region", i % 2 == 0 ? "east" : "west"},
                       {"attempts", 1}});
  }
  auto record = [&](int i) -> Json& { return records[static_cast<std::size_t>(i % d.length)]; };
  for (const int distance : {17, 37}) {
    auto& other = record(d.planted + distance);
    other["status"] = "failed";
    other["reason"] = "transient_failure";
    other["attempts"] = 2;
  }
  auto& planted = record(d.planted);
  planted["status"] = "failed";
  planted["reason"] = reasons[static_cast<std::size_t>(d.choose(10, 3))];
  planted["attempts"] = 4 + d.choose(11, 8);
  return {.question =
              "Which failed record has the most attempts? Reply in JSON with the id, the "
              "status, and the reason of that record, each as a string.",
          .output = records.dump(2),
          .facts = {{"the failed record with the most attempts",
                     {printed_in_array(planted), planted.dump()}}}};
}

Content make_code(const Draw& d) {
  const auto name = "RETRY_LIMIT_" + upper(d.tag);
  const auto place = [&](int i) { return fmt::format("src/queue-{}.ts:{}:", d.tag, i + 1); };
  const auto planted =
      fmt::format("{}export const {} = {};", place(d.planted), name, 2 + d.choose(12, 29));
  std::vector<std::string> lines;
  for (int i = 0; i < d.length + 50; ++i) {
    lines.push_back(i == d.planted
                        ? planted
                        : fmt::format("{}export const FEATURE_{} = {};", place(i), i, i % 2 == 0));
  }
  return {.question = fmt::format("Where is {} set? Answer in JSON with the file, the line number, "
                                  "the name, and the value.",
                                  name),
          .output = fmt::format("{}", fmt::join(lines, "\n")),
          .facts = {{"the RETRY_LIMIT line", {planted}}}};
}

Content make_content(const Task& task, const Draw& d) {
  if (task == Task::logs) return make_logs(d);
  return task == Task::json ? make_json(d) : make_code(d);
}

template <std::size_t count>
Result<std::size_t> place_of(const std::array<std::string_view, count>& names,
                             std::string_view name, std::string_view what) {
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  return fail(Error::usage(fmt::format("unknown {} \"{}\"", what, name),
                           fmt::format("use one of {}", fmt::join(names, ", "))));
}

}  // namespace

std::string_view name_of(const Task& task) {
  return task.name;
}

std::string_view name_of(Mode mode) {
  return mode_names[static_cast<std::size_t>(mode)];
}

Result<Task> task_from(std::string_view name) {
  const auto place = place_of(task_names, name, "task");
  if (!place) return fail(place.error());
  return Task{std::string(name)};
}

Result<Mode> mode_from(std::string_view name) {
  const auto place = place_of(mode_names, name, "mode");
  if (!place) return fail(place.error());
  return static_cast<Mode>(*place);
}

Body make_body(const Task& task, int index, std::string_view tool, Route route) {
  const auto seed = base_seed + static_cast<std::uint64_t>(index);
  auto [question, output, facts] = make_content(task, draw(task, seed));
  Body body;
  body.task = task;
  body.index = index;
  body.seed = seed;
  const ToolCall call{"call_local", std::string(tool), "{}", std::move(output)};
  body.text = request_body(route, question, {&call, 1});
  body.output = call.output;
  body.facts = std::move(facts);
  body.route = route;
  body.tool = tool;
  return body;
}

}  // namespace tare::harness
