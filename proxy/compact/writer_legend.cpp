#include "proxy/compact/writer_legend.h"

#include <fmt/format.h>

#include <initializer_list>

namespace tare::compact {
namespace {

struct Clause {
  bool used;
  std::string_view text;
};

// Clauses are written with ~ as the mark and {} as the brackets of slots.
constexpr std::string_view written_mark = "~";
constexpr Brackets written_brackets{"{", "}"};

void append(std::string& out, std::string_view clause, std::string_view mark,
            const Brackets& brackets) {
  for (const char& c : clause) {
    const std::string_view byte(&c, 1);
    out += byte == written_mark             ? mark
           : byte == written_brackets.open  ? brackets.open
           : byte == written_brackets.close ? brackets.close
                                            : byte;
  }
}

}  // namespace

std::string legend(const UsedFeatures& used, std::string_view mark, const Brackets& brackets) {
  const bool heading = used.named_heading || used.anonymous_heading;
  const std::string_view headings = !used.anonymous_heading ? "~a:"
                                    : used.named_heading    ? "~a: or ~: template"
                                                            : "~: template";
  const std::string below = std::string(headings) + " = lines below without ~ fill {1} {2}";
  const std::initializer_list<Clause> clauses{
      {used.definition && !used.law, "~a = template"},
      {used.definition && used.law, "~a = template, n line number"},
      {used.next_line, "~+ = its next line"},
      {used.width, "{1,9} = right-aligned to width 9"},
      {used.tab, "{@9+} = blanks to column 9"},
      {heading, below},
      {used.labelled_row && heading, "~a values = one such line"},
      {used.labelled_row && !heading, "~a values = it with {1} {2} filled in"},
      {used.ditto, "\" = same as above"},
      {used.plain_mark, "~ alone = plain lines follow"},
      {used.verbatim_mark, "~ text = plain line"},
      {used.run, "~3*5 = 3 lines above 5 times more"},
      {used.block, "~a[ to ~] = block a, ~a = it again"},
      {used.whole_output, "~@id = all lines of the output of call id"},
      {used.lines_of_output, "~@id 2-9 = lines 2 to 9 of the output of call id"},
      {used.same_output, "~@ 2-9 = lines of the same output as before"},
  };
  std::string text;
  for (const Clause& clause : clauses) {
    if (!clause.used) continue;
    text += text.empty() ? ": " : "; ";
    append(text, clause.text, mark, brackets);
  }
  return text;
}

}  // namespace tare::compact
