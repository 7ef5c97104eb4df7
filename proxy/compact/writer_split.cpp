#include "proxy/compact/writer_split.h"

#include <algorithm>
#include <array>
#include <utility>

#include "proxy/compact/chars.h"

namespace tare::compact {
namespace {

constexpr std::size_t max_values = 48;

constexpr std::size_t max_word_line_bytes = 4000;

constexpr std::uint64_t value_mark = 0x1F;  // hashed where a value stands

// JSON strings that are not keys, numbers, true, false, null.
class JsonLeaves final : public Splitter {
 public:
  bool accepts(std::string_view line) const override {
    if (line[0] == '"') return true;
    if (line[0] != '{' && line[0] != '[') return false;
    const std::size_t next = line.size() > 1 && line[1] == ' ' ? 2 : 1;
    const char first = next < line.size() ? line[next] : '\0';
    return first == '"' || (line[0] == '{' ? first == '}' : first == '{' || first == '[');
  }

  std::uint64_t split(std::string_view line, std::vector<std::string_view>& values) const override {
    const std::size_t limit = values.size() + max_values;
    std::uint64_t hash = 0;
    std::size_t literal = 0;
    std::size_t i = 0;
    while (i < line.size() && values.size() < limit) {
      std::size_t end = i;
      if (line[i] == '"') {
        const std::size_t stop = string_end(line, i);
        if (stop == std::string_view::npos) break;
        const bool key = i > 0 && stop < line.size() && line[stop] == ':';
        if (key) {
          i = stop;
          continue;
        }
        end = stop;
      } else if (i > 0 && stands_before_scalar(line[i - 1])) {
        end = scalar_end(line, i);
      }
      if (end == i) {
        ++i;
        continue;
      }
      hash = hash_step(hash_bytes(line.substr(literal, i - literal), hash), value_mark);
      values.push_back(line.substr(i, end - i));
      literal = i = end;
    }
    return hash_bytes(line.substr(literal), hash);
  }

 private:
  static std::size_t string_end(std::string_view line, std::size_t begin) {
    for (std::size_t q = begin + 1; q < line.size(); ++q) {
      if (line[q] == '\\') {
        ++q;
      } else if (line[q] == '"') {
        return q + 1;
      }
    }
    return std::string_view::npos;
  }

  static bool stands_before_scalar(char c) { return c == ':' || c == '[' || c == ',' || c == ' '; }
  static bool stands_behind_scalar(char c) { return c == ',' || c == ']' || c == '}' || c == ' '; }

  // The end of the number or word that starts at `begin`; `begin` when there is none.
  static std::size_t scalar_end(std::string_view line, std::size_t begin) {
    std::size_t end = begin;
    if (line[begin] == '-' || is_digit(line[begin])) {
      ++end;
      while (end < line.size() && (is_digit(line[end]) || line[end] == '.' || line[end] == 'e' ||
                                   line[end] == 'E' || line[end] == '+' || line[end] == '-')) {
        ++end;
      }
    } else {
      for (const std::string_view word : {"true", "false", "null"}) {
        if (line.substr(begin).starts_with(word)) end = begin + word.size();
      }
    }
    return end == line.size() || stands_behind_scalar(line[end]) ? end : begin;
  }
};

// Words (letters, digits, underscores, non-ASCII) are values; all else is fixed.
class Words final : public Splitter {
 public:
  bool accepts(std::string_view line) const override { return line.size() <= max_word_line_bytes; }

  std::uint64_t split(std::string_view line, std::vector<std::string_view>& values) const override {
    const std::size_t limit = values.size() + max_values;
    std::uint64_t hash = 0;
    std::uint64_t fixed = 1;  // the last bytes that are in no word; hashed once for several
    std::size_t i = 0;
    while (i < line.size()) {
      if (!is_word(line[i])) {
        fixed = fixed << 8 | static_cast<unsigned char>(line[i++]);
        if (fixed >> 56 != 0) hash = hash_step(hash, std::exchange(fixed, 1));
        continue;
      }
      hash = hash_step(hash, std::exchange(fixed, 1));
      if (values.size() == limit) return hash_bytes(line.substr(i), hash);
      const std::size_t begin = i;
      while (i < line.size() && is_word(line[i])) ++i;
      values.push_back(line.substr(begin, i - begin));
    }
    return hash_step(hash, fixed);
  }
};

// What stands between blanks; how many there are does not matter.
class Fields final : public Splitter {
 public:
  bool accepts(std::string_view) const override { return true; }

  std::uint64_t split(std::string_view line, std::vector<std::string_view>& values) const override {
    const std::size_t limit = values.size() + max_fields;
    const auto blank = [](char c) {
      return char_class(c) == Char::blank || char_class(c) == Char::line_end;
    };
    std::size_t i = 0;
    while (values.size() < limit) {
      while (i < line.size() && blank(line[i])) ++i;
      if (i == line.size()) break;
      const std::size_t begin = i;
      while (i < line.size() && !blank(line[i])) ++i;
      values.push_back(line.substr(begin, i - begin));
    }
    return 0;
  }
};

const Fields field_splitter;
const JsonLeaves json_leaves;
const Words words;
constexpr std::array<const Splitter*, 2> all_splitters{&json_leaves, &words};

}  // namespace

bool hold_all_digits(std::span<const std::string_view> values, std::string_view line) {
  const auto has_digit = [](const char* begin, const char* end) {
    return std::find_if(begin, end, is_digit) != end;
  };
  const char* begin = line.data();
  for (const std::string_view value : values) {
    if (has_digit(begin, value.data())) return false;
    begin = value.data() + value.size();
  }
  return !has_digit(begin, line.data() + line.size());
}

std::span<const Splitter* const> splitters() {
  return all_splitters;
}

const Splitter& fields() {
  return field_splitter;
}

}  // namespace tare::compact
