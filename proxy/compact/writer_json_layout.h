// How white space stands between the tokens of a JSON text: the law by which a reader puts it back.
//
// In a header because it is asked at each token.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace tare::compact {

inline bool opens_json(char c) {
  return c == '{' || c == '[';
}
inline bool closes_json(char c) {
  return c == '}' || c == ']';
}

// What the first bytes leave open is settled at the first colon or comma.
class JsonLayoutReader {
 public:
  explicit JsonLayoutReader(std::string_view text) {
    if (text.size() < 3 || text[1] != '\n') return;
    const std::size_t end = std::min(text.find_first_not_of(" \t", 2), text.size());
    const std::string_view unit = text.substr(2, end - 2);
    if (unit.empty() || (unit != "\t" && unit.find('\t') != std::string_view::npos)) {
      valid_ = false;
      return;
    }
    indented_ = true;
    blank_ = unit[0];
    width_ = unit.size();
  }

  bool valid() const { return valid_; }

  // Moves `p` over the white space that must stand before the token at it; false when it does not.
  // `depth` counts the containers open before the token.
  bool skip(const char*& p, const char* end, char previous, std::size_t depth) {
    if (previous == '\0') return true;
    if (previous == ':') return skip_after_colon(p, end);
    if (p == end) return true;
    if (in_flat_array_) return skip_in_flat_array(p, end, previous);
    if (indented_) {
      if (previous == '[' && *p != '\n' && *p != ']') {
        in_flat_array_ = true;
        return settle(flat_, true) && !opens_json(*p);
      }
      if (previous == ',' || opens_json(previous) || closes_json(p[0]) || p[0] == '\n') {
        return skip_line_break(p, end, previous, depth);
      }
      return skip_before_colon(p, end);
    }
    if (previous == ',') return skip_separator_blank(p, end);
    return true;
  }

  // Inside an array that is on one line.
  bool in_flat_array() const { return in_flat_array_; }

  // An array with scalars only has ended: all such are on one line, or none is.
  bool end_scalar_array() {
    const bool flat = std::exchange(in_flat_array_, false);
    return !indented_ || settle(flat_, flat);
  }

  std::string name() const {
    if (!indented_) return spaced_ == Choice::yes ? "one line spaced" : "one line";
    const char* wide = wide_ == Choice::yes ? " wide" : "";
    const char* flat = flat_ == Choice::yes ? " flat" : "";
    return blank_ == '\t' ? fmt::format("indent tab{}{}", wide, flat)
                          : fmt::format("indent {}{}{}", width_, wide, flat);
  }

 private:
  enum class Choice { open, no, yes };

  static bool settle(Choice& choice, bool yes) {
    if (choice == Choice::open) choice = yes ? Choice::yes : Choice::no;
    return (choice == Choice::yes) == yes;
  }

  bool skip_separator_blank(const char*& p, const char* end) {
    const bool blank = p < end && *p == ' ';
    if (!settle(spaced_, blank)) return false;
    if (blank) ++p;
    return true;
  }

  bool skip_after_colon(const char*& p, const char* end) {
    if (!indented_) return skip_separator_blank(p, end);
    if (p == end || *p != ' ') return false;
    ++p;
    return true;
  }

  // Only a colon can follow a key without a line break; wide layouts have a blank before it.
  bool skip_before_colon(const char*& p, const char* end) {
    const bool blank = *p == ' ';
    if (!blank && *p != ':') return true;  // a comma, or a fault that the reader finds
    if (blank && (p + 1 == end || p[1] != ':')) return false;
    if (!settle(wide_, blank)) return false;
    if (blank) ++p;
    return true;
  }

  static bool skip_in_flat_array(const char*& p, const char* end, char previous) {
    if (previous == ',') {
      if (*p != ' ' || p + 1 == end) return false;
      ++p;
    }
    return !opens_json(*p);
  }

  bool skip_line_break(const char*& p, const char* end, char previous, std::size_t depth) const {
    if (opens_json(previous) && closes_json(*p))
      return true;  // an empty container stays on its line
    if (*p != '\n') return false;
    const char* q = p + 1;
    while (q < end && *q == blank_) ++q;
    const auto blanks = static_cast<std::size_t>(q - p - 1);
    if (q == end) return false;
    const std::size_t levels = closes_json(*q) ? depth - 1 : depth;
    if (blanks != levels * width_ || (closes_json(*q) && (previous == ',' || opens_json(previous))))
      return false;
    if (!closes_json(*q) && previous != ',' && !opens_json(previous)) return false;
    p = q;
    return true;
  }

  bool valid_ = true;
  bool indented_ = false;
  char blank_ = ' ';
  std::size_t width_ = 0;
  Choice spaced_ = Choice::open;
  Choice wide_ = Choice::open;
  Choice flat_ = Choice::open;
  bool in_flat_array_ = false;
};

}  // namespace tare::compact
