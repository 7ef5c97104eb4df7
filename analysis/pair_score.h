// What one forwarded request body keeps of the sent one: each tool output by output_score.h, the
// planted facts one by one, what else was changed, and what text was added to the request. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/bodies.h"
#include "analysis/fidelity.h"
#include "analysis/output_score.h"
#include "analysis/tokenizer.h"

namespace tare::analysis {

enum class FactStanding { kept, derivable, recoverable, lost };
std::string_view name_of(FactStanding standing);

struct FactScore {
  std::string name;
  FactStanding standing = FactStanding::lost;
  // All words of one of its spellings stand in the forwarded outputs; absent in older rows.
  std::optional<bool> words;
};

// Text outside the tool outputs that the sent body does not have: instructions, tools, messages.
struct AddedText {
  std::size_t bytes = 0;
  std::size_t tokens = 0;
  std::string example;  // its beginning

  void add(const AddedText& other);
};

// Of a sent and a forwarded body: in its tool outputs, and in all.
struct PairTokens {
  double sent_outputs = 0;
  double forwarded_outputs = 0;
  double sent = 0;
  double forwarded = 0;

  void add(const PairTokens& other);
};

struct PairScore {
  Change change = Change::unknown;
  PairTokens estimated_tokens;
  std::size_t outputs = 0;
  std::size_t outputs_gone = 0;  // outputs that the forwarded body does not have at all
  OutputScore said;              // of all outputs together
  std::vector<FactScore> facts;
  AddedText added;

  Standing fact_standing() const;
  // Lost, and not even their words are there; nothing when that is not known.
  std::optional<std::size_t> facts_without_words() const;
};

// A marker of the arm's own in the forwarded body, and what came back for it.
struct FoundMarker {
  std::string text;
  std::string retrieved;  // empty: nothing
};

struct PairEvidence {
  const StoredBody& sent;
  const StoredBody& forwarded;
  const StoredBody* decoded = nullptr;  // what the arm's decoder made; it has none, or it failed
  const std::vector<FoundMarker>& markers;
  const std::vector<Fact>& facts;
};

// Keeps the scores of outputs that it has seen: a conversation sends each again with every turn.
// Belongs to one thread.
class PairScorer {
 public:
  explicit PairScorer(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}
  PairScore score(const PairEvidence& evidence);

 private:
  const OutputScore& score_text(std::string_view original, std::string_view forwarded,
                                const std::string* decoded, const std::vector<FoundMarker>& markers,
                                std::string_view earlier);

  const Tokenizer& tokenizer_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, OutputScore> scores_;  // by two hashes
};

// Which output of `after` answers each of `before`: by place when there are as many, else by call
// and place in it. nullptr: none.
std::vector<const ToolOutput*> matching_outputs(const StoredBody& before, const StoredBody& after);

// What the strings of `forwarded` outside its tool outputs have more than those of `sent`.
std::string added_text(const StoredBody& sent, const StoredBody& forwarded);

}  // namespace tare::analysis
