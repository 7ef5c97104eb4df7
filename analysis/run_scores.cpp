#include "analysis/run_scores.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>

#include "common/hash.h"

namespace tare::analysis {
namespace {

using nlohmann::json;

constexpr std::size_t longest_example_bytes = 4096;

void shorten(const char* of, std::vector<std::string>& examples, std::vector<CutLine>& cut,
             std::map<std::string, std::string>& whole) {
  for (std::size_t i = 0; i < examples.size(); ++i) {
    std::string& text = examples[i];
    if (text.size() <= longest_example_bytes) continue;
    cut.push_back({of, i, text.size(), sha256_hex(text)});
    whole.try_emplace(cut.back().sha256, text);
    text.resize(longest_example_bytes);
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
    : run_(run), tokenizer_(tokenizer), scorer_(tokenizer), counter_(tokenizer) {
  for (const auto& row : run.workload) workload_.try_emplace(row.sha256, &row);
  for (const auto& row : rows.retrieved) {
    retrieved_[row.arm].push_back(&row);
  }
}

// A marker is asked for once a start, after the body in which it first stood; later bodies hold it
// too.
const std::vector<FoundMarker>& RunScores::markers_of(const std::string& arm, Bodies& bodies) {
  const auto [at, fresh] = markers_.try_emplace(arm);
  if (!fresh) return at->second;
  std::map<std::string, std::size_t> places;
  for (const RetrievedRow* row : retrieved_[arm]) {
    const auto [place, first] = places.try_emplace(row->marker, at->second.size());
    if (first) at->second.push_back({row->marker, ""});
    FoundMarker& marker = at->second[place->second];
    const StoredBody* reply = row->sha256 ? bodies.find(*row->sha256) : nullptr;
    if (reply != nullptr && marker.retrieved.empty()) {
      marker.retrieved = retrieved_text(reply->bytes);
    }
  }
  return at->second;
}

void RunScores::add_line(const json& row) {
  lines_ += row.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

void RunScores::add_pair(const std::string& arm, const std::string& sent,
                         const std::string& forwarded, const StoredBody* decoded, Bodies& bodies) {
  const StoredBody* before = bodies.find(sent);
  const StoredBody* after = bodies.find(forwarded);
  if (before == nullptr || after == nullptr) return;
  const auto origin = workload_.find(sent);
  static const std::vector<Fact> none;
  std::vector<FoundMarker> markers;
  std::ranges::copy_if(markers_of(arm, bodies), std::back_inserter(markers), [&](const auto& one) {
    return after->bytes.find(one.text) != std::string::npos;
  });
  ScoreRow row{arm,
               sent,
               forwarded,
               scorer_.score({.sent = *before,
                              .forwarded = *after,
                              .decoded = decoded,
                              .markers = markers,
                              .facts = origin == workload_.end() ? none : origin->second->facts}),
               {}};
  shorten("lost", row.score.said.lost, row.cut, whole_lines_);
  shorten("false", row.score.said.false_said, row.cut, whole_lines_);
  add_line(to_json(row));
}

void RunScores::add_conversations(const std::string& arm, Bodies& bodies) {
  std::map<std::pair<std::string, std::string>, std::map<std::int64_t, Turns>> conversations;
  for (const auto& request : run_.requests) {
    if (request.arm != arm || !request.received_sha256) continue;
    const auto row = workload_.find(request.sent_sha256);
    if (row == workload_.end() || row->second->conversation.empty()) continue;
    conversations[{std::string(request.task), row->second->conversation}][request.start]
        .try_emplace(row->second->turn, std::string(request.sent_sha256),
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
