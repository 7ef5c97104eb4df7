// The field: arms by class, what each kept, lost and said falsely, what its conversations cost, and
// whether what its authors claim holds.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/bodies.h"
#include "analysis/markdown_reporter.h"
#include "analysis/markdown_text.h"

namespace tare::analysis::markdown {
namespace {

std::string share_of(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f}", 100 * part / whole) : std::string(none);
}

std::string of(std::size_t part, std::size_t whole) {
  if (whole == 0) return std::string(none);
  return fmt::format("{} of {}", grouped(part), grouped(whole));
}

// The mean over the groups of a class.
std::optional<double> mean_over_groups(const Results& results, const FieldCell& cell,
                                       const Metric& metric) {
  double sum = 0;
  std::size_t n = 0;
  for (const auto& group : results.groups) {
    const Cell* found = group.task == cell.class_name ? group.find(cell.arm) : nullptr;
    const auto value = found == nullptr ? std::nullopt : found->figures.value(metric);
    if (!value) continue;
    sum += *value;
    ++n;
  }
  if (n == 0) return std::nullopt;
  return sum / static_cast<double>(n);
}

std::string stable_turns(const FieldCell& cell) {
  std::size_t turns = 0;
  std::size_t stable = 0;
  for (const auto& conversation : cell.conversations) {
    for (std::size_t i = 1; i < conversation.forwarded.size(); ++i) {
      if (!conversation.sent[i].stable) continue;  // the client itself began anew
      ++turns;
      stable += conversation.forwarded[i].stable ? 1U : 0U;
    }
  }
  return of(stable, turns);
}

const std::vector<std::string> kept_titles{">bodies",
                                           ">output tokens kept %",
                                           ">request tokens kept %",
                                           ">facts lost",
                                           ">not even their words",
                                           ">lines kept %",
                                           ">derivable %",
                                           ">recoverable %",
                                           ">lines lost",
                                           ">of these respelled",
                                           ">literals lost %",
                                           ">false lines",
                                           ">false numbers",
                                           ">text added, tokens",
                                           "deterministic"};

std::vector<std::string> kept_cells(const FieldCell& cell) {
  return {grouped(cell.pairs),
          share_of(cell.tokens.forwarded_outputs, cell.tokens.sent_outputs),
          share_of(cell.tokens.forwarded, cell.tokens.sent),
          of(cell.facts.lost, cell.facts.of),
          cell.facts_without_words && cell.facts.of > 0 ? grouped(*cell.facts_without_words)
                                                        : std::string(none),
          percent_of(cell.lines.kept, cell.lines.of),
          percent_of(cell.lines.derivable, cell.lines.of),
          percent_of(cell.lines.recoverable, cell.lines.of),
          of(cell.lines.lost, cell.lines.of),
          grouped(cell.respelled),
          percent_of(cell.literals.lost, cell.literals.of),
          grouped(cell.false_lines),
          grouped(cell.false_numbers),
          grouped(cell.added_tokens),
          cell.deterministic() ? "yes" : "no"};
}

std::string class_table(const Results& results, const FieldResults& field,
                        const std::string& class_name) {
  std::vector<std::string> titles{"arm"};
  titles.insert(titles.end(), kept_titles.begin(), kept_titles.end());
  titles.insert(titles.end(), {">prefix stable", ">added ms", ">CPU ms", ">MiB"});
  Table table(titles);
  for (const auto& cell : field.cells) {
    if (cell.class_name != class_name) continue;
    std::vector<std::string> row{arm_name(results, cell.arm)};
    for (auto& text : kept_cells(cell)) row.push_back(std::move(text));
    row.push_back(stable_turns(cell));
    row.push_back(
        optional_text(mean_over_groups(results, cell, metrics::added_mean), milliseconds));
    row.push_back(optional_text(mean_over_groups(results, cell, metrics::cpu), milliseconds));
    row.push_back(optional_text(mean_over_groups(results, cell, metrics::anon_end), mebibytes));
    table.add(std::move(row));
  }
  return table.empty() ? "No arm has a scored body.\n" : table.text();
}

// All classes of an arm together.
FieldCell sum_of(const FieldResults& field, const std::string& arm) {
  FieldCell sum;
  sum.arm = arm;
  for (const auto& cell : field.cells) {
    if (cell.arm != arm) continue;
    sum.sent_bodies += cell.sent_bodies;
    sum.pairs += cell.pairs;
    sum.tokens.add(cell.tokens);
    sum.lines.add(cell.lines);
    sum.literals.add(cell.literals);
    sum.facts.add(cell.facts);
    sum.facts_without_words = sum_if_known(sum.facts_without_words, cell.facts_without_words);
    sum.respelled += cell.respelled;
    sum.false_lines += cell.false_lines;
    sum.false_numbers += cell.false_numbers;
    sum.added_tokens += cell.added_tokens;
  }
  return sum;
}

std::string whole_table(const Results& results, const FieldResults& field) {
  std::vector<std::string> titles{"arm", ">classes"};
  titles.insert(titles.end(), kept_titles.begin(), kept_titles.end());
  titles.emplace_back(">start ms");
  Table table(titles);
  for (const auto& claim : field.claims) {
    const auto classes = std::ranges::count(field.cells, claim.arm, &FieldCell::arm);
    std::vector<std::string> row{arm_name(results, claim.arm),
                                 grouped(static_cast<std::size_t>(classes))};
    for (auto& text : kept_cells(sum_of(field, claim.arm))) row.push_back(std::move(text));
    const ArmResult* arm = results.find(claim.arm);
    row.push_back(arm == nullptr ? std::string(none) : text_of(arm->figures.at(metrics::ready)));
    table.add(std::move(row));
  }
  return table.text();
}

std::string cost_table(const Results& results, const FieldResults& field) {
  if (!field.cost_model) return "";
  Table table({"conversation", "arm", ">turns", ">tokens sent", ">tokens forwarded",
               ">of these from the cache %", ">turns with a stable prefix", ">cost as sent",
               ">cost as forwarded", ">change %"});
  for (const auto& cell : field.cells) {
    for (const auto& conversation : cell.conversations) {
      const Cost sent = cost_of(conversation.sent, *field.cost_model);
      const Cost forwarded = cost_of(conversation.forwarded, *field.cost_model);
      const auto tokens = [](const Cost& cost) {
        return cost.cached_tokens + cost.written_tokens + cost.plain_tokens;
      };
      FieldCell one;
      one.conversations.push_back(conversation);
      table.add({plain(cell.class_name + " " + conversation.conversation),
                 arm_name(results, cell.arm), grouped(conversation.forwarded.size()),
                 grouped(tokens(sent)), grouped(tokens(forwarded)),
                 percent_of(forwarded.cached_tokens, tokens(forwarded)), stable_turns(one),
                 fmt::format("{:.4f}", sent.money), fmt::format("{:.4f}", forwarded.money),
                 sent.money > 0 ? fmt::format("{:+.1f}", 100 * (forwarded.money / sent.money - 1))
                                : std::string(none)});
    }
  }
  if (table.empty()) return "";
  return fmt::format(
      "\n### What conversations cost\n\n{}\nPrices: {} ({} a million tokens: input {}, from the "
      "cache {}, into the cache {}; a prefix counts from {} tokens on): docs/cost-model.md.\n",
      table.text(), plain(field.cost_model->title), plain(field.cost_model->currency),
      field.cost_model->input_per_million, field.cost_model->cached_input_per_million,
      field.cost_model->cache_write_per_million, field.cost_model->min_cached_prefix_tokens);
}

// Text from the raw data in full, in a fence that it cannot end, control characters made visible.
std::string fenced(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) {
    for (const char c : line) {
      const bool control = static_cast<unsigned char>(c) < 0x20 && c != '\t';
      text += control ? fmt::format("\\x{:02x}", static_cast<unsigned char>(c)) : std::string(1, c);
    }
    text += '\n';
  }
  std::string fence = "```";
  while (text.find(fence) != std::string::npos) fence += '`';
  return fence + "text\n" + text + fence + "\n";
}

