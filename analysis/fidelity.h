// What an arm did to a body: which bytes it changed, and whether what matters is still there.
// Pure functions over stored bodies.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/bodies.h"
#include "analysis/lines.h"
#include "analysis/raw_reader.h"

namespace tare::analysis {

struct ScoreRow;  // field_rows.h

enum class Change {
  none,          // byte for byte what was sent
  outputs_only,  // outside the tool outputs every byte is the client's own
  respelled,     // outside the tool outputs other bytes, but the same JSON values
  other,         // something else than the tool outputs was changed
  unknown,       // a body is missing, damaged or not readable as JSON
};

// Of the same body as it was sent and as it was forwarded.
Change compare_bodies(const StoredBody& sent, const StoredBody& forwarded);

// One of the fact's spellings stands literally in the text of a tool output.
bool holds_fact(const StoredBody& forwarded, const Fact& fact);

// Every word of one of its spellings stands somewhere in the tool outputs: what is left of a fact
// whose record was taken apart, for example into a table with a head. A word is a run of letters,
// digits, '_' and '-'.
bool holds_words_of(const StoredBody& forwarded, const Fact& fact);

// "" when the decoded body has exactly the sent body's tool outputs; else what differs.
std::string difference_of_outputs(const StoredBody& sent, const StoredBody& decoded);

// What one arm kept in one group. A pair is a distinct sent body with a distinct body that was
// forwarded for it, warm-ups too.
struct Kept {
  std::size_t sent_bodies = 0;  // distinct
  std::size_t pairs = 0;        // more than sent_bodies: the same body was forwarded differently
  std::map<Change, std::size_t> changes;
  std::size_t facts = 0;             // pairs x planted facts, where it can be told
  std::size_t facts_unknown = 0;     // of those whose forwarded body is not there: in no other
  std::size_t facts_kept = 0;        // literally there
  std::size_t facts_words_kept = 0;  // all their words are there
  std::size_t given_back = 0;        // the arm's decoder rebuilt each output exactly
  std::size_t not_given_back = 0;
  std::map<std::string, std::size_t> cannot_be_told;  // reason -> pairs
  Lines request_lines;                                // a request of each pair
};

class FidelityCheck {
 public:
  // What `scores` say of a pair is not looked for in its bodies again.
  FidelityCheck(const RawRun& run, const std::vector<ScoreRow>& scores, Bodies& bodies);
  // `requests`: of one arm and group.
  Kept check(const ArmInfo& arm, const std::vector<const RequestRow*>& requests);

 private:
  void check_pair(const ArmInfo& arm, const std::string& sent, const std::string& forwarded,
                  Kept& kept);
  void check_bodies(const std::string& sent, const std::string& forwarded, Kept& kept);
  void check_decoded(const ArmInfo& arm, const std::string& sent, const std::string& forwarded,
                     Kept& kept) const;

  const RawRun& run_;
  Bodies& bodies_;
  std::map<std::string, const WorkloadRow*> workload_;  // by SHA-256
  std::map<std::string, const DecodedRow*> decoded_;    // by decoded_key()
  std::map<std::string, const ScoreRow*> scores_;       // the same
};

}  // namespace tare::analysis
