#include "proxy/compact/writer_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "proxy/compact/chars.h"

namespace tare::compact {
namespace {

constexpr std::size_t min_tokens_in_raw = 20;  // fewer among raw lines are no document
constexpr int max_beginnings = 4;              // places where a document may begin that are tried
constexpr std::uint32_t min_container_children = 3;

// Where a string token ends: a quote, a backslash or a control byte.
constexpr std::array<bool, 256> stops_string = [] {
  std::array<bool, 256> table{};
  for (std::size_t c = 0; c < 0x20; ++c) table[c] = true;
  table['"'] = table['\\'] = true;
  return table;
}();

bool opens(char c) {
  return c == '{' || c == '[';
}
bool closes(char c) {
  return c == '}' || c == ']';
}

// How white space stands between tokens. What the first bytes leave open is settled at the first
// colon or comma.
class Layout {
 public:
  explicit Layout(std::string_view text) {
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
    if (indented_) {
      if (previous == ',' || opens(previous) || closes(p[0]) || p[0] == '\n') {
        return skip_line_break(p, end, previous, depth);
      }
      return skip_before_colon(p, end);
    }
    if (previous == ',') return skip_separator_blank(p, end);
    return true;
  }

  std::string name() const {
    if (!indented_) return spaced_ == Choice::yes ? "one line spaced" : "one line";
    const char* wide = wide_ == Choice::yes ? " wide" : "";
    return blank_ == '\t' ? fmt::format("indent tab{}", wide)
                          : fmt::format("indent {}{}", width_, wide);
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

  bool skip_line_break(const char*& p, const char* end, char previous, std::size_t depth) const {
    if (opens(previous) && closes(*p)) return true;  // an empty container stays on its line
    if (*p != '\n') return false;
    const char* q = p + 1;
    while (q < end && *q == blank_) ++q;
    const auto blanks = static_cast<std::size_t>(q - p - 1);
    if (q == end) return false;
    const std::size_t levels = closes(*q) ? depth - 1 : depth;
    if (blanks != levels * width_ || (closes(*q) && (previous == ',' || opens(previous))))
      return false;
    if (!closes(*q) && previous != ',' && !opens(previous)) return false;
    p = q;
    return true;
  }

  bool valid_ = true;
  bool indented_ = false;
  char blank_ = ' ';
  std::size_t width_ = 0;
  Choice spaced_ = Choice::open;
  Choice wide_ = Choice::open;
};

}  // namespace

// One pass over the text: checks structure and layout, copies the tokens, notes brackets and
// commas. It can always go back to the last finished value.
class JsonReader {
 public:
  explicit JsonReader(std::string_view text)
      : p_(text.data()), end_(p_ + text.size()), text_(text), layout_(text) {
    document_.minified_ = std::make_unique_for_overwrite<char[]>(text.size());
    document_.containers_.emplace_back();
    out_ = document_.minified_.get();
  }

  std::optional<JsonDocument> read() {
    if (!layout_.valid()) return std::nullopt;
    while (next_token()) {
    }
    const bool whole = expect_ == Expect::nothing && p_ == end_;
    if (!whole) {
      if (good_.tokens < min_tokens_in_raw || 2 * good_.text < text_.size()) return std::nullopt;
      go_back();
      document_.tail_ = text_.substr(good_.text);
    }
    document_.several_ = document_.containers_[JsonDocument::outside].container_children > 1;
    document_.size_ = written();
    document_.layout_ = layout_.name();
    return std::move(document_);
  }

 private:
  enum class Expect { value, value_or_end, key, key_or_end, colon, comma_or_end, nothing };

  struct State {
    std::size_t text = 0;
    std::size_t minified = 0;
    std::size_t marks = 0;
    std::size_t containers = 0;
    std::size_t tokens = 0;
  };

  std::size_t written() const { return static_cast<std::size_t>(out_ - document_.minified_.get()); }

