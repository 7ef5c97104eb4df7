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
      markdown::percent_of(sums.lines_kept, sums.lines),
      markdown::percent_of(sums.literals_kept, sums.literals),
      has_decoder ? fmt::format("{} of {}", sums.exact, sums.files) : std::string(markdown::none)};
}

std::string finding_text(const FileScore& file) {
  std::string text = file.fault;
  if (file.more_tokens()) {
    text += fmt::format("{}more tokens than before: {} of {}", text.empty() ? "" : "; ",
                        file.kept.tokens_kept, file.kept.tokens);
  }
  return text;
}

// Without the machine's paths.
std::string command_text(const CorpusScore& score) {
  std::vector<std::string> words = score.command;
  if (!words.empty()) words.front() = std::filesystem::path(words.front()).filename().string();
  return fmt::format("{}", fmt::join(words, " "));
}

json sums_json(const KeptSums& sums) {
  return {{"files", sums.files},
          {"bytes", sums.bytes},
          {"bytes_kept", sums.bytes_kept},
          {"bytes_share", share_json(sums.bytes_kept, sums.bytes)},
          {"tokens", sums.tokens},
          {"tokens_kept", sums.tokens_kept},
          {"tokens_share", share_json(sums.tokens_kept, sums.tokens)},
          {"lines", sums.lines},
          {"lines_kept", sums.lines_kept},
          {"literals", sums.literals},
          {"literals_kept", sums.literals_kept},
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
                         ">lines there %", ">literals there %", ">exact"});
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
    markdown::Table list({"most kept of", ">tokens", ">kept %", ">literals there %"});
    for (const FileScore* file : files) {
      const KeptSums& kept = file->kept;
      list.add({markdown::plain(file->file.name), markdown::grouped(kept.tokens),
                markdown::percent_of(kept.tokens_kept, kept.tokens),
                markdown::percent_of(kept.literals_kept, kept.literals)});
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
