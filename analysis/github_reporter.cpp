#include "analysis/github_reporter.h"

#include "analysis/markdown_reporter.h"
#include "analysis/markdown_sliced.h"

namespace tare::analysis {

std::string GithubReporter::write(const Results& results, const Comparison* /*comparison*/) const {
  std::string text = markdown::head(results);
  if (!results.figures_given) return text + markdown::arrivals(results);
  if (!results.sliced) return text + markdown::summary_table(results);
  return text + markdown::verdicts_at_a_glance(results) + markdown::resolution_section(results) +
         markdown::gates_section(results);
}

}  // namespace tare::analysis
