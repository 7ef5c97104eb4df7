#include "analysis/reporter.h"

#include <fmt/format.h>

#include <array>

#include "analysis/csv_reporter.h"
#include "analysis/github_reporter.h"
#include "analysis/html_reporter.h"
#include "analysis/json_reporter.h"
#include "analysis/markdown_reporter.h"

namespace tare::analysis {

std::span<const Reporter* const> reporters() {
  static const MarkdownReporter markdown;
  static const HtmlReporter html;
  static const JsonReporter json;
  static const CsvReporter csv;
  static const GithubReporter github;
  static const std::array<const Reporter*, 5> all{&markdown, &html, &json, &csv, &github};
  return all;
}

const Reporter* find_reporter(std::string_view name) {
  for (const Reporter* reporter : reporters()) {
    if (reporter->name() == name) return reporter;
  }
  return nullptr;
}

std::string outcome_text(Outcome outcome, std::size_t rounds_reproduced, std::size_t rounds) {
  switch (outcome) {
    case Outcome::holds:
      return "holds";
    case Outcome::does_not_hold:
      return "does not hold";
    case Outcome::reproduced:
      return fmt::format("reproduced in {} of {} rounds", rounds_reproduced, rounds);
    case Outcome::cannot_be_told:
      return "cannot be told";
  }
  return "";
}

std::vector<std::string_view> general_limits(const Results& results) {
  return {
      results.sliced
          ? "A verdict is of this machine, this load and these groups: the rounds are repeated "
            "here, not elsewhere. It says what the figures can carry, not what matters."
          : "No intervals and no verdicts are given: the unit of inference is one start of an arm "
            "in one round, and this many rounds cannot carry them. The means of the rounds stand "
            "beside each mean; their spread is what is known of the noise.",
      "Requests are sent one at a time over loopback to a scripted upstream that answers at once: "
      "latencies are of the way through the arm, not of a model's answer, and say nothing of many "
      "clients at once.",
      "The requests are generated and of six groups only; what an arm keeps of them is not what it "
      "keeps of other outputs.",
      results.tokens_counted
          ? "Tokens are o200k_base tokens of the tool outputs, counted exactly; another model's "
            "tokenizer counts others."
          : "Token counts are estimates of the tool outputs (o200k_base, no vocabulary, about 5 % "
            "off); bytes are counted exactly.",
      "A planted fact is looked for in the forwarded tool outputs only: what an arm keeps "
      "elsewhere, "
      "for a model to fetch, does not count.",
      "A percentile is given only where ten or more values are expected beyond it, over the "
      "requests of all rounds together."};
}

}  // namespace tare::analysis
