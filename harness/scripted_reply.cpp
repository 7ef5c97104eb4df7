#include "harness/scripted_reply.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "harness/upstream.h"

namespace tare::harness {
namespace {

constexpr std::string_view id_prefix = "resp_";
constexpr std::size_t id_digits = 12;

std::string id_of(std::int64_t upstream_request) {
  return fmt::format("{}{:0{}}", id_prefix, upstream_request, id_digits);
}

std::string response(std::int64_t upstream_request, std::string_view status,
                     std::string_view output) {
  return fmt::format(R"({{"id":"{}","object":"response","created_at":1800000000,"status":"{}",)"
                     R"("model":"scripted","output":[{}],)"
                     R"("usage":{{"input_tokens":1,"output_tokens":1,"total_tokens":2}}}})",
                     id_of(upstream_request), status, output);
}

constexpr std::string_view response_item =
    R"({"type":"message","id":"msg_1","status":"completed","role":"assistant",)"
    R"("content":[{"type":"output_text","text":"Noted.","annotations":[]}]})";

std::string event(std::string_view type, std::string_view members) {
  return fmt::format("event: {0}\ndata: {{\"type\":\"{0}\",{1}}}\n\n", type, members);
}

std::vector<std::string> response_events(std::int64_t upstream_request) {
  return {
      event("response.created", fmt::format(R"("sequence_number":0,"response":{})",
                                            response(upstream_request, "in_progress", ""))),
      event("response.output_text.delta",
            R"("sequence_number":1,"item_id":"msg_1","output_index":0,"content_index":0,)"
            R"("delta":"Not")"),
      event("response.output_text.delta",
            R"("sequence_number":2,"item_id":"msg_1","output_index":0,"content_index":0,)"
            R"("delta":"ed.")"),
      event("response.completed",
            fmt::format(R"("sequence_number":3,"response":{})", scripted_reply(upstream_request))),
  };
}

std::string chat_reply(std::int64_t upstream_request) {
  return fmt::format(
      R"({{"id":"chatcmpl-{}","object":"chat.completion","created":1800000000,"model":"scripted",)"
      R"("choices":[{{"index":0,"message":{{"role":"assistant","content":"Noted."}},)"
      R"("finish_reason":"stop"}}],)"
      R"("usage":{{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}}})",
      id_of(upstream_request));
}

std::vector<std::string> chat_events(std::int64_t upstream_request) {
  const auto chunk = [&](std::string_view delta, std::string_view finish_reason) {
    return fmt::format(
        "data: {{\"id\":\"chatcmpl-{}\",\"object\":\"chat.completion.chunk\","
        "\"created\":1800000000,\"model\":\"scripted\",\"choices\":[{{\"index\":0,"
        "\"delta\":{},\"finish_reason\":{}}}]}}\n\n",
        id_of(upstream_request), delta, finish_reason);
  };
  return {chunk(R"({"role":"assistant","content":"Not"})", "null"),
          chunk(R"({"content":"ed."})", "null"), chunk("{}", "\"stop\""), "data: [DONE]\n\n"};
}

std::string message(std::int64_t upstream_request, std::string_view content,
                    std::string_view stop_reason) {
  return fmt::format(R"({{"id":"msg_{}","type":"message","role":"assistant","model":"scripted",)"
                     R"("content":[{}],"stop_reason":{},"stop_sequence":null,)"
                     R"("usage":{{"input_tokens":1,"output_tokens":1}}}})",
                     id_of(upstream_request), content, stop_reason);
}

std::vector<std::string> message_events(std::int64_t upstream_request) {
  const auto delta = [](std::string_view text) {
    return event("content_block_delta",
                 fmt::format(R"("index":0,"delta":{{"type":"text_delta","text":"{}"}})", text));
  };
  return {
      event("message_start", fmt::format(R"("message":{})", message(upstream_request, "", "null"))),
      event("content_block_start", R"("index":0,"content_block":{"type":"text","text":""})"),
      delta("Not"),
      delta("ed."),
      event("content_block_stop", R"("index":0)"),
      event(
          "message_delta",
          R"("delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":1})"),
      "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
  };
}

}  // namespace

bool asks_for_stream(std::string_view body) {
  constexpr std::string_view name = "\"stream\"";
  for (auto at = body.find(name); at != body.npos; at = body.find(name, at + 1)) {
    std::string_view rest = body.substr(at + name.size());
    const auto skip_blanks = [&rest] {
      rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
    };
    skip_blanks();
    if (!rest.starts_with(':')) continue;
    rest.remove_prefix(1);
    skip_blanks();
    if (rest.starts_with("true")) return true;
  }
  return false;
}

std::string scripted_reply(std::int64_t upstream_request, Route route) {
  switch (route) {
    case Route::chat:
      return chat_reply(upstream_request);
    case Route::messages:
      return message(upstream_request, R"({"type":"text","text":"Noted."})", "\"end_turn\"");
    case Route::responses:
      break;
  }
  return response(upstream_request, "completed", response_item);
}

std::vector<std::string> scripted_events(std::int64_t upstream_request, Route route) {
  switch (route) {
    case Route::chat:
      return chat_events(upstream_request);
    case Route::messages:
      return message_events(upstream_request);
    case Route::responses:
      break;
  }
  return response_events(upstream_request);
}

std::optional<std::int64_t> upstream_request_of(std::string_view reply) {
  const auto at = reply.find(id_prefix);
  if (at == reply.npos) return std::nullopt;
  const std::string_view digits = reply.substr(at + id_prefix.size(), id_digits);
  std::int64_t id = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
  if (error != std::errc{} || end == digits.data()) return std::nullopt;
  return id;
}

}  // namespace tare::harness