  bool next_token() {
    if (expect_ == Expect::nothing) return next_document();
    if (!layout_.skip(p_, end_, previous_, depth_) || p_ == end_) return false;
    const char c = *p_;
    const bool value = expect_ == Expect::value || expect_ == Expect::value_or_end;
    switch (c) {
      case '{':
      case '[':
        return value && open(c);
      case '}':
        return (expect_ == Expect::key_or_end || expect_ == Expect::comma_or_end) && close(c);
      case ']':
        return (expect_ == Expect::value_or_end || expect_ == Expect::comma_or_end) && close(c);
      case ',':
        return expect_ == Expect::comma_or_end && comma();
      case ':':
        if (expect_ != Expect::colon) return false;
        copy(p_ + 1);
        expect_ = Expect::value;
        break;
      case '"':
        if (value) return string() && value_done();
        if (expect_ != Expect::key && expect_ != Expect::key_or_end) return false;
        if (!string()) return false;
        expect_ = Expect::colon;
        break;
      default:
        return value && scalar() && value_done();
    }
    previous_ = c;
    return true;
  }

  // A line break and another document: as if a comma stood between them.
  bool next_document() {
    if (end_ - p_ < 2 || *p_ != '\n' || !opens(p_[1])) return false;
    mark(',');
    *out_++ = ',';
    ++p_;
    expect_ = Expect::value;
    previous_ = '\0';
    return true;
  }

  void copy(const char* stop) {
    std::memcpy(out_, p_, static_cast<std::size_t>(stop - p_));
    out_ += stop - p_;
    p_ = stop;
    ++tokens_;
  }

  void mark(char c) {
    document_.marks_.push_back({static_cast<std::uint32_t>(written()), current_, c});
  }

  bool open(char c) {
    ++document_.containers_[current_].container_children;
    document_.containers_.push_back({current_, 0, c == '['});
    current_ = static_cast<std::uint32_t>(document_.containers_.size() - 1);
    ++depth_;
    mark(c);
    copy(p_ + 1);
    expect_ = c == '[' ? Expect::value_or_end : Expect::key_or_end;
    previous_ = c;
    return true;
  }

  bool close(char c) {
    if (document_.containers_[current_].array != (c == ']')) return false;
    mark(c);
    copy(p_ + 1);
    current_ = document_.containers_[current_].parent;
    --depth_;
    previous_ = c;
    return value_done();
  }

  bool comma() {
    mark(',');
    copy(p_ + 1);
    expect_ = document_.containers_[current_].array ? Expect::value : Expect::key;
    previous_ = ',';
    return true;
  }

  bool string() {
    const char* q = p_ + 1;
    for (;;) {
      while (q < end_ && !stops_string[static_cast<unsigned char>(*q)]) ++q;
      if (q == end_) return false;
      if (*q == '"') break;
      if (*q != '\\' || q + 1 == end_ || static_cast<unsigned char>(q[1]) < 0x20) return false;
      q += 2;
    }
    copy(q + 1);
    return true;
  }

  bool scalar() {
    for (const std::string_view word : {"true", "false", "null"}) {
      if (std::string_view(p_, static_cast<std::size_t>(end_ - p_)).starts_with(word)) {
        copy(p_ + word.size());
        return true;
      }
    }
    const char* q = *p_ == '-' ? p_ + 1 : p_;
    if (q == end_ || !is_digit(*q)) return false;
    while (q < end_ &&
           (is_digit(*q) || *q == '.' || *q == 'e' || *q == 'E' || *q == '+' || *q == '-'))
      ++q;
    copy(q);
    return true;
  }

  bool value_done() {
    previous_ = 'v';
    expect_ = current_ == JsonDocument::outside ? Expect::nothing : Expect::comma_or_end;
    good_ = {static_cast<std::size_t>(p_ - text_.data()), written(), document_.marks_.size(),
             document_.containers_.size(), tokens_};
    return true;
  }

