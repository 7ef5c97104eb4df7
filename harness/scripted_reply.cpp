#include "harness/scripted_reply.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "harness/upstream.h"

namespace tare::harness {
namespace {

constexpr std::string_view id_prefix = "\"resp_";
constexpr std::size_t id_digits = 12;

std::string response(std::int64_t upstream_request, std::string_view status,
                     std::string_view output) {
  return fmt::format(
      R"({{"id":"resp_{:0{}}","object":"response","created_at":1800000000,"status":"{}",)"
      R"("model":"scripted","output":[{}],)"
      R"("usage":{{"input_tokens":1,"output_tokens":1,"total_tokens":2}}}})",
      upstream_request, id_digits, status, output);
}

constexpr std::string_view message =
    R"({"type":"message","id":"msg_1","status":"completed","role":"assistant",)"
    R"("content":[{"type":"output_text","text":"Noted.","annotations":[]}]})";

std::string event(std::string_view type, std::string_view members) {
  return fmt::format("event: {0}\ndata: {{\"type\":\"{0}\",{1}}}\n\n", type, members);
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

std::string scripted_reply(std::int64_t upstream_request) {
  return response(upstream_request, "completed", message);
}

std::vector<std::string> scripted_events(std::int64_t upstream_request) {
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
