#include "analysis/csv_reporter.h"

#include <fmt/format.h>

#include <cmath>

namespace tare::analysis {
namespace {

std::string quoted(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + "\"";
}

std::string number(std::optional<double> value) {
  return value ? fmt::format("{}", *value) : "";
}

std::optional<double> ratio_of(std::optional<double> log_value) {
  if (!log_value) return std::nullopt;
  return std::exp(*log_value);
}

// task, mode, arm, against, metric, round, value, unit, n, low, high, verdict
struct Line {
  std::string_view task;
  std::string_view mode;
  std::string_view arm;
  std::string_view against;
  std::string_view metric;
  std::string round;
  std::optional<double> value;
  std::string_view unit;
  std::size_t n = 0;
  std::optional<double> low;
  std::optional<double> high;
  std::string_view verdict;
};

std::string text_of(const Line& line) {
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\r\n", quoted(line.task),
                     quoted(line.mode), quoted(line.arm), quoted(line.against), quoted(line.metric),
                     line.round, number(line.value), quoted(line.unit), line.n, number(line.low),
                     number(line.high), quoted(line.verdict));
}

std::string lines_of(const Figures& figures, Line line) {
  std::string text;
  for (const auto& figure : figures.all()) {
    line.metric = figure.metric->key;
    line.value = figure.value;
    line.unit = name_of(figure.metric->unit);
    line.n = figure.n;
    text += text_of(line);
  }
  return text;
}

std::string versus_line(const SlicedResults& sliced, const Versus& versus) {
  const Effect& effect = versus.judged.effect;
  Line line;
  line.task = versus.task;
  line.mode = versus.mode;
  line.arm = sliced.subject;
  line.against = versus.reference;
  line.metric = key_of(versus.metric);
  line.value = ratio_of(effect.estimate);
  line.unit = "ratio";
  line.n = effect.n;
  if (effect.within95) {
    line.low = std::exp(effect.within95->low);
    line.high = std::exp(effect.within95->high);
  }
  const bool win = versus.judged.verdict == Verdict::better;
  line.verdict = win && !versus.not_same_work.empty() ? "no win" : name_of(versus.judged.verdict);
  return text_of(line);
}

// An arm in a class; what a body has in all is `n`.
std::string lines_of(const FieldCell& cell) {
  std::string text;
  const auto add = [&](std::string_view metric, double value, std::string_view unit,
                       std::size_t n) {
    Line line;
    line.task = cell.class_name;
    line.arm = cell.arm;
    line.metric = metric;
    line.value = value;
    line.unit = unit;
    line.n = n;
    text += text_of(line);
  };
  const auto count = [&](std::string_view metric, std::size_t value, std::size_t n) {
    add(metric, static_cast<double>(value), "count", n);
  };
  add("field_sent_tokens", cell.tokens.sent, "tokens", cell.pairs);
  add("field_forwarded_tokens", cell.tokens.forwarded, "tokens", cell.pairs);
  add("field_sent_output_tokens", cell.tokens.sent_outputs, "tokens", cell.pairs);
  add("field_forwarded_output_tokens", cell.tokens.forwarded_outputs, "tokens", cell.pairs);
  count("field_lines_kept", cell.lines.kept, cell.lines.of);
  count("field_lines_derivable", cell.lines.derivable, cell.lines.of);
  count("field_lines_recoverable", cell.lines.recoverable, cell.lines.of);
  count("field_lines_lost", cell.lines.lost, cell.lines.of);
  count("field_literals_lost", cell.literals.lost, cell.literals.of);
  count("field_facts_lost", cell.facts.lost, cell.facts.of);
  count("field_false_lines", cell.false_lines, cell.pairs);
  count("field_false_numbers", cell.false_numbers, cell.pairs);
  add("field_added_tokens", static_cast<double>(cell.added_tokens), "tokens", cell.pairs);
  return text;
}

}  // namespace

std::string CsvReporter::write(const Results& results, const Comparison* /*comparison*/) const {
  std::string text = "task,mode,arm,against,metric,round,value,unit,n,low,high,verdict\r\n";
  for (const auto& group : results.groups) {
    for (const auto& cell : group.cells) {
      Line line;
      line.task = group.task;
      line.mode = group.mode;
      line.arm = cell.arm;
      text += lines_of(cell.figures, line);
      for (const auto& round : cell.rounds) {
        line.round = fmt::format("{}", round.round);
        text += lines_of(round.figures, line);
      }
      line.round = "isolated";
      text += lines_of(cell.isolated, line);
    }
  }
  for (const auto& arm : results.arms) {
    Line line;
    line.arm = arm.info.name;
    text += lines_of(arm.figures, line);
  }
  if (results.field) {
    for (const auto& cell : results.field->cells) text += lines_of(cell);
  }
  if (results.sliced) {
    for (const auto& versus : results.sliced->versus) text += versus_line(*results.sliced, versus);
  }
  for (const auto& warning : results.warnings) {
    Line line;
    line.metric = "warning";
    line.verdict = warning;
    text += text_of(line);
  }
  return text;
}

}  // namespace tare::analysis
