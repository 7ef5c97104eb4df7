// Texts of any size, by class, for what is measured by class and size. The same class and size give
// the same text everywhere.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/generated_texts.h"
#include "tests/support/published_texts.h"

namespace tare::test {

namespace sized {

// Appends what `append` appends, again and again, until there are `bytes` bytes.
inline std::string fill(std::size_t bytes, auto&& append) {
  std::string text;
  text.reserve(bytes + bytes / 16);
  while (text.size() < bytes) append(text);
  text.resize(bytes);
  return text;
}

// Outputs of one class of generated_texts.h, one behind the other.
inline std::string generated_texts(std::string_view name, std::size_t bytes) {
  Random random(1);
  for (const TextClass& kind : text_classes) {
    if (kind.name == name)
      return fill(bytes, [&](std::string& text) { text += make_text(kind, random); });
  }
  return {};
}

// One shape of line with four values that follow no law.
inline std::string access_rows(std::size_t bytes) {
  Random random(2);
  return fill(bytes, [&](std::string& text) {
    fmt::format_to(std::back_inserter(text),
                   "10.20.{}.{} - - [01/May/2031:10:00:00 +0000] \"GET /api/v2/items/{} HTTP/1.1\" "
                   "200 {}\n",
                   random.below(16), random.below(250), random.between(1000, 99999),
                   random.between(100, 9999));
  });
}

// Words of a made-up language, the rare ones long and many as in a real one.
class Language {
 public:
  Language() {
    for (std::size_t i = 0; i < words; ++i) {
      std::string word;
      const std::size_t syllables = 1 + (i > 60 ? 1 : 0) + random_.below(1 + i / 400);
      for (std::size_t k = 0; k <= syllables / 2 + random_.below(syllables); ++k) {
        word += "bcdfghlmnprstvw"[random_.below(15)];
        word += "aeiou"[random_.below(5)];
        if (random_.one_in(2)) word += "nrst"[random_.below(4)];
      }
      words_.push_back(std::move(word));
    }
  }
  // Rank r comes about as often as 1/r.
  const std::string& word() {
    std::size_t limit = words;
    while (limit > 4 && random_.one_in(2)) limit /= 3;
    return words_[random_.below(limit)];
  }
  Random& random() { return random_; }

 private:
  static constexpr std::size_t words = 4000;
  Random random_{3};
  std::vector<std::string> words_;
};

// Paragraphs, their lines broken at `width` bytes (0: never, and without any line end).
inline std::string prose(std::size_t bytes, std::size_t width) {
  Language language;
  std::size_t begin = 0;
  std::size_t left = 0;  // words of this sentence
  return fill(bytes, [&](std::string& text) {
    const bool first = left == 0;
    if (first) left = 4 + language.random().below(20);
    std::string word = language.word();
    if (first) word[0] = static_cast<char>(word[0] - 'a' + 'A');
    if (--left == 0) {
      word += '.';
    } else if (language.random().one_in(9)) {
      word += ',';
    }
    if (width > 0 && left == 0 && language.random().one_in(6)) {
      text += word + "\n\n";
      begin = text.size();
    } else if (width > 0 && text.size() - begin + word.size() > width) {
      text += word + "\n";
      begin = text.size();
    } else {
      text += word + " ";
    }
  });
}

inline std::string base64(std::size_t bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  Random random(4);
  return fill(bytes, [&](std::string& text) {
    for (int i = 0; i < 76; ++i) text += digits[random.below(digits.size())];
    text += '\n';
  });
}

inline std::string short_lines(std::size_t bytes) {
  Random random(5);
  return fill(bytes, [&](std::string& text) {
    fmt::format_to(std::back_inserter(text), "{}\n", random.below(1'000'000'000));
  });
}

}  // namespace sized

struct SizedClass {
  std::string_view name;
  std::string (*make)(std::size_t bytes);
};

// `logs`, `json` and `code` are like the published outputs; `prose`, `base64` and `one_line` are
// not worth a form.
inline constexpr std::array<SizedClass, 15> sized_classes{{
    {"logs", [](std::size_t n) { return published_like("logs", n); }},
    {"json", [](std::size_t n) { return published_like("json", n); }},
    {"code", [](std::size_t n) { return published_like("code", n); }},
    {"rows", sized::access_rows},
    {"service_log", [](std::size_t n) { return sized::generated_texts("service log", n); }},
    {"grep_rows", [](std::size_t n) { return sized::generated_texts("grep rows", n); }},
    {"listing", [](std::size_t n) { return sized::generated_texts("listing", n); }},
    {"ndjson", [](std::size_t n) { return sized::generated_texts("ndjson", n); }},
    {"diff", [](std::size_t n) { return sized::generated_texts("diff", n); }},
    {"source", [](std::size_t n) { return sized::generated_texts("source", n); }},
    {"mixed", [](std::size_t n) { return sized::generated_texts("mixed", n); }},
    {"prose", [](std::size_t n) { return sized::prose(n, 78); }},
    {"base64", sized::base64},
    {"one_line", [](std::size_t n) { return sized::prose(n, 0); }},
    {"short_lines", sized::short_lines},
}};

}  // namespace tare::test
