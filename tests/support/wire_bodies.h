// Request bodies of each wire format, made of turns: a tool call and what it gave back.
//
// A body is head + items joined by commas + tail, so that a history grows as a client's does. The
// same seed gives the same turns everywhere.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/wire/json_string.h"
#include "tests/support/generated_texts.h"

namespace tare::test {

// A tool call and its output, as JSON strings and values where a body holds them.
struct Turn {
  std::string call_id;
  std::string tool;
  std::string arguments;  // a JSON object
  std::string text;
  wire::Spelling spelling = wire::Spelling::shortest;
  bool as_parts = false;  // the output as a list with one text part
};

inline std::string json_string(std::string_view text,
                               wire::Spelling spelling = wire::Spelling::shortest) {
  return wire::encode(text, spelling).value();
}

// A regular log, which becomes a small form.
inline std::string heartbeats(int lines, std::string_view words = "heartbeat healthy") {
  std::string text;
  for (int i = 0; i < lines; ++i) {
    text +=
        fmt::format("2026-09-15T12:00:00Z INFO env=production {} worker=worker-{}\n", words, i % 3);
  }
  return text;
}

struct WireFormat {
  std::string_view name;
  std::string_view target;
  std::string_view head;
  std::string_view tail;
  // The items of one turn.
  std::string (*turn)(const Turn& turn);
};

namespace bodies {

inline std::string output(const Turn& turn, std::string_view part_type) {
  const std::string text = json_string(turn.text, turn.spelling);
  return turn.as_parts ? fmt::format(R"([{{"type":"{}","text":{}}}])", part_type, text) : text;
}
inline std::string responses_turn(const Turn& turn) {
  return fmt::format(R"({{"type":"function_call","call_id":"{0}","name":"{1}","arguments":{2}}},)"
                     R"({{"type":"function_call_output","call_id":"{0}","output":{3}}})",
                     turn.call_id, turn.tool, json_string(turn.arguments),
                     output(turn, "input_text"));
}
inline std::string chat_turn(const Turn& turn) {
  return fmt::format(
      R"({{"role":"assistant","content":null,"tool_calls":[{{"id":"{0}","type":"function",)"
      R"("function":{{"name":"{1}","arguments":{2}}}}}]}},)"
      R"({{"role":"tool","tool_call_id":"{0}","content":{3}}})",
      turn.call_id, turn.tool, json_string(turn.arguments), output(turn, "text"));
}
inline std::string messages_turn(const Turn& turn) {
  return fmt::format(
      R"({{"role":"assistant","content":[{{"type":"thinking","thinking":"so","signature":"c2ln"}},)"
      R"({{"type":"tool_use","id":"{0}","name":"{1}","input":{2}}}]}},)"
      R"({{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{0}","content":{3},)"
      R"("is_error":false,"cache_control":{{"type":"ephemeral"}}}}]}})",
      turn.call_id, turn.tool, turn.arguments, output(turn, "text"));
}

}  // namespace bodies

inline constexpr std::array<WireFormat, 3> wire_formats = {
    {{"responses", "/v1/responses", R"({"model":"m","store":false,"input":[)",
      R"(],"stream":true})", bodies::responses_turn},
     {"chat", "/v1/chat/completions", R"({"model":"m","messages":[{"role":"user","content":"q"},)",
      R"(],"stream":true})", bodies::chat_turn},
     {"messages", "/v1/messages?beta=true",
      R"({"model":"m","max_tokens":100,"messages":[{"role":"user","content":"q"},)",
      R"(],"stream":true})", bodies::messages_turn}}};

inline std::string body_of(const WireFormat& format, const std::vector<Turn>& turns) {
  std::string body(format.head);
  for (std::size_t i = 0; i < turns.size(); ++i) {
    if (i > 0) body += ',';
    body += format.turn(turns[i]);
  }
  return body.append(format.tail);
}

// The body as far as the history goes: what a longer one begins with too.
inline std::string history_of(const WireFormat& format, const std::vector<Turn>& turns) {
  std::string body = body_of(format, turns);
  body.resize(body.size() - format.tail.size());
  return body;
}

// A conversation as agents hold them: outputs of every class, some repeated with another first line
// or whole, files read, small answers; ids that are alike, odd or used twice.
inline std::vector<Turn> make_turns(Random& random, std::size_t count) {
  constexpr std::array<std::string_view, 6> tools = {"exec_command", "read_file", "bash",
                                                     "grep",         "view",      "list"};
  std::vector<Turn> turns;
  for (std::size_t i = 0; i < count; ++i) {
    Turn turn{.call_id = fmt::format("call_{}", i),
              .tool = std::string(random.pick(tools)),
              .arguments = random.one_in(2) ? R"({"command":"cat a.py"})" : R"({"path":"a/b.c"})",
              .text = {},
              .spelling = random.one_in(3) ? wire::Spelling::ascii : wire::Spelling::shortest,
              .as_parts = random.one_in(4)};
    if (i > 0 && random.one_in(4)) {
      turn.text = turns[random.below(i)].text;
      if (random.one_in(2)) turn.text = fmt::format("Wall time: {} s\n", i) + turn.text;
    } else if (random.one_in(6)) {
      turn.text = "done\n";
    } else if (random.one_in(9)) {
      turn.text = fmt::format(R"({{"output":{},"metadata":{{"exit_code":{}}}}})",
                              json_string(generated::service_log(random)), i % 2);
    } else {
      turn.text = make_text(random.pick(text_classes), random);
    }
    if (i > 0 && random.one_in(12)) turn.call_id = turns[random.below(i)].call_id;
    if (random.one_in(15)) turn.call_id = "odd id \\u00e9/" + std::to_string(i);
    turns.push_back(std::move(turn));
  }
  return turns;
}

}  // namespace tare::test
