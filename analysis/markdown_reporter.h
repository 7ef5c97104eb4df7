// The report for people: markdown. First the published table's shape, then each group, what was
// kept, the starts, and what the figures rest on.
#pragma once

#include "analysis/reporter.h"

namespace tare::analysis {

class MarkdownReporter : public Reporter {
 public:
  std::string_view name() const override { return "markdown"; }
  std::string write(const Results& results, const Comparison* comparison) const override;
};

namespace markdown {

// The document in the order in which it is read; a reporter of another form may put something of
// its own after each section.
enum class Part { head, verdicts, gates, groups, kept, field, starts, rest };
struct Section {
  Part part;
  std::string text;
};
std::vector<Section> sections(const Results& results, const Comparison* comparison);

// "headroom-0.37.0 [1]": an arm's name with the footnote mark of its degraded modes.
std::string arm_name(const Results& results, const std::string& arm);
// The line under a table that says what the marks mean; empty when there are none.
std::string marks(const Results& results);

// The sections, each a pure function of the results.
std::string head(const Results& results);
std::string summary_table(const Results& results);
std::string group_tables(const Results& results);
// Sizes, memory and the measuring side's own CPU in one group.
std::string size_table(const Results& results, const GroupResult& group);
std::string kept_table(const Results& results);
std::string glance_table(const Results& results, const FieldResults& field);
std::string field_section(const Results& results);  // empty when the run was not scored
std::string start_tables(const Results& results);
std::string arrivals(const Results& results);  // counts only: of a run without figures
std::string background(const Results& results, const Comparison* comparison);
std::string published_tables(const Results& results, const Comparison& comparison);

}  // namespace markdown
}  // namespace tare::analysis
