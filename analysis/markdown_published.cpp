// Published figures beside the run's, and claim by claim what the run says of them.
#include <fmt/format.h>

#include "analysis/markdown_reporter.h"
#include "analysis/markdown_text.h"

namespace tare::analysis::markdown {
namespace {

std::string figures_table(const Results& results, const Published& published) {
  Table table({"group", "arm", ">mean ms, published", ">here", ">CPU ms a request, published",
               ">here", ">forwarded bytes, published", ">here", ">private MiB, published",
               ">here"});
  for (const auto& group : published.groups) {
    const GroupResult* ours = nullptr;
    for (const auto& one : results.groups) {
      if (one.task == group.task && one.mode == group.mode) ours = &one;
    }
    for (const auto& cell : group.cells) {
      const Cell* here = ours == nullptr ? nullptr : ours->find(cell.arm);
      static const Figures nothing;
      const Figures& f = here == nullptr ? nothing : here->figures;
      table.add({plain(group.task + "/" + group.mode), arm_name(results, cell.arm),
                 optional_text(cell.mean_ms, milliseconds),
                 optional_text(f.value(metrics::mean_latency), milliseconds),
                 optional_text(cell.cpu_ms_per_request, milliseconds),
                 optional_text(f.value(metrics::cpu), milliseconds),
                 optional_text(cell.mean_forwarded_bytes, bytes),
                 optional_text(f.value(metrics::forwarded_bytes), bytes),
                 optional_text(cell.private_bytes, mebibytes),
                 optional_text(f.value(metrics::private_largest), mebibytes)});
    }
  }
  return table.text();
}

std::string number(double value) {
  return fmt::format("{:.4g}", value);
}

// A value of a claim in the form that suits it.
std::string claim_value(const Claim& claim, double value) {
  if (claim.id == "cpu-reduction") return percent(value);
  if (claim.id == "latency") return number(value) + "x";
  if (claim.id == "faster") return milliseconds(value) + " ms";
  return bytes(value);
}

std::string values(const Claim& claim, const std::vector<double>& here) {
  std::string text;
  for (const double value : here) {
    if (!text.empty()) text += " / ";
    text += claim_value(claim, value);
  }
  return text.empty() ? std::string(none) : text;
}

std::string with_reason(std::string outcome, const std::string& because, const char* joint) {
  return because.empty() ? outcome : fmt::format("{}{}{}", outcome, joint, plain(because));
}

std::string joint_of(Outcome outcome) {
  return outcome == Outcome::cannot_be_told ? ", because " : ", ";
}

std::string claims_table(const Comparison& comparison) {
  Table table({"claim", "kind", "what this run says"});
  for (const auto& result : comparison.claims) {
    table.add(
        {plain(result.claim.text), plain(result.claim.kind),
         with_reason(
             "**" + outcome_text(result.outcome, result.rounds_reproduced, result.rounds) + "**",
             result.because, joint_of(result.outcome).c_str())});
  }
  return table.text();
}

std::string parts_table(const Comparison& comparison) {
  Table table({"claim", "of", ">published", ">here, or here in each round", "outcome"});
  for (const auto& result : comparison.claims) {
    for (const auto& part : result.parts) {
      table.add({plain(result.claim.id), plain(part.about),
                 part.published ? claim_value(result.claim, *part.published) : std::string(none),
                 values(result.claim, part.here),
                 with_reason(outcome_text(part.outcome, part.rounds_reproduced, part.rounds),
                             part.because, joint_of(part.outcome).c_str())});
    }
  }
  return table.empty() ? "" : "\n" + table.text();
}

}  // namespace

std::string published_tables(const Results& results, const Comparison& comparison) {
  const Published& published = comparison.published;
  std::string text = fmt::format("\n## Beside the published figures\n\nFrom: {} ({}).\n",
                                 plain(published.source), plain(published.host));
  if (results.figures_given) {
    text +=
        "\nIn each cell: published \\| here. The published proxy cannot be installed; its "
        "figures stand beside those of ";
    text += fmt::format("{}.\n\n", plain(published.arm("proxy")));
    text += figures_table(results, published) + marks(results);
  }
  if (comparison.claims.empty()) return text;
  text += "\n### Claim by claim\n\n" + claims_table(comparison);
  text += fmt::format(
      "\nExact claims are decided by equality. Of the others a round says yes or no: a direction "
      "is "
      "reproduced in a round when {} differs from {} the same way in it, a ratio when it is at "
      "least "
      "as good as the published one in it; the claim, when each part that can be told is. No "
      "verdict "
      "follows from so few rounds.\n",
      plain(published.arm("proxy")), plain(published.arm("headroom")));
  return text + parts_table(comparison) + marks(results);
}

}  // namespace tare::analysis::markdown
