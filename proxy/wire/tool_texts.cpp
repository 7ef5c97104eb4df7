#include "proxy/wire/tool_texts.h"

namespace tare::wire {

bool ToolTexts::take(const JsonWalk& walk, JsonWalk::Value& value) {
  ++times_;
  Span whole;
  is_string_ = walk.string(value, whole);
  if (is_string_) {
    parts_ = {whole};
    return true;
  }
  return walk.each_object(value,
                          [&](JsonWalk::Object& element) { return take_element(walk, element); });
}

bool ToolTexts::take_element(const JsonWalk& walk, JsonWalk::Object& element) {
  StringMember type;
  StringMember text;
  std::vector<Span> streams;
  const bool read = walk.each_member(element, [&](JsonWalk::Key key, JsonWalk::Value& value) {
    if (key == "type") type.take(walk, value);
    if (key == "text") text.take(walk, value);
    if (key == "stdout" || key == "stderr") {
      Span stream;
      if (walk.string(value, stream)) streams.push_back(stream);
    }
    return true;
  });
  const bool is_text = type.is(walk, "\"text\"") || type.is(walk, "\"input_text\"") ||
                       type.is(walk, "\"output_text\"");
  if (is_text && !text.span().empty()) parts_.push_back(text.span());
  if (streams.size() <= 2) streams_.insert(streams_.end(), streams.begin(), streams.end());
  return read;
}

std::span<const Span> ToolTexts::texts(Lists lists) const {
  if (times_ != 1) return {};
  return is_string_ || lists == Lists::parts ? parts_ : streams_;
}

void ToolTexts::add_to(ToolTraffic& traffic, Span call_id, Lists lists, bool has_own_id) const {
  const auto spans = texts(lists);
  for (const Span span : spans) {
    traffic.outputs.push_back({.text = span,
                               .call_id = call_id,
                               .calls_before = traffic.calls.size(),
                               .is_whole = spans.size() == 1,
                               .has_own_id = has_own_id});
  }
}

}  // namespace tare::wire