// Where the rest of the lines is that are not whole above.
std::string cut_text(const ScoreRow& row, std::string_view of) {
  std::string text;
  for (const auto& cut : row.cut) {
    if (cut.of != of) continue;
    text += fmt::format("\nLine {} has {} bytes; all of it: {}\n", cut.at + 1, grouped(cut.bytes),
                        plain(body_path(cut.sha256)));
  }
  return text;
}

std::string example_text(const CounterExample& example) {
  const ScoreRow& row = *example.row;
  const OutputScore& said = row.score.said;
  std::string text = fmt::format(
      "\n{}{}: {} lines lost of {}, {} literals lost of {}, {} false lines; sent {}, forwarded "
      "{}\n",
      plain(example.class_name), example.name.empty() ? "" : " " + plain(example.name),
      said.lines.lost, said.lines.of, said.literals.lost, said.literals.of, said.false_lines,
      row.sent_sha256.substr(0, 12), row.forwarded_sha256.substr(0, 12));
  for (const auto& fact : row.score.facts) {
    if (fact.standing == FactStanding::lost) {
      text += fmt::format("lost fact: {}\n", plain(fact.name));
    }
  }
  if (!said.lost.empty()) text += "\nlost:\n" + fenced(said.lost) + cut_text(row, "lost");
  if (!said.false_said.empty()) {
    text += "\nsaid, but never stood there:\n" + fenced(said.false_said) + cut_text(row, "false");
  }
  return text;
}

