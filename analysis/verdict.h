// What may be said of a comparison. Pure functions over effects (effect.h).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/effect.h"

namespace tare::analysis {

// Less is better of every metric here.
enum class Verdict { better, worse, equivalent, different_but_small, inconclusive, none };
std::string_view name_of(Verdict verdict);  // "different but small"; "none" where no n carries one

// The fewest rounds that may carry a verdict: at fewer no test of a family of 50 can be significant
// after Holm (2 / 2^n x 50 <= 0.05).
inline constexpr std::size_t fewest_rounds_for_verdict = 11;

struct Judged {
  Effect effect;
  double margin = 0;                   // as a share: 0.05
  std::optional<double> p;             // of the shift beyond the margin
  std::optional<double> p_holm;        // the same in its family
  std::optional<Interval> bonferroni;  // 95 % over the family
  std::optional<double> resolution;    // the twin's half-width, a log ratio
  std::optional<double> smallest;      // the smallest effect this run could have seen, a log ratio
  Verdict verdict = Verdict::none;
  std::string because;
};

// One comparison of a family before it is judged.
struct Contender {
  std::vector<RoundPair> rounds;
  double margin = 0;                 // as a share, 0 or above
  std::optional<double> resolution;  // of the same metric and group; absent: the run has no twin
};

// The verdicts of a family (primary metrics x arms x groups). With the margin m as a ratio 1 + m up
// and 1 / (1 + m) down:
//   better, worse        Holm's p of the shift beyond the margin is at most 0.05, and the estimate
//                        is larger than the twin's half-width
//   equivalent           the 90 % interval lies inside the margin (two one-sided tests: Schuirmann,
//                        Journal of Pharmacokinetics and Biopharmaceutics 15 (1987))
//   different but small  the same, and the 95 % interval excludes 0
//   inconclusive         the rest, and whatever is tail-driven
// The resolution restrains better and worse only; it never widens what is equivalent.
std::vector<Judged> judge(std::span<const Contender> family);

}  // namespace tare::analysis
