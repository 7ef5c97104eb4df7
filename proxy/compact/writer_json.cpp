#include "proxy/compact/writer_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "proxy/compact/chars.h"
#include "proxy/compact/writer_json_layout.h"

namespace tare::compact {
namespace {

constexpr std::size_t min_tokens_in_raw = 20;  // fewer among raw lines are no document
constexpr int max_beginnings = 4;              // places where a document may begin that are tried
constexpr std::uint32_t min_container_children = 3;
constexpr std::size_t max_depth = 4096;
constexpr std::size_t min_marks = 1024;
constexpr std::size_t bytes_for_mark = 10;

// Of a string, between two looks at the stop: 1 MiB.
constexpr std::size_t pause_words = (std::size_t{1} << 20) / word_bytes;

// Where a string token ends: a quote, a backslash or a control byte.
constexpr std::array<bool, 256> stops_string = [] {
  std::array<bool, 256> table{};
  for (std::size_t c = 0; c < 0x20; ++c) table[c] = true;
  table['"'] = table['\\'] = true;
  return table;
}();

// Of the bytes of a word, the high bit of the first such byte is set; those behind it may be too.
std::uint64_t stops_of_string(std::uint64_t word) {
  const auto zeros = [](std::uint64_t x) { return (x - each_byte(1)) & ~x; };
  const std::uint64_t controls = (word - each_byte(0x20)) & ~word;
  return (controls | zeros(word ^ each_byte('"')) | zeros(word ^ each_byte('\\'))) & high_bits;
}

}  // namespace

// One pass over the text: checks structure and layout, copies the tokens, notes brackets and
// commas. It can always go back to the last finished value.
class JsonReader {
 public:
  JsonReader(std::string_view text, const std::stop_token& stop)
      : p_(text.data()), end_(p_ + text.size()), text_(text), stop_(stop), layout_(text) {
    document_.minified_ = std::make_unique_for_overwrite<char[]>(text.size());
    document_.containers_.emplace_back();
    out_ = document_.minified_.get();
  }

  std::optional<JsonDocument> read() {
    if (!layout_.valid()) return std::nullopt;
    while (next_token()) {
      if (stop_.stop_requested()) return std::nullopt;
    }
    if (is_too_dense()) return std::nullopt;
    const bool whole = expect_ == Expect::nothing && p_ == end_;
    if (!whole) {
      if (good_.tokens < min_tokens_in_raw || 2 * good_.text < text_.size()) return std::nullopt;
      go_back();
      document_.tail_ = text_.substr(good_.text);
    }
    document_.several_ = document_.containers_[JsonDocument::outside].container_children > 1;
    document_.tokens_ = whole ? tokens_ : good_.tokens;
    document_.size_ = written();
    document_.layout_ = layout_.name();
    return std::move(document_);
  }

