#include "analysis/html_text.h"

#include <fmt/format.h>

#include <array>

namespace tare::analysis::html {
namespace {

// A stretch between two equal marks, as an element; the marks themselves where there is only one.
std::string marked(std::string text, std::string_view mark, std::string_view element) {
  for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos;) {
    const auto end = text.find(mark, at + mark.size());
    if (end == std::string::npos) break;
    const std::string inner = text.substr(at + mark.size(), end - at - mark.size());
    const std::string whole = fmt::format("<{0}>{1}</{0}>", element, inner);
    text.replace(at, end + mark.size() - at, whole);
    at += whole.size();
  }
  return text;
}

std::string inline_text(std::string_view text) {
  std::string whole;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '|') continue;
    whole += text[i];
  }
  return marked(marked(escaped(whole), "**", "strong"), "`", "code");
}

// "| a | b |" between its bars; "\|" is no bar.
std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  std::size_t begin = 1;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] != '|' || line[i - 1] == '\\') continue;
    auto cell = line.substr(begin, i - begin);
    while (cell.starts_with(' ')) cell.remove_prefix(1);
    while (cell.ends_with(' ')) cell.remove_suffix(1);
    cells.push_back(cell);
    begin = i + 1;
  }
  return cells;
}

// A cell that begins with a verdict is shown as one.
std::string cell_text(std::string_view cell) {
  static constexpr std::array verdicts{
      "better",       "worse",  "equivalent", "different but small",
      "inconclusive", "no win", "holds",      "does not hold"};
  for (const std::string_view verdict : verdicts) {
    if (!cell.starts_with(verdict)) continue;
    const std::string_view rest = cell.substr(verdict.size());
    if (!rest.empty() && rest.front() != ' ' && rest.front() != ':' && rest.front() != ',')
      continue;
    std::string kind(verdict);
    for (char& c : kind) c = c == ' ' ? '-' : c;
    return fmt::format("<span class=\"verdict {}\">{}</span>{}", kind, verdict, inline_text(rest));
  }
  return inline_text(cell);
}

class Converter {
 public:
  explicit Converter(std::vector<Heading>& headings) : headings_(headings) {}

  std::string convert(std::string_view markdown) {
    for (std::size_t begin = 0; begin < markdown.size();) {
      const auto end = std::min(markdown.find('\n', begin), markdown.size());
      line(markdown.substr(begin, end - begin));
      begin = end + 1;
    }
    close();
    return std::move(html_);
  }

 private:
  enum class Open { nothing, paragraph, list, table_head, table_body };

  void close() {
    switch (open_) {
      case Open::paragraph:
        html_ += "</p>\n";
        break;
      case Open::list:
        html_ += "</ul>\n";
        break;
      case Open::table_head:
      case Open::table_body:
        html_ += "</tbody></table></div>\n";
        break;
      case Open::nothing:
        break;
    }
    open_ = Open::nothing;
  }

  void line(std::string_view text) {
    if (!fence_.empty()) {
      html_ += text == fence_ ? "</pre>\n" : escaped(text) + "\n";
      if (text == fence_) fence_.clear();
    } else if (text.starts_with("```")) {
      close();
      html_ += "<pre>";
      fence_ = text.substr(0, std::min(text.find_first_not_of('`'), text.size()));
    } else if (text.empty()) {
      close();
    } else if (text.starts_with('#')) {
      heading(text);
    } else if (text.starts_with('|')) {
      row(text);
    } else if (text.starts_with("- ")) {
      if (open_ != Open::list) {
        close();
        html_ += "<ul>\n";
        open_ = Open::list;
      }
      html_ += fmt::format("<li>{}</li>\n", inline_text(text.substr(2)));
    } else {
      if (open_ != Open::paragraph) {
        close();
        html_ += "<p>";
        open_ = Open::paragraph;
      }
      html_ += inline_text(text) + "\n";
    }
  }

  void heading(std::string_view text) {
    close();
    const auto level = std::min(text.find_first_not_of('#'), text.size());
    const auto title = text.substr(std::min(level + 1, text.size()));
    caption_ = title;
    if (level != 2) {
      html_ += fmt::format("<h{0}>{1}</h{0}>\n", level, inline_text(title));
      return;
    }
    const std::string id = fmt::format("part-{}", headings_.size() + 1);
    headings_.push_back({id, std::string(title)});
    html_ += fmt::format("<h2 id=\"{}\">{}</h2>\n", id, inline_text(title));
  }

  void row(std::string_view text) {
    const auto cells = cells_of(text);
    if (open_ == Open::table_head) {
      numbers_.clear();
      for (const auto cell : cells) numbers_.push_back(cell.ends_with(':'));
      end_head();
      open_ = Open::table_body;
      return;
    }
    if (open_ != Open::table_body) {
      close();
      titles_.assign(cells.begin(), cells.end());
      open_ = Open::table_head;
      html_ += fmt::format(
          "<div class=\"table\" role=\"region\" tabindex=\"0\" aria-label=\"{0}\"><table>"
          "<caption>{0}</caption><thead><tr>",
          escaped(caption_));
      return;
    }
    html_ += "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const bool number = i < numbers_.size() && numbers_[i];
      if (i == 0) {
        html_ += fmt::format("<th scope=\"row\"{}>{}</th>", number ? " class=\"number\"" : "",
                             cell_text(cells[i]));
      } else {
        const bool is_short = cells[i].size() <= 28;
        html_ += fmt::format("<td{}>{}</td>",
                             number     ? " class=\"number\""
                             : is_short ? " class=\"short\""
                                        : "",
                             cell_text(cells[i]));
      }
    }
    html_ += "</tr>\n";
  }

  void end_head() {
    for (std::size_t i = 0; i < titles_.size(); ++i) {
      html_ += fmt::format(
          "<th scope=\"col\"{}><button type=\"button\" class=\"sort\">{}</button></th>",
          i < numbers_.size() && numbers_[i] ? " class=\"number\"" : "", inline_text(titles_[i]));
    }
    html_ += "</tr></thead><tbody>\n";
  }

  std::vector<Heading>& headings_;
  std::string html_;
  std::string caption_;
  std::string fence_;  // that ends the block which is open
  std::vector<std::string> titles_;
  std::vector<bool> numbers_;
  Open open_ = Open::nothing;
};

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string from_markdown(std::string_view markdown, std::vector<Heading>& headings) {
  return Converter(headings).convert(markdown);
}

}  // namespace tare::analysis::html
