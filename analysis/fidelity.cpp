#include "analysis/fidelity.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/field_rows.h"

namespace tare::analysis {
namespace {

using nlohmann::json;

// The bytes outside the tool outputs are the same, piece by piece.
bool same_outside(const StoredBody& a, const StoredBody& b) {
  std::size_t from_a = 0;
  std::size_t from_b = 0;
  for (std::size_t i = 0; i <= a.outputs.size(); ++i) {
    const bool last = i == a.outputs.size();
    const std::size_t to_a = last ? a.bytes.size() : a.outputs[i].begin;
    const std::size_t to_b = last ? b.bytes.size() : b.outputs[i].begin;
    if (std::string_view(a.bytes).substr(from_a, to_a - from_a) !=
        std::string_view(b.bytes).substr(from_b, to_b - from_b)) {
      return false;
    }
    if (last) break;
    from_a = a.outputs[i].end;
    from_b = b.outputs[i].end;
  }
  return true;
}

json without_outputs(const StoredBody& body) {
  json values = json::parse(body.bytes);
  for (const auto& output : body.outputs) values[json::json_pointer(output.pointer)] = nullptr;
  return values;
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t begin = at;
    while (at < text.size() && is_word(text[at])) ++at;
    if (at > begin) words.push_back(text.substr(begin, at - begin));
  }
  return words;
}

// The word stands there as a whole.
bool holds_word(std::string_view text, std::string_view word) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string_view::npos; ++at) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) {
      return true;
    }
  }
  return false;
}

std::string decoded_key(const std::string& arm, const std::string& sent,
                        const std::string& forwarded) {
  return fmt::format("{} {} {}", sent, forwarded, arm);
}

}  // namespace

Change compare_bodies(const StoredBody& sent, const StoredBody& forwarded) {
  if (sent.bytes == forwarded.bytes) return Change::none;
  if (!sent.readable || !forwarded.readable) return Change::unknown;
  if (sent.outputs.size() != forwarded.outputs.size()) return Change::other;
  if (same_outside(sent, forwarded)) return Change::outputs_only;
  return without_outputs(sent) == without_outputs(forwarded) ? Change::respelled : Change::other;
}

bool holds_fact(const StoredBody& forwarded, const Fact& fact) {
  for (const auto& output : forwarded.outputs) {
    for (const auto& spelling : fact.spellings) {
      if (output.text.find(spelling) != std::string::npos) return true;
    }
  }
  return false;
}

bool holds_words_of(const StoredBody& forwarded, const Fact& fact) {
  return std::any_of(fact.spellings.begin(), fact.spellings.end(), [&](const auto& spelling) {
    const auto words = words_of(spelling);
    return std::all_of(words.begin(), words.end(), [&](std::string_view word) {
      return std::any_of(forwarded.outputs.begin(), forwarded.outputs.end(),
                         [&](const auto& output) { return holds_word(output.text, word); });
    });
  });
}

std::string difference_of_outputs(const StoredBody& sent, const StoredBody& decoded) {
  if (!decoded.readable) return "the decoder's result is not JSON";
  if (sent.outputs.size() != decoded.outputs.size()) {
    return fmt::format("the decoder gave {} tool outputs, {} were sent", decoded.outputs.size(),
                       sent.outputs.size());
  }
  for (std::size_t i = 0; i < sent.outputs.size(); ++i) {
    const std::string& want = sent.outputs[i].text;
    const std::string& got = decoded.outputs[i].text;
    if (want == got) continue;
    const auto [at, other] = std::mismatch(want.begin(), want.end(), got.begin(), got.end());
    return fmt::format("output {} differs from byte {} on", i + 1, at - want.begin());
  }
  return "";
}

FidelityCheck::FidelityCheck(const RawRun& run, const std::vector<ScoreRow>& scores, Bodies& bodies)
    : run_(run), bodies_(bodies) {
  for (const auto& row : scores) {
    const bool whole = std::ranges::all_of(
        row.score.facts, [](const FactScore& fact) { return fact.words.has_value(); });
    if (whole) scores_[decoded_key(row.arm, row.sent_sha256, row.forwarded_sha256)] = &row;
  }
  for (const auto& row : run.workload) workload_[row.sha256] = &row;
  for (const auto& row : run.decoded) {
    decoded_[decoded_key(row.arm, row.sent_sha256, row.forwarded_sha256)] = &row;
  }
}

Kept FidelityCheck::check(const ArmInfo& arm, const std::vector<const RequestRow*>& requests) {
  Kept kept;
  // A run keeps each SHA-256 once, so the place of its text stands for it.
  std::set<std::pair<const char*, const char*>> seen;
  std::set<const char*> sent;
  for (const RequestRow* request : requests) {
    if (!request->received_sha256) continue;
    if (!seen.emplace(request->sent_sha256.data(), request->received_sha256->data()).second) {
      continue;
    }
    sent.insert(request->sent_sha256.data());
    kept.request_lines.add(request->line);
    check_pair(arm, std::string(request->sent_sha256), std::string(*request->received_sha256),
               kept);
  }
  kept.sent_bodies = sent.size();
  kept.pairs = seen.size();
  return kept;
}

void FidelityCheck::check_pair(const ArmInfo& arm, const std::string& sent,
                               const std::string& forwarded, Kept& kept) {
  const auto score = scores_.find(decoded_key(arm.name, sent, forwarded));
  if (score == scores_.end()) {
    check_bodies(sent, forwarded, kept);
  } else {
    const PairScore& found = score->second->score;
    ++kept.changes[found.change];
    for (const auto& fact : found.facts) {
      ++kept.facts;
      if (fact.standing == FactStanding::kept) ++kept.facts_kept;
      if (fact.words == true) ++kept.facts_words_kept;
    }
  }
  if (!arm.decoder.empty() || decoded_.contains(decoded_key(arm.name, sent, forwarded))) {
    check_decoded(arm, sent, forwarded, kept);
  }
}

void FidelityCheck::check_bodies(const std::string& sent, const std::string& forwarded,
                                 Kept& kept) {
  const StoredBody* before = bodies_.find(sent);
  const StoredBody* after = bodies_.find(forwarded);
  const bool both = before != nullptr && after != nullptr;
  const bool same = !run_.bodies_kept && sent == forwarded;  // equal SHA-256s need no bodies
  ++kept.changes[same ? Change::none : both ? compare_bodies(*before, *after) : Change::unknown];
  const auto row = workload_.find(sent);
  if (row == workload_.end()) return;
  if (after == nullptr) {
    kept.facts_unknown += row->second->facts.size();
    return;
  }
  for (const auto& fact : row->second->facts) {
    ++kept.facts;
    if (holds_fact(*after, fact)) ++kept.facts_kept;
    if (holds_words_of(*after, fact)) ++kept.facts_words_kept;
  }
}

void FidelityCheck::check_decoded(const ArmInfo& arm, const std::string& sent,
                                  const std::string& forwarded, Kept& kept) const {
  const auto at = decoded_.find(decoded_key(arm.name, sent, forwarded));
  const DecodedRow* row = at == decoded_.end() ? nullptr : at->second;
  if (!run_.decoders_checked) {
    ++kept.cannot_be_told["the decoder was not run: type tare verify DIR"];
  } else if (row == nullptr) {
    ++kept.cannot_be_told["fidelity.jsonl has no row for it: type tare verify DIR"];
  } else if (row->equal == true) {
    ++kept.given_back;
  } else if (row->equal == false) {
    ++kept.not_given_back;
  } else {
    ++kept.cannot_be_told[row->reason];
  }
}

}  // namespace tare::analysis
