#include "harness/request_body.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

namespace tare::harness {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 3> names{"responses", "chat", "messages"};

Json user(std::string_view question) {
  return Json::array({{{"role", "user"}, {"content", question}}});
}

Json responses_body(std::string_view question, std::span<const ToolCall> calls) {
  Json input = user(question);
  for (const ToolCall& call : calls) {
    input.push_back({{"type", "function_call"},
                     {"name", call.tool},
                     {"call_id", call.id},
                     {"arguments", call.arguments}});
    input.push_back(
        {{"type", "function_call_output"}, {"call_id", call.id}, {"output", call.output}});
  }
  return {{"model", "gpt-6-astra"}, {"stream", false}, {"store", false}, {"input", input}};
}

Json chat_body(std::string_view question, std::span<const ToolCall> calls) {
  Json messages = user(question);
  for (const ToolCall& call : calls) {
    const Json function = {{"name", call.tool}, {"arguments", call.arguments}};
    const Json made = {{"id", call.id}, {"type", "function"}, {"function", function}};
    messages.push_back(
        {{"role", "assistant"}, {"content", nullptr}, {"tool_calls", Json::array({made})}});
    messages.push_back({{"role", "tool"}, {"tool_call_id", call.id}, {"content", call.output}});
  }
  return {{"model", "gpt-6-astra"}, {"messages", messages}};
}

Json messages_body(std::string_view question, std::span<const ToolCall> calls) {
  Json messages = user(question);
  for (const ToolCall& call : calls) {
    const Json made = {{"type", "tool_use"},
                       {"id", call.id},
                       {"name", call.tool},
                       {"input", Json::parse(call.arguments)}};
    const Json result = {
        {"type", "tool_result"}, {"tool_use_id", call.id}, {"content", call.output}};
    messages.push_back({{"role", "assistant"}, {"content", Json::array({made})}});
    messages.push_back({{"role", "user"}, {"content", Json::array({result})}});
  }
  return {{"model", "sonnet-6"}, {"max_tokens", 1024}, {"messages", messages}};
}

Json body_of(Route route, std::string_view question, std::span<const ToolCall> calls) {
  switch (route) {
    case Route::chat:
      return chat_body(question, calls);
    case Route::messages:
      return messages_body(question, calls);
    case Route::responses:
      break;
  }
  return responses_body(question, calls);
}

}  // namespace

std::string_view name_of(Route route) {
  return names[static_cast<std::size_t>(route)];
}

Result<Route> route_from(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<Route>(i);
  }
  return fail(
      Error::usage(fmt::format("{}: no such route", name), "choose responses, chat or messages"));
}

Route route_of_path(std::string_view path) {
  path = path.substr(0, path.find('?'));
  if (path.ends_with("/chat/completions")) return Route::chat;
  if (path.ends_with("/messages")) return Route::messages;
  return Route::responses;
}

std::string request_body(Route route, std::string_view question, std::span<const ToolCall> calls) {
  return body_of(route, question, calls).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tare::harness