std::string claims_text(const Results& results, const FieldResults& field) {
  std::string text =
      "\n### What is claimed, and what was found\n\n"
      "Of each body up to five lost and five false lines are shown (of one above 4,096 bytes the "
      "beginning); bodies are named by the first digits of their SHA-256.\n";
  for (const auto& claim : field.claims) {
    text += fmt::format(
        "\n**{}** {}: ", arm_name(results, claim.arm),
        claim.claims_lossless ? "claims to lose nothing" : "does not claim to lose nothing");
    if (claim.lossy == 0 && claim.says_false == 0) {
      text += fmt::format("of {} bodies none loses anything or says what never stood in it.\n",
                          grouped(claim.pairs));
      continue;
    }
    text += fmt::format("{}of {} bodies {} lose something, {} say what never stood in them.\n",
                        claim.claims_lossless ? "**does not hold**: " : "", grouped(claim.pairs),
                        grouped(claim.lossy), grouped(claim.says_false));
    for (const auto& example : claim.examples) text += example_text(example);
  }
  return text;
}

// What the words of the tables mean.
std::string legend(const FieldResults& field) {
  constexpr std::array<std::string_view, 12> sentences{
      "Kept: literally there.",
      "Derivable: the arm's own decoder made it again.",
      "Recoverable: behind a marker that the arm resolved.",
      "Lost: none of these.",
      "Literals: identifiers, paths, numbers that occur once or twice.",
      "Not even their words: facts lost of which not all words are there any more.",
      "Respelled: lost lines whose words and signs all stand in one forwarded line.",
      "False: unmarked lines, and numbers between their words, that never stood in the output.",
      "Deterministic: the same body was forwarded in the same bytes each time.",
      "Prefix stable: turns that begin with the whole turn before.",
      "An arm that keeps what it made answers a class sooner when an earlier one had the same "
      "outputs: times are of this order.",
      "Classes and rules: docs/fidelity.md."};
  return fmt::format("\nBodies: distinct pairs of a sent and a forwarded body. Tokens: {}. {}\n",
                     field.tokens_counted ? "o200k_base" : "estimates", fmt::join(sentences, " "));
}

}  // namespace

std::string field_section(const Results& results) {
  if (!results.field) return "";
  const FieldResults& field = *results.field;
  std::string text =
      "\n## The field: what was kept, what was lost, what is false\n\n**No model was asked.** What "
      "stands here is whether the words are there; whether a model finds them, and answers as well "
      "from them, is not told (`tare ask` puts the planted questions to a model of yours).\n\n" +
      whole_table(results, field) + marks(results) + glance_table(results, field);
  for (const auto& class_name : field.classes) {
    text +=
        fmt::format("\n### {}\n\n{}", plain(class_name), class_table(results, field, class_name));
  }
  text += legend(field);
  return text + cost_table(results, field) + claims_text(results, field);
}

}  // namespace tare::analysis::markdown
