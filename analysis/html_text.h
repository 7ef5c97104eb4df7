// The report's own markdown as HTML: headings, paragraphs, lists and tables, nothing else. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tare::analysis::html {

// With &, <, > and quotes as entities.
std::string escaped(std::string_view text);

struct Heading {
  std::string id;
  std::string title;
};

// `headings`: each "## " heading is added, for a table of contents. Tables get the heading above as
// caption, a scope for each head, and a button in each to sort by it.
std::string from_markdown(std::string_view markdown, std::vector<Heading>& headings);

}  // namespace tare::analysis::html