 private:
  enum class Expect { value, value_or_end, key, key_or_end, comma_or_end, nothing };

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
      case '"':
        if (value) return string() && value_done();
        return (expect_ == Expect::key || expect_ == Expect::key_or_end) && string() && colon();
      default:
        return value && scalar() && value_done();
    }
  }

  // A line break and another document: as if a comma stood between them.
  bool next_document() {
    if (end_ - p_ < 2 || *p_ != '\n' || !opens_json(p_[1])) return false;
    mark();
    *out_++ = ',';
    ++p_;
    expect_ = Expect::value;
    previous_ = '\0';
    return true;
  }

  // A bracket, a comma or a colon.
  void copy_sign() {
    *out_++ = *p_++;
    ++tokens_;
  }

  void mark() { document_.marks_.push_back({static_cast<std::uint32_t>(written()), current_}); }

  bool open(char c) {
    if (depth_ == max_depth) return false;
    if (is_too_dense()) return false;
    if (current_ != JsonDocument::outside &&
        document_.containers_[current_].container_children == 0)
      mark_commas();
    ++document_.containers_[current_].container_children;
    document_.containers_.push_back({current_, 0, c == '[' ? 1U : 0U});
    current_ = static_cast<std::uint32_t>(document_.containers_.size() - 1);
    ++depth_;
    mark();
    copy_sign();
    expect_ = c == '[' ? Expect::value_or_end : Expect::key_or_end;
    previous_ = c;
    return true;
  }

  bool close(char c) {
    const auto& container = document_.containers_[current_];
    if ((container.array != 0) != (c == ']')) return false;
    const bool scalars = c == ']' && container.container_children == 0 && previous_ != '[';
    if (scalars && !layout_.end_scalar_array()) return false;
    const std::uint32_t parent = container.parent;
    if (container.container_children == 0) {
      forget_current();
    } else {
      mark();
    }
    copy_sign();
    current_ = parent;
    --depth_;
    previous_ = c;
    return value_done();
  }

  // So many marks would take many times the text, for records of a few bytes each.
  bool is_too_dense() const {
    return document_.marks_.size() > min_marks + text_.size() / bytes_for_mark;
  }

  // What has no containers in it is the last that was opened, and its beginning the last mark.
  void forget_current() {
    document_.marks_.pop_back();
    document_.containers_.pop_back();
  }

  // Those of the current container, which had no container in it until now.
  void mark_commas() {
    const char* const text = document_.minified_.get();
    bool in_string = false;
    for (std::size_t at = document_.marks_.back().at; at < written(); ++at) {
      if (in_string && text[at] == '\\') {
        ++at;
      } else if (text[at] == '"') {
        in_string = !in_string;
      } else if (text[at] == ',' && !in_string) {
        document_.marks_.push_back({static_cast<std::uint32_t>(at), current_});
      }
    }
  }

  bool comma() {
    const auto& container = document_.containers_[current_];
    if (container.container_children > 0) mark();
    copy_sign();
    expect_ = container.array != 0 ? Expect::value : Expect::key;
    previous_ = ',';
    return true;
  }

  // Behind a key.
  bool colon() {
    if (!layout_.skip(p_, end_, '"', depth_) || p_ == end_ || *p_ != ':') return false;
    copy_sign();
    expect_ = Expect::value;
    previous_ = ':';
    return true;
  }

  // Copies while it looks for the end: most are a few bytes long.
  bool string() {
    *out_++ = *p_++;
    for (;;) {
      copy_plain();
      if (p_ == end_) return false;
      const char c = *p_;
      if (c == '\\') {
        if (p_ + 1 == end_ || static_cast<unsigned char>(p_[1]) < 0x20) return false;
        *out_++ = *p_++;
      } else if (c != '"') {
        return false;
      }
      *out_++ = *p_++;
      if (c == '"') break;
    }
    ++tokens_;
    return true;
  }

  // Up to a byte that may end a string, or to a stop. There is room for whole words: nothing is
  // written that was not read.
  void copy_plain() {
    for (std::size_t words = 1; end_ - p_ >= std::ptrdiff_t{word_bytes}; ++words) {
      const std::uint64_t word = word_at(p_);
      std::memcpy(out_, &word, word_bytes);
      const std::uint64_t stops = stops_of_string(word);
      const std::size_t plain = stops != 0 ? first_byte(stops) : word_bytes;
      p_ += plain;
      out_ += plain;
      if (stops != 0 || (words % pause_words == 0 && stop_.stop_requested())) return;
    }
    while (p_ != end_ && !stops_string[static_cast<unsigned char>(*p_)]) *out_++ = *p_++;
  }

  bool scalar() {
    ++tokens_;
    if (*p_ == '-' || is_digit(*p_)) return number();
    const std::string_view rest(p_, static_cast<std::size_t>(end_ - p_));
    for (const std::string_view word : {"true", "false", "null"}) {
      if (!rest.starts_with(word)) continue;
      out_ = std::copy(word.begin(), word.end(), out_);
      p_ += word.size();
      return true;
    }
    return false;
  }

  bool number() {
    if (*p_ == '-') *out_++ = *p_++;
    if (p_ == end_ || !is_digit(*p_)) return false;
    while (p_ != end_ &&
           (is_digit(*p_) || *p_ == '.' || *p_ == 'e' || *p_ == 'E' || *p_ == '+' || *p_ == '-'))
      *out_++ = *p_++;
    return true;
  }

  bool value_done() {
    previous_ = 'v';
    expect_ = current_ == JsonDocument::outside ? Expect::nothing : Expect::comma_or_end;
    if (layout_.in_flat_array()) return true;  // it goes on one line only as a whole
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
  const std::stop_token& stop_;
  JsonLayoutReader layout_;
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
std::optional<JsonDocument> JsonDocument::read(std::string_view text, const std::stop_token& stop) {
  std::size_t begin = 0;
  for (int tries = 0; tries < max_beginnings && 2 * begin <= text.size();) {
    if (begin < text.size() && opens_json(text[begin])) {
      auto document = JsonReader(text.substr(begin), stop).read();
      if (document && (begin == 0 || document->tokens_ >= min_tokens_in_raw)) {
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
    if (closes_json(byte(mark))) {
      if (record == mark.container) record = no_container;
    } else if (opens_json(byte(mark))) {
      const Container& container = containers_[mark.container];
      const bool in_split = split[container.parent];
      const bool may_cut = nested || (record == no_container && !several_);
      if ((may_cut && container.container_children >= min_container_children) ||
          (nested && in_split && container.parent != outside && container.array != 0 &&
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
  const auto cuts =
      std::ranges::count_if(marks_, [&](const Mark& m) { return split[m.container]; });
  records.lines.reserve(records.lines.size() + static_cast<std::size_t>(cuts) + 1);
  std::size_t begin = 0;
  const auto cut_line = [&](std::size_t end, std::size_t next) {
    if (end > begin) records.lines.emplace_back(minified_.get() + begin, end - begin);
    begin = next;
  };
  for (const Mark& mark : marks_) {
    if (!split[mark.container]) continue;
    const std::size_t at = mark.at;
    if (opens_json(byte(mark))) {
      cut_line(at + 1, at + 1);
    } else if (closes_json(byte(mark))) {
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
