#include "analysis/output_score.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "analysis/kept_lines.h"
#include "analysis/literals.h"
#include "analysis/said.h"

namespace tare::analysis {
namespace {

using Words = std::unordered_set<std::string_view>;

Words words_in(std::string_view text) {
  const auto words = words_of(text);
  return {words.begin(), words.end()};
}

Standing literals_of(const Evidence& evidence) {
  const Words forwarded = words_in(evidence.forwarded);
  const Words decoded = words_in(evidence.decoded.value_or(""));
  Words retrieved;
  for (const auto text : evidence.retrieved) retrieved.merge(words_in(text));
  Standing standing;
  for (const auto literal : distinctive_literals(evidence.original)) {
    ++standing.of;
    if (forwarded.contains(literal)) {
      ++standing.kept;
    } else if (decoded.contains(literal)) {
      ++standing.derivable;
    } else if (retrieved.contains(literal)) {
      ++standing.recoverable;
    } else {
      ++standing.lost;
    }
  }
  return standing;
}

// text of a line -> how often it stands there
using Counts = std::unordered_map<std::string_view, std::size_t>;

Counts line_counts(std::string_view text) {
  Counts counts;
  for_each_line(text, [&](std::string_view line) { ++counts[line]; });
  return counts;
}

std::size_t count_in(const Counts& counts, std::string_view line) {
  const auto at = counts.find(line);
  return at == counts.end() ? 0 : at->second;
}

// Of the lines that are not kept: who else has them. Fills `lost` with what is left.
void place_missing_lines(const Evidence& evidence, const KeptLines& kept, OutputScore& score,
                         std::vector<std::string_view>& lost) {
  Counts decoded = line_counts(evidence.decoded.value_or(""));
  Counts retrieved;
  for (const auto text : evidence.retrieved) {
    for (const auto& [line, n] : line_counts(text)) retrieved[line] += n;
  }
  // A decoded text holds the kept lines too; what was retrieved may be the missing part alone.
  for (const auto line : kept.kept) {
    auto at = decoded.find(line);
    if (at != decoded.end() && at->second > 0) --at->second;
  }
  for (const auto line : kept.missing) {
    if (count_in(decoded, line) > 0) {
      --decoded[line];
      ++score.lines.derivable;
    } else if (count_in(retrieved, line) > 0) {
      --retrieved[line];
      ++score.lines.recoverable;
    } else {
      ++score.lines.lost;
      lost.push_back(line);
    }
  }
}

std::vector<std::string> first_few(const std::vector<std::string_view>& lines) {
  return {lines.begin(),
          lines.begin() + static_cast<std::ptrdiff_t>(std::min(lines.size(), most_examples))};
}

// The text breaks off in a line that is no line of the original.
bool ends_in_unknown(std::string_view text, const std::vector<std::string_view>& unknown) {
  if (unknown.empty() || text.ends_with('\n')) return false;
  const std::string_view rest = text.substr(
      static_cast<std::size_t>(unknown.back().data() + unknown.back().size() - text.data()));
  return rest.find('\n') == rest.npos;
}

}  // namespace

void Standing::add(const Standing& other) {
  of += other.of;
  kept += other.kept;
  derivable += other.derivable;
  recoverable += other.recoverable;
  lost += other.lost;
}

void OutputScore::add(const OutputScore& other) {
  lines.add(other.lines);
  respelled += other.respelled;
  moved += other.moved;
  extra += other.extra;
  literals.add(other.literals);
  exact = exact && other.exact;
  own_lines += other.own_lines;
  rearranged_lines += other.rearranged_lines;
  false_lines += other.false_lines;
  false_numbers += other.false_numbers;
  const auto append = [](auto& to, const auto& from) {
    for (const auto& text : from) {
      if (to.size() < most_examples) to.push_back(text);
    }
  };
  append(lost, other.lost);
  append(false_said, other.false_said);
}

OutputScore score_output(const Evidence& evidence) {
  OutputScore score;
  score.exact = evidence.forwarded == evidence.original || evidence.decoded == evidence.original;
  const KeptLines kept = find_kept_lines(evidence.original, evidence.forwarded);
  score.lines.of = kept.kept.size() + kept.missing.size();
  score.lines.kept = kept.kept.size();
  score.moved = kept.moved;
  score.literals = literals_of(evidence);
  std::vector<std::string_view> lost;
  place_missing_lines(evidence, kept, score, lost);
  score.lost = first_few(lost);
  const Counts shown = line_counts(evidence.forwarded);
  std::erase_if(lost, [&](std::string_view line) { return shown.contains(line); });
  score.respelled = count_standing(lost, evidence.forwarded);
  score.extra = score.exact ? 0 : kept.extra;
  score.own_lines = kept.own;
  if (score.exact) return score;
  const Said said = judge_lines(kept.unknown, evidence.original, evidence.markers,
                                ends_in_unknown(evidence.forwarded, kept.unknown));
  score.own_lines += said.own;
  score.rearranged_lines = said.rearranged;
  score.false_lines = said.false_lines.size();
  score.false_numbers = said.false_numbers;
  score.false_said = first_few(said.false_lines);
  return score;
}

}  // namespace tare::analysis