  // Containers opened behind the last finished value are still open, one in the other.
  void go_back() {
    while (document_.containers_.size() > good_.containers) {
      const std::uint32_t parent = document_.containers_.back().parent;
      --document_.containers_[parent].container_children;
      document_.containers_.pop_back();
    }
    document_.marks_.resize(good_.marks);
    out_ = document_.minified_.get() + good_.minified;
  }

  const char* p_;
  const char* end_;
  std::string_view text_;
  Layout layout_;
  JsonDocument document_;
  char* out_ = nullptr;
  Expect expect_ = Expect::value;
  char previous_ = '\0';
  std::size_t depth_ = 0;
  std::size_t tokens_ = 0;
  std::uint32_t current_ = JsonDocument::outside;
  State good_;
};

// The JSON begins at the beginning or, below lines of another kind, at that of a line.
std::optional<JsonDocument> JsonDocument::read(std::string_view text) {
  std::size_t begin = 0;
  for (int tries = 0; tries < max_beginnings && 2 * begin <= text.size();) {
    if (begin < text.size() && opens(text[begin])) {
      auto document = JsonReader(text.substr(begin)).read();
      if (document && (begin == 0 || document->marks_.size() >= min_tokens_in_raw)) {
        document->banner_ = text.substr(0, begin);
        return document;
      }
      ++tries;
    }
    begin = text.find('\n', begin);
    if (begin == std::string_view::npos) break;
    ++begin;
  }
  return std::nullopt;
}

Records JsonDocument::begin_records() const {
  Records records;
  records.layout = layout_;
  if (several_) records.layout += ", several documents";
  if (banner_.empty()) return records;
  records.lines = split_lines(banner_.substr(0, banner_.size() - 1));
  records.layout += fmt::format(", first {} raw", records.lines.size());
  return records;
}

void JsonDocument::add_tail(Records& records) const {
  if (!tail_) return;
  const auto lines = split_lines(*tail_);
  records.lines.insert(records.lines.end(), lines.begin(), lines.end());
  records.layout += fmt::format(", last {} raw", lines.size());
}

std::optional<Records> JsonDocument::uncut() const {
  if (layout_ == "one line") return std::nullopt;
  Records records = begin_records();
  records.lines.emplace_back(minified_.get(), size_);
  add_tail(records);
  return records;
}

std::vector<bool> JsonDocument::containers_to_cut(bool nested) const {
  std::vector<bool> split(containers_.size(), false);
  split[outside] = several_;
  std::uint32_t record = no_container;  // the record that is being read: nothing is cut inside
  for (const Mark& mark : marks_) {
    if (closes(mark.byte)) {
      if (record == mark.container) record = no_container;
    } else if (opens(mark.byte)) {
      const Container& container = containers_[mark.container];
      const bool in_split = split[container.parent];
      const bool may_cut = nested || (record == no_container && !several_);
      if ((may_cut && container.container_children >= min_container_children) ||
          (nested && in_split && container.parent != outside && container.array &&
           container.container_children > 0)) {
        split[mark.container] = true;
      } else if (record == no_container && in_split) {
        record = mark.container;
      }
    }
  }
  return split;
}

std::optional<Records> JsonDocument::cut(bool nested) const {
  const std::vector<bool> split = containers_to_cut(nested);
  const auto containers = std::count(split.begin(), split.end(), true);
  if (containers == 0) return std::nullopt;
  if (containers == 1 && several_ && layout_ == "one line") return std::nullopt;
  Records records = begin_records();
  std::size_t begin = 0;
  const auto cut_line = [&](std::size_t end, std::size_t next) {
    if (end > begin) records.lines.emplace_back(minified_.get() + begin, end - begin);
    begin = next;
  };
  for (const Mark& mark : marks_) {
    if (!split[mark.container]) continue;
    const std::size_t at = mark.at;
    if (opens(mark.byte)) {
      cut_line(at + 1, at + 1);
    } else if (closes(mark.byte)) {
      cut_line(at, at);
    } else {
      cut_line(at, at + 1);
    }
  }
  cut_line(size_, size_);
  add_tail(records);
  return records;
}

}  // namespace tare::compact
