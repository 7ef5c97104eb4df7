#include "analysis/conversation_score.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "analysis/filter_command.h"
#include "analysis/markdown_text.h"
#include "analysis/output_locator.h"

namespace tare::analysis {
namespace {

std::size_t tokens_of(const std::vector<std::string>& texts, const Tokenizer& tokenizer) {
  std::size_t tokens = 0;
  for (const auto& text : texts) tokens += tokenizer.count(text);
  return tokens;
}

// One way of compacting a body.
struct Way {
  std::size_t tokens_kept = 0;
  bool exact = false;
};

Result<Way> score_way(std::string_view body, std::size_t outputs,
                      const std::vector<std::string>& command, const ConversationOptions& options,
                      const Tokenizer& tokenizer) {
  const auto sent = run_filter(command, body, options.time_limit);
  if (!sent) return fail(sent.error());
  const auto texts = output_texts(*sent);
  if (texts.size() != outputs) {
    return fail(Error::invalid(
        fmt::format("{}: of {} outputs {} are left", command.front(), outputs, texts.size())));
  }
  const auto decoded = run_filter(options.decoder, *sent, options.time_limit);
  if (!decoded) return fail(decoded.error());
  return Way{tokens_of(texts, tokenizer), *decoded == body};
}

}  // namespace

std::vector<std::string> output_texts(std::string_view body) {
  std::vector<std::string> texts;
  if (!nlohmann::json::accept(body)) return texts;
  for (auto& output : find_outputs(body)) texts.push_back(std::move(output.text));
  return texts;
}

void ConversationScore::add(const ConversationScore& other) {
  bodies += other.bodies;
  outputs += other.outputs;
  tokens += other.tokens;
  tokens_alone += other.tokens_alone;
  tokens_kept += other.tokens_kept;
  exact += other.exact;
}

Result<ConversationScore> score_conversation(std::string_view body,
                                             const ConversationOptions& options,
                                             const Tokenizer& tokenizer) {
  const auto texts = output_texts(body);
  const auto with = score_way(body, texts.size(), options.command, options, tokenizer);
  if (!with) return fail(with.error());
  const auto alone = score_way(body, texts.size(), options.alone, options, tokenizer);
  if (!alone) return fail(alone.error());
  return ConversationScore{.bodies = 1,
                           .outputs = texts.size(),
                           .tokens = tokens_of(texts, tokenizer),
                           .tokens_alone = alone->tokens_kept,
                           .tokens_kept = with->tokens_kept,
                           .exact = with->exact && alone->exact ? 1U : 0U};
}

std::string conversation_markdown(const std::vector<ConversationRow>& rows,
                                  const Tokenizer& tokenizer) {
  markdown::Table table({"turns", ">bodies", ">outputs", ">tokens", ">kept without references %",
                         ">with %", ">with / without", ">exact"});
  for (const auto& [title, score] : rows) {
    table.add({title, markdown::grouped(score.bodies), markdown::grouped(score.outputs),
               markdown::grouped(score.tokens),
               markdown::percent_of(score.tokens_alone, score.tokens),
               markdown::percent_of(score.tokens_kept, score.tokens),
               score.tokens_alone == 0
                   ? std::string(markdown::none)
                   : fmt::format("{:.3f}", static_cast<double>(score.tokens_kept) /
                                               static_cast<double>(score.tokens_alone)),
               fmt::format("{} of {}", score.exact, score.bodies)});
  }
  return fmt::format("tokens: {}\n\n{}", tokenizer.name(), table.text());
}

}  // namespace tare::analysis
