#include "analysis/html_reporter.h"

#include <fmt/format.h>

#include "analysis/html_charts.h"
#include "analysis/html_page.h"
#include "analysis/html_text.h"
#include "analysis/markdown_reporter.h"
#include "analysis/scatter_svg.h"

namespace tare::analysis {
namespace {

// What a section shows besides its words.
std::string pictures_of(markdown::Part part, const Results& results) {
  if (!results.figures_given) return "";
  switch (part) {
    case markdown::Part::verdicts:
      return html::forest(results);
    case markdown::Part::groups:
      return html::joined_rounds(results) + html::distributions(results);
    case markdown::Part::gates:
      return html::gates(results);
    case markdown::Part::starts:
      return html::over_time(results);
    case markdown::Part::field:
      return results.field ? scatter_svg(*results.field) : "";
    case markdown::Part::head:
    case markdown::Part::kept:
    case markdown::Part::rest:
      break;
  }
  return "";
}

}  // namespace

std::string HtmlReporter::write(const Results& results, const Comparison* comparison) const {
  std::vector<html::Heading> headings;
  std::string body;
  for (const auto& section : markdown::sections(results, comparison)) {
    body += html::from_markdown(section.text, headings);
    body += pictures_of(section.part, results);
  }
  std::string contents;
  for (const auto& heading : headings) {
    contents += fmt::format("<a href=\"#{}\">{}</a>", heading.id, html::escaped(heading.title));
  }
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; script-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n"
      "<header class=\"bar\"><nav aria-label=\"Contents\">{}</nav>"
      "<button type=\"button\" id=\"theme\">Colours: system</button></header>\n"
      "<main>\n{}</main>\n<script>{}</script>\n</body>\n</html>\n",
      html::escaped(results.info.plan.title), html::style, contents, body, html::script);
}

}  // namespace tare::analysis
