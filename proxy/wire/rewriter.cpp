#include "proxy/wire/rewriter.h"

#include <deque>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "proxy/compact/cost.h"
#include "proxy/wire/calls.h"
#include "proxy/wire/file_read.h"
#include "proxy/wire/format.h"
#include "proxy/wire/output_text.h"
#include "proxy/wire/splice.h"

namespace tare::wire {
namespace {

// `id`: the call's, decoded, when an output before this one has the same; else empty. A model could
// not tell which of them is meant.
OutputKey key_of(const ToolOutput& output, const ToolCall* call, std::string_view body,
                 std::string_view id) {
  OutputKey key{.json_string = output.text.of(body),
                .name = id.empty() ? name_of(output, body) : std::string_view(),
                .tool = {},
                .arguments = {},
                .retired = id};
  if (call == nullptr) return key;
  key.tool = call->name.empty() ? call->format_name : call->name.of(body);
  if (call->arguments.of(body).size() <= max_read_arguments_bytes) {
    key.arguments = call->arguments.of(body);
  }
  return key;
}

// A JSON string's text; another value as it stands.
std::string plain(std::string_view json) {
  if (!json.starts_with('"')) return std::string(json);
  auto decoded = decode(json);
  return decoded ? std::move(decoded->text) : std::string();
}

// Whether a JSON reader would read it; the strings that are rewritten are all decoded anyway.
bool is_readable(std::string_view json_string) {
  return json_string.find('\\') == std::string_view::npos || decode(json_string);
}

// Short outputs are looked at only when they may hold what looks like a form.
bool may_look_like_form(std::string_view json_string) {
  return json_string.size() > 2 &&
         (json_string[1] == '[' || json_string[1] == '{' || json_string[1] == '\\');
}

TokenCounts tokens_of(std::string_view text, std::string_view form) {
  return {compact::estimate_from_sample(text), compact::estimate_from_sample(form)};
}

// What to send in place of an output; nothing when it stays. `tokens` becomes those of its texts.
Replacement replacement_of(const OutputKey& key, const OutputText& output, CallKind kind,
                           const Compactor& compactor, const compact::Earlier& earlier,
                           const std::stop_token& stop, TokenCounts& tokens) {
  std::vector<Replacement> forms(output.size());
  bool is_changed = false;
  bool may_grow = false;
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const std::string& text = output.text(i);
    auto form = compactor(text, treatment_of(kind, text), earlier, stop);
    if (stop.stop_requested()) return std::nullopt;
    if (!form.changed) continue;
    tokens += tokens_of(text, form.text);
    forms[i] = std::move(form.text);
    is_changed = true;
    // A text that looks like a form must not be read as one: it is sent wrapped, at the cost of
    // some bytes.
    may_grow |= compact::looks_like_form(text);
  }
  if (!is_changed) return std::nullopt;
  auto changed = output.with(forms);
  if (changed && changed->size() >= key.json_string.size() && !may_grow) return std::nullopt;
  return changed;
}

}  // namespace

// One request on its way through the cache.
class Rewriter::Walk {
 public:
  Walk(Rewriter& rewriter, const std::stop_token& stop) : rewriter_(rewriter), stop_(stop) {
    rewriter_.cache_.begin();
  }

  TokenCounts tokens() const { return tokens_; }

  // What to send in place of the next output, valid until the next walk; null for a string that is
  // none of JSON's, and once a stop is requested.
  const Replacement* next(const OutputKey& key) {
    if (!originals_) {
      if (const Replacement* known = rewriter_.cache_.find(key)) {
        if (*known) tokens_ += rewriter_.cache_.tokens();
        return known;
      }
      originals_ = rewriter_.cache_.take_originals();
    }
    auto output = OutputText::read(key.json_string);
    if (!output) return nullptr;
    const CallKind kind = kind_of_call(rewriter_.policy_, plain(key.tool), plain(key.arguments));
    originals_->retire(key.retired);
    TokenCounts tokens;
    auto made = replacement_of(key, *output, kind, rewriter_.compactor_, originals_->earlier(),
                               stop_, tokens);
    if (stop_.stop_requested()) return nullptr;
    if (made) tokens_ += tokens;
    originals_->add(key.name, std::move(*output));
    if (is_kept_) {
      if (const Replacement* kept = rewriter_.cache_.insert(key, made, tokens)) return kept;
      is_kept_ = false;
    }
    return &made_.emplace_back(std::move(made));
  }

  // After the last output.
  void finish() {
    if (originals_ && is_kept_ && !originals_->are_soon_made_again())
      rewriter_.cache_.keep_originals(std::move(originals_));
  }

 private:
  Rewriter& rewriter_;
  const std::stop_token& stop_;
  std::unique_ptr<Originals> originals_;  // from the first output on that the cache did not know
  TokenCounts tokens_;
  bool is_kept_ = true;           // all outputs so far are in the cache
  std::deque<Replacement> made_;  // that the cache does not hold
};

Compactor compactor_for(const Policy& policy) {
  return [options = policy.compact, references = policy.references](
             std::string_view text, Treatment treatment, const compact::Earlier& earlier,
             const std::stop_token& stop) {
    compact::Options chosen = options;
    chosen.treatment = treatment;
    return compact::compact(text, chosen, references ? &earlier : nullptr, stop);
  };
}

Rewriter::Rewriter(Policy policy, std::size_t cache_bytes)
    : policy_(std::move(policy)), compactor_(compactor_for(policy_)), cache_(cache_bytes) {}

Rewriter::Rewriter(Policy policy, Compactor compactor, std::size_t cache_bytes)
    : policy_(std::move(policy)), compactor_(std::move(compactor)), cache_(cache_bytes) {}

Rewritten Rewriter::rewrite(std::string_view target, std::string_view body, std::stop_token stop) {
  const Format* const format = format_of(target);
  ToolTraffic traffic;
  if (format == nullptr || !format->locate(body, traffic)) return {};
  Rewritten result;
  Rewritten given_up;
  given_up.given_up = true;
  result.outputs_found = traffic.outputs.size();
  Calls calls(body, traffic);
  Walk walk(*this, stop);
  std::vector<Change> changes;
  // Shorter outputs get no form and nothing refers to them.
  const std::size_t least_bytes = std::min(policy_.compact.min_bytes, Originals::least_text_bytes);
  std::set<std::string> ids;
  for (const ToolOutput& output : traffic.outputs) {
    if (stop.stop_requested()) return given_up;
    const auto [id, is_first] = ids.insert(plain(output.call_id.of(body)));
    OutputKey key = key_of(output, calls.of(output), body, is_first ? std::string_view() : *id);
    if (traffic.may_be_cut) key.name = {};
    if (key.json_string.size() < least_bytes && key.retired.empty() &&
        !may_look_like_form(key.json_string)) {
      if (!is_readable(key.json_string)) return {};  // not JSON after all
      continue;
    }
    const Replacement* const replacement = walk.next(key);
    if (replacement == nullptr) {  // not JSON after all, or a stop
      return stop.stop_requested() ? given_up : Rewritten();
    }
    if (*replacement) changes.push_back({output.text, **replacement});
  }
  walk.finish();
  result.outputs_rewritten = changes.size();
  result.tokens_received = walk.tokens().received / compact::token;
  result.tokens_sent = walk.tokens().sent / compact::token;
  if (!changes.empty()) result.body = splice(body, changes);
  return result;
}

}  // namespace tare::wire
