#include "proxy/wire/wire.h"

#include <optional>
#include <utility>
#include <vector>

#include "proxy/wire/format.h"
#include "proxy/wire/originals.h"
#include "proxy/wire/output_text.h"
#include "proxy/wire/rewriter.h"
#include "proxy/wire/splice.h"

namespace tare::wire {
namespace {

Error bad_output(Span span, std::string_view what) {
  return Error::invalid("the output at byte " + std::to_string(span.begin) + ": " +
                        std::string(what));
}

// The outputs as the format of `target` has them, or the first format that has any.
ToolTraffic locate(std::string_view body, std::string_view target) {
  for (const Format* format : formats()) {
    if (!target.empty() && format != format_of(target)) continue;
    ToolTraffic traffic;
    if (format->locate(body, traffic) && !traffic.outputs.empty()) return traffic;
  }
  return {};
}

// Expands the outputs of one body, first to last.
class Expander {
 public:
  Expander(std::string_view body, std::size_t room) : body_(body), room_(room) {}

  // The output's JSON string in its original form; nothing when it stays.
  Result<std::optional<std::string>> next(const ToolOutput& output, OutputText& text) {
    std::vector<std::optional<std::string>> originals(text.size());
    bool is_changed = false;
    for (std::size_t i = 0; i < originals.size(); ++i) {
      if (!compact::looks_like_form(text.text(i))) continue;
      auto original = compact::expand(text.text(i), room_, &originals_.earlier());
      if (!original) return fail(bad_output(output.text, original.error().text()));
      room_ -= original->size();
      originals[i] = std::move(*original);
      is_changed = true;
    }
    std::optional<std::string> json_string;
    if (is_changed) {
      json_string = text.with(originals);
      if (!json_string) return fail(bad_output(output.text, "what it expands to is not UTF-8"));
    }
    const std::string_view name = name_of(output, body_);
    std::optional<std::string>& first = originals.front();
    if (text.size() == 1 && first) {
      originals_.add(name, std::move(*first));
    } else {
      originals_.add(name, std::move(text));
    }
    return json_string;
  }

 private:
  std::string_view body_;
  std::size_t room_;
  Originals originals_;
};

}  // namespace

bool may_hold_outputs(std::string_view method, std::string_view target) {
  return method == "POST" && format_of(target) != nullptr;
}

Rewritten rewrite(std::string_view target, std::string_view body, const Policy& policy) {
  return Rewriter(policy, 0).rewrite(target, body);
}

Result<std::string> expand_body(std::string_view body, std::size_t max_bytes,
                                std::string_view target) {
  const ToolTraffic traffic = locate(body, target);
  std::vector<OutputText> texts;
  for (const ToolOutput& output : traffic.outputs) {
    auto text = OutputText::read(output.text.of(body));
    if (!text) return std::string(body);  // not JSON after all
    texts.push_back(std::move(*text));
  }
  Expander expander(body, max_bytes > body.size() ? max_bytes - body.size() : 0);
  std::vector<std::pair<Span, std::string>> originals;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const ToolOutput& output = traffic.outputs[i];
    auto expanded = expander.next(output, texts[i]);
    if (!expanded) return fail(expanded.error());
    std::optional<std::string>& original = *expanded;
    if (original) originals.emplace_back(output.text, std::move(*original));
  }
  std::vector<Change> changes;
  for (const auto& [span, json_string] : originals) changes.push_back({span, json_string});
  return splice(body, changes);
}

}  // namespace tare::wire
