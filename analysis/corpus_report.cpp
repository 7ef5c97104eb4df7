#include "analysis/corpus_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "analysis/markdown_text.h"

namespace tare::analysis {
namespace {

using nlohmann::json;

json share_json(std::size_t part, std::size_t whole) {
  if (whole == 0) return nullptr;
  return static_cast<double>(part) / static_cast<double>(whole);
}

std::string class_title(const std::string& name) {
  return name.empty() ? "(none)" : markdown::plain(name);
}

std::vector<std::string> cells(const std::string& title, const KeptSums& sums, bool has_decoder) {
  return {
      title,
      markdown::grouped(sums.files),
      markdown::grouped(sums.bytes),
      markdown::percent_of(sums.bytes_kept, sums.bytes),
      markdown::grouped(sums.tokens),
      markdown::percent_of(sums.tokens_kept, sums.tokens),
      markdown::percent_of(sums.said.lines.kept, sums.said.lines.of),
      markdown::percent_of(sums.said.lines.derivable, sums.said.lines.of),
      markdown::percent_of(sums.said.lines.lost, sums.said.lines.of),
      markdown::percent_of(sums.said.literals.kept, sums.said.literals.of),
      markdown::percent_of(sums.said.literals.lost, sums.said.literals.of),
      markdown::grouped(sums.said.false_lines),
      has_decoder ? fmt::format("{} of {}", sums.exact, sums.files) : std::string(markdown::none)};
}

std::string finding_text(const FileScore& file) {
  std::vector<std::string> texts;
  if (!file.fault.empty()) texts.push_back(file.fault);
  if (file.more_tokens()) {
    texts.push_back(
        fmt::format("more tokens than before: {} of {}", file.kept.tokens_kept, file.kept.tokens));
  }
  if (const auto& said = file.kept.said; said.false_lines > 0) {
    texts.push_back(fmt::format("{} lines that never stood there, as: {}", said.false_lines,
                                said.false_said.front().substr(0, 200)));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

// Without the machine's paths.
std::string command_text(const CorpusScore& score) {
  std::vector<std::string> words = score.command;
  if (!words.empty()) words.front() = std::filesystem::path(words.front()).filename().string();
  return fmt::format("{}", fmt::join(words, " "));
}

json sums_json(const KeptSums& sums) {
  const OutputScore& said = sums.said;
  return {{"files", sums.files},
          {"bytes", sums.bytes},
          {"bytes_kept", sums.bytes_kept},
          {"bytes_share", share_json(sums.bytes_kept, sums.bytes)},
          {"tokens", sums.tokens},
          {"tokens_kept", sums.tokens_kept},
          {"tokens_share", share_json(sums.tokens_kept, sums.tokens)},
          {"lines", said.lines.of},
          {"lines_kept", said.lines.kept},
          {"lines_derivable", said.lines.derivable},
          {"lines_lost", said.lines.lost},
          {"literals", said.literals.of},
          {"literals_kept", said.literals.kept},
          {"literals_derivable", said.literals.derivable},
          {"literals_lost", said.literals.lost},
          {"false_lines", said.false_lines},
          {"false_numbers", said.false_numbers},
          {"exact", sums.exact}};
}

json file_json(const FileScore& file) {
  json object = sums_json(file.kept);
  object.erase("files");
  object["name"] = file.file.name;
  object["class"] = file.file.class_name;
  object["counted"] = file.counted();
  object["exact"] = file.exact ? json(*file.exact) : json(nullptr);
  object["more_tokens"] = file.more_tokens();
  object["fault"] = file.fault.empty() ? json(nullptr) : json(file.fault);
  return object;
}

}  // namespace

std::string corpus_markdown(const CorpusScore& score, std::size_t worst) {
  markdown::Table table({"class", ">files", ">bytes", ">kept %", ">tokens", ">kept %",
                         ">lines kept %", ">derivable %", ">lost %", ">literals kept %", ">lost %",
                         ">false lines", ">exact"});
  for (const auto& [name, sums] : score.classes()) {
    table.add(cells(class_title(name), sums, score.has_decoder));
  }
  table.add(cells("all", score.all(), score.has_decoder));
  std::string text = fmt::format("{}; tokens: {}\n\n{}", markdown::plain(command_text(score)),
                                 score.tokenizer, table.text());
  if (const auto findings = score.findings(); !findings.empty()) {
    text += "\nNot as they should be:\n";
    for (const FileScore* file : findings) {
      text += fmt::format("- {}: {}\n", markdown::plain(file->file.name),
                          markdown::plain(finding_text(*file)));
    }
  }
  if (const auto files = score.worst(worst); !files.empty()) {
    markdown::Table list({"most kept of", ">tokens", ">kept %", ">literals kept %"});
    for (const FileScore* file : files) {
      const KeptSums& kept = file->kept;
      list.add({markdown::plain(file->file.name), markdown::grouped(kept.tokens),
                markdown::percent_of(kept.tokens_kept, kept.tokens),
                markdown::percent_of(kept.said.literals.kept, kept.said.literals.of)});
    }
    text += "\n" + list.text();
  }
  return text;
}

std::string corpus_json(const CorpusScore& score) {
  json classes = json::object();
  for (const auto& [name, sums] : score.classes()) classes[name] = sums_json(sums);
  json files = json::array();
  for (const auto& file : score.files) files.push_back(file_json(file));
  const json root = {{"schema", "tare-corpus-score/1"},
                     {"command", command_text(score)},
                     {"has_decoder", score.has_decoder},
                     {"tokens", score.tokenizer},
                     {"all", sums_json(score.all())},
                     {"classes", classes},
                     {"files", files}};
  return root.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace tare::analysis
