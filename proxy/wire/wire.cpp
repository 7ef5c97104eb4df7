#include "proxy/wire/wire.h"

#include <optional>
#include <utility>
#include <vector>

#include "proxy/wire/format.h"
#include "proxy/wire/json_string.h"
#include "proxy/wire/rewrite.h"

namespace tare::wire {
namespace {

std::string_view at(std::string_view body, Span span) {
  return body.substr(span.begin, span.end - span.begin);
}

struct Change {
  Span span;
  std::string json_string;
};

std::string splice(std::string_view body, const std::vector<Change>& changes) {
  std::size_t size = body.size();
  for (const Change& change : changes) {
    size = size - at(body, change.span).size() + change.json_string.size();
  }
  std::string result;
  result.reserve(size);
  std::size_t done = 0;
  for (const Change& change : changes) {
    result += body.substr(done, change.span.begin - done);
    result += change.json_string;
    done = change.span.end;
  }
  result += body.substr(done);
  return result;
}

// The text as a JSON string, when a reader of it would find exactly this text.
std::optional<std::string> encode_checked(std::string_view text, Spelling spelling) {
  auto json_string = encode(text, spelling);
  if (!json_string) return std::nullopt;
  const auto read_back = decode(*json_string);
  if (!read_back || read_back->text != text) return std::nullopt;
  return json_string;
}

// What to send in place of the output `json_string`, or nothing when it stays.
std::optional<std::string> compacted(std::string_view json_string, const JsonText& original,
                                     const Compactor& compactor) {
  const compact::Compacted form = compactor(original.text);
  if (!form.changed) return std::nullopt;
  auto changed = encode_checked(form.text, original.spelling);
  // A text that looks like a form must not be read as one: it is sent wrapped, at the cost of some
  // bytes.
  const bool may_grow = compact::looks_like_form(original.text);
  if (changed && changed->size() >= json_string.size() && !may_grow) return std::nullopt;
  return changed;
}

Error bad_output(Span span, std::string_view what) {
  return Error::invalid("the output at byte " + std::to_string(span.begin) + ": " +
                        std::string(what));
}

}  // namespace

bool may_hold_outputs(std::string_view method, std::string_view target) {
  return method == "POST" && format_of(target) != nullptr;
}

Rewritten rewrite(std::string_view target, std::string_view body, const compact::Options& options) {
  return rewrite_with(target, body,
                      [&](std::string_view text) { return compact::compact(text, options); });
}

Rewritten rewrite_with(std::string_view target, std::string_view body, const Compactor& compactor) {
  const Format* const format = format_of(target);
  std::vector<Span> outputs;
  if (format == nullptr || !format->locate(body, outputs)) return {};
  Rewritten result;
  result.outputs_found = outputs.size();
  std::vector<Change> changes;
  for (const Span span : outputs) {
    const auto original = decode(at(body, span));
    if (!original) return {};  // not JSON after all
    auto changed = compacted(at(body, span), *original, compactor);
    if (changed) changes.push_back({span, std::move(*changed)});
  }
  result.outputs_rewritten = changes.size();
  if (!changes.empty()) result.body = splice(body, changes);
  return result;
}

Result<std::string> expand_body(std::string_view body, std::size_t max_bytes) {
  std::vector<Span> outputs;
  for (const Format* format : formats()) {
    outputs.clear();
    if (format->locate(body, outputs) && !outputs.empty()) break;
    outputs.clear();
  }
  std::vector<Change> changes;
  std::size_t room = max_bytes > body.size() ? max_bytes - body.size() : 0;
  for (const Span span : outputs) {
    const auto form = decode(at(body, span));
    if (!form) return std::string(body);  // not JSON after all
    if (!compact::looks_like_form(form->text)) continue;
    auto text = compact::expand(form->text, room);
    if (!text) return fail(bad_output(span, text.error().text()));
    auto json_string = encode_checked(*text, form->spelling);
    if (!json_string) return fail(bad_output(span, "what it expands to is not UTF-8"));
    changes.push_back({span, std::move(*json_string)});
  }
  return splice(body, changes);
}

}  // namespace tare::wire
