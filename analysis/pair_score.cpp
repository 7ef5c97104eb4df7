#include "analysis/pair_score.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/kept_lines.h"
#include "analysis/own_words.h"

namespace tare::analysis {
namespace {

using nlohmann::json;

constexpr std::size_t example_bytes = 400;

// Strings of a body by pointer, but for those of its tool outputs.
std::map<std::string, std::string> strings_outside(const StoredBody& body) {
  json root = json::parse(body.bytes, nullptr, false);
  if (!root.is_structured()) return {};
  std::set<std::string> outputs;
  for (const auto& output : body.outputs) outputs.insert(output.pointer);
  std::map<std::string, std::string> strings;
  const json flat = root.flatten();
  for (const auto& [pointer, value] : flat.items()) {
    if (value.is_string() && !outputs.contains(pointer)) strings[pointer] = value;
  }
  return strings;
}

// Without what it begins and ends with as `old` does.
std::string_view changed_part(std::string_view text, std::string_view old) {
  std::size_t front = 0;
  while (front < text.size() && front < old.size() && text[front] == old[front]) ++front;
  text.remove_prefix(front);
  old.remove_prefix(front);
  while (!text.empty() && !old.empty() && text.back() == old.back()) {
    text.remove_suffix(1);
    old.remove_suffix(1);
  }
  return text;
}

bool text_holds(std::string_view text, const Fact& fact) {
  return std::ranges::any_of(fact.spellings, [&](const std::string& spelling) {
    return text.find(spelling) != text.npos;
  });
}

// Whether the arm says in this output that another one has the text.
bool refers_elsewhere(std::string_view original, std::string_view forwarded) {
  bool refers = false;
  for_each_line(forwarded, [&](std::string_view line) {
    refers = refers || (refers_to_other_output(line) && original.find(line) == original.npos);
  });
  return refers;
}

FactStanding standing_of(const Fact& fact, const PairEvidence& evidence) {
  if (holds_fact(evidence.forwarded, fact)) return FactStanding::kept;
  if (evidence.decoded != nullptr && holds_fact(*evidence.decoded, fact)) {
    return FactStanding::derivable;
  }
  const bool behind = std::ranges::any_of(evidence.markers, [&](const FoundMarker& marker) {
    return text_holds(marker.retrieved, fact);
  });
  return behind ? FactStanding::recoverable : FactStanding::lost;
}

}  // namespace

std::string_view name_of(FactStanding standing) {
  switch (standing) {
    case FactStanding::kept:
      return "kept";
    case FactStanding::derivable:
      return "derivable";
    case FactStanding::recoverable:
      return "recoverable";
    case FactStanding::lost:
      return "lost";
  }
  return "";
}

void AddedText::add(const AddedText& other) {
  bytes += other.bytes;
  tokens += other.tokens;
  if (example.empty()) example = other.example;
}

void PairTokens::add(const PairTokens& other) {
  sent_outputs += other.sent_outputs;
  forwarded_outputs += other.forwarded_outputs;
  sent += other.sent;
  forwarded += other.forwarded;
}

Standing PairScore::fact_standing() const {
  Standing standing;
  for (const auto& fact : facts) {
    ++standing.of;
    switch (fact.standing) {
      case FactStanding::kept:
        ++standing.kept;
        break;
      case FactStanding::derivable:
        ++standing.derivable;
        break;
      case FactStanding::recoverable:
        ++standing.recoverable;
        break;
      case FactStanding::lost:
        ++standing.lost;
        break;
    }
  }
  return standing;
}

std::optional<std::size_t> PairScore::facts_without_words() const {
  std::size_t without = 0;
  for (const auto& fact : facts) {
    if (!fact.words) return std::nullopt;
    without += fact.standing == FactStanding::lost && !*fact.words ? 1U : 0U;
  }
  return without;
}

std::vector<const ToolOutput*> matching_outputs(const StoredBody& before, const StoredBody& after) {
  std::vector<const ToolOutput*> matching;
  if (before.outputs.size() == after.outputs.size()) {
    for (const auto& output : after.outputs) matching.push_back(&output);
    return matching;
  }
  std::multimap<std::string_view, const ToolOutput*> by_call;
  for (const auto& output : after.outputs) by_call.emplace(output.call_id, &output);
  for (const auto& output : before.outputs) {
    const auto at = by_call.find(output.call_id);
    matching.push_back(at == by_call.end() ? nullptr : at->second);
    if (at != by_call.end()) by_call.erase(at);
  }
  return matching;
}

std::string added_text(const StoredBody& sent, const StoredBody& forwarded) {
  if (sent.bytes == forwarded.bytes) return "";
  const auto before = strings_outside(sent);
  std::multiset<std::string_view> known;
  for (const auto& [pointer, text] : before) known.insert(text);
  std::string added;
  for (const auto& [pointer, text] : strings_outside(forwarded)) {
    if (const auto at = known.find(text); at != known.end()) {
      known.erase(at);
      continue;
    }
    const auto old = before.find(pointer);
    const auto part = old == before.end() ? text : changed_part(text, old->second);
    if (part.empty()) continue;
    added += part;
    added += '\n';
  }
  return added;
}

PairScore PairScorer::score(const PairEvidence& evidence) {
  PairScore score;
  score.change = compare_bodies(evidence.sent, evidence.forwarded);
  score.estimated_tokens = {evidence.sent.output_tokens, evidence.forwarded.output_tokens,
                            estimate_tokens(evidence.sent.bytes),
                            estimate_tokens(evidence.forwarded.bytes)};
  score.outputs = evidence.sent.outputs.size();
  score.said.exact = true;
  const auto forwarded = matching_outputs(evidence.sent, evidence.forwarded);
  std::vector<const ToolOutput*> decoded(score.outputs);
  if (evidence.decoded != nullptr) decoded = matching_outputs(evidence.sent, *evidence.decoded);
  std::string earlier;  // the forwarded outputs before this one
  for (std::size_t i = 0; i < score.outputs; ++i) {
    if (forwarded[i] == nullptr) ++score.outputs_gone;
    const std::string_view original = evidence.sent.outputs[i].text;
    const std::string_view text =
        forwarded[i] == nullptr ? "" : std::string_view(forwarded[i]->text);
    const bool refers = refers_elsewhere(original, text);
    score.said.add(score_text(original, text, decoded[i] == nullptr ? nullptr : &decoded[i]->text,
                              evidence.markers, refers ? std::string_view(earlier) : ""));
    earlier.append(text).append("\n");
  }
  for (const auto& fact : evidence.facts) {
    score.facts.push_back(
        {fact.name, standing_of(fact, evidence), holds_words_of(evidence.forwarded, fact)});
  }
  const std::string added = added_text(evidence.sent, evidence.forwarded);
  score.added = {added.size(), tokenizer_.count(added), added.substr(0, example_bytes)};
  return score;
}

const OutputScore& PairScorer::score_text(std::string_view original, std::string_view forwarded,
                                          const std::string* decoded,
                                          const std::vector<FoundMarker>& markers,
                                          std::string_view earlier) {
  std::vector<std::string> texts;
  std::vector<std::string_view> retrieved;
  const std::hash<std::string_view> hash;
  std::uint64_t others = decoded == nullptr ? 0 : hash(*decoded) * 3;
  if (!earlier.empty()) {
    retrieved.push_back(earlier);
    others = others * 31 + hash(earlier);
  }
  for (const auto& marker : markers) {
    // What stood in the original already is the tool's, whatever it looks like.
    if (original.find(marker.text) != original.npos) continue;
    if (forwarded.find(marker.text) == forwarded.npos) continue;
    texts.push_back(marker.text);
    if (!marker.retrieved.empty()) retrieved.push_back(marker.retrieved);
    others = others * 31 + hash(marker.text) + hash(marker.retrieved);
  }
  const std::pair key(hash(original), hash(forwarded) * 5 + others);
  const auto [at, fresh] = scores_.try_emplace(key);
  if (fresh) {
    at->second = score_output(
        {.original = original,
         .forwarded = forwarded,
         .decoded = decoded == nullptr ? std::nullopt : std::optional<std::string_view>(*decoded),
         .markers = texts,
         .retrieved = retrieved});
  }
  return at->second;
}

}  // namespace tare::analysis
