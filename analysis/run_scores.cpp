#include "analysis/run_scores.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>

namespace tare::analysis {
namespace {

using nlohmann::json;

constexpr std::size_t longest_example_bytes = 4096;

void shorten(std::vector<std::string>& examples) {
  for (auto& text : examples) {
    if (text.size() > longest_example_bytes) text.resize(longest_example_bytes);
  }
}

// turn -> SHA-256s of the bodies sent and forwarded
using Turns = std::map<int, std::pair<std::string, std::string>>;

// The turns of a conversation as one start sent them: the first start that has most of them.
const Turns& longest(const std::map<std::int64_t, Turns>& starts) {
  return std::ranges::max_element(starts, {}, [](const auto& start) { return start.second.size(); })
      ->second;
}

}  // namespace

std::string retrieved_text(std::string_view reply) {
  std::string text;
  const json root = json::parse(reply, nullptr, false);
  if (!root.is_discarded()) {
    for (const auto& value : root.flatten()) {
      if (value.is_string()) text += value.get_ref<const std::string&>() + "\n";
    }
  }
  return text + std::string(reply);
}

RunScores::RunScores(const RawRun& run, const FieldRows& rows, const Tokenizer& tokenizer)
    : run_(run), rows_(rows), tokenizer_(tokenizer), scorer_(tokenizer), counter_(tokenizer) {
  for (const auto& row : run.workload) facts_[row.sha256] = row.facts;
  for (const auto& row : rows.retrieved) {
    retrieved_[{row.arm, row.forwarded_sha256}].push_back(&row);
  }
}

std::vector<FoundMarker> RunScores::markers_of(const std::string& arm, const std::string& forwarded,
                                               Bodies& bodies) const {
  std::vector<FoundMarker> markers;
  const auto rows = retrieved_.find({arm, forwarded});
  if (rows == retrieved_.end()) return markers;
  for (const RetrievedRow* row : rows->second) {
    FoundMarker marker{row->marker, ""};
    const StoredBody* reply = row->sha256 ? bodies.find(*row->sha256) : nullptr;
    if (reply != nullptr) marker.retrieved = retrieved_text(reply->bytes);
    markers.push_back(std::move(marker));
  }
  return markers;
}

void RunScores::add_line(const json& row) {
  lines_ += row.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

void RunScores::add_pair(const std::string& arm, const std::string& sent,
                         const std::string& forwarded, const StoredBody* decoded, Bodies& bodies) {
  const StoredBody* before = bodies.find(sent);
  const StoredBody* after = bodies.find(forwarded);
  if (before == nullptr || after == nullptr) return;
  const auto facts = facts_.find(sent);
  static const std::vector<Fact> none;
  const auto markers = markers_of(arm, forwarded, bodies);
  ScoreRow row{arm, sent, forwarded,
               scorer_.score({.sent = *before,
                              .forwarded = *after,
                              .decoded = decoded,
                              .markers = markers,
                              .facts = facts == facts_.end() ? none : facts->second})};
  shorten(row.score.said.lost);
  shorten(row.score.said.false_said);
  add_line(to_json(row));
}

void RunScores::add_conversations(const std::string& arm, Bodies& bodies) {
  std::map<std::pair<std::string, std::string>, std::map<std::int64_t, Turns>> conversations;
  for (const auto& request : run_.requests) {
    if (request.arm != arm || !request.received_sha256) continue;
    const auto origin = rows_.origins.find(std::string(request.sent_sha256));
    if (origin == rows_.origins.end() || origin->second.conversation.empty()) continue;
    conversations[{std::string(request.task), origin->second.conversation}][request.start]
        .try_emplace(origin->second.turn, std::string(request.sent_sha256),
                     std::string(*request.received_sha256));
  }
  for (const auto& [name, starts] : conversations) {
    std::vector<std::string_view> sent;
    std::vector<std::string_view> forwarded;
    for (const auto& [turn, pair] : longest(starts)) {
      const StoredBody* before = bodies.find(pair.first);
      const StoredBody* after = bodies.find(pair.second);
      if (before == nullptr || after == nullptr) continue;
      sent.emplace_back(before->bytes);
      forwarded.emplace_back(after->bytes);
    }
    add_line(to_json(ConversationTurns{.arm = arm,
                                       .task = name.first,
                                       .conversation = name.second,
                                       .tokenizer = std::string(tokenizer_.name()),
                                       .sent = counter_.count(sent),
                                       .forwarded = counter_.count(forwarded)}));
  }
}

}  // namespace tare::analysis
