#include "proxy/compact/cost.h"

#include <algorithm>

#include "proxy/compact/chars.h"

namespace tare::compact {
namespace {

enum class Before {
  nothing,
  space,
  other
};  // the one byte that a token takes along in front of a word

// The functions for a token are inlined by force: out of line they made estimate() a third slower.

// Starts at a letter; moves `p` behind the word.
[[gnu::always_inline]] inline Cost word_cost(const char*& p, const char* end, Before before) {
  const char* start = p;
  while (p < end && char_class(*p) == Char::upper) ++p;
  const auto uppers = p - start;
  while (p < end && char_class(*p) == Char::lower) ++p;
  const Cost length = p - start;
  Cost cost = 0;
  if (uppers == length && length > 1) {
    cost = 1000 + 160 * (length - 2);
  } else if (uppers > 1) {
    cost = 2000 + 150 * std::max<Cost>(0, length - 4);
  } else if (length > 12) {
    cost = 1600 + 300 * (length - 12);
  } else {
    const Cost free = before == Before::space ? 4 : before == Before::nothing ? 3 : 1;
    cost = 1000 + (before == Before::space ? 60 : 70) * std::max<Cost>(0, length - free);
  }
  return before == Before::other ? cost + 180 : cost;
}

// Starts at the first punctuation byte; moves `p` behind the run and the line ends that a token
// takes along.
[[gnu::always_inline]] inline Cost punctuation_cost(const char*& p, const char* end) {
  const char* start = p;
  bool same = true;
  while (p < end && char_class(*p) == Char::punctuation) same &= *p++ == *start;
  while (p < end && (char_class(*p) == Char::line_end || *p == '/')) {
    if (*p == '/') same = false;
    ++p;
  }
  const char* last = p;
  while (last > start && char_class(last[-1]) == Char::line_end) --last;
  const Cost length = last - start;
  if (length <= 3) return 1000;
  return same ? 1000 + length * 1000 / 64 : 1000 + 360 * (length - 3);
}

// Starts at a blank or a line end; moves `p` behind what one token takes.
[[gnu::always_inline]] inline Cost blank_cost(const char*& p, const char* end) {
  const char* start = p;
  const char* after_line_end = nullptr;
  while (p < end) {
    const Char k = char_class(*p);
    if (k == Char::line_end) {
      after_line_end = p + 1;
    } else if (k != Char::blank) {
      break;
    }
    ++p;
  }
  if (after_line_end != nullptr) {
    p = after_line_end;
  } else if (p < end && p - start > 1) {
    --p;  // the last blank goes with the word behind it
  }
  return 1000 + std::max<Cost>(0, p - start - 16) * 1000 / 32;
}

}  // namespace

Cost estimate(std::string_view text) {
  const char* p = text.data();
  const char* const end = p + text.size();
  Cost cost = 0;
  while (p < end) {
    const Char k = char_class(*p);
    switch (k) {
      case Char::upper:
      case Char::lower:
        cost += word_cost(p, end, Before::nothing);
        break;
      case Char::digit: {
        const char* stop = std::min(end, p + 3);
        while (p < stop && is_digit(*p)) ++p;
        cost += 1000;
        break;
      }
      case Char::high: {
        // Letters of two bytes (Cyrillic, Greek, ...) come in longer tokens than signs of three.
        Cost run = 0;
        for (; p < end && char_class(*p) == Char::high; ++p) {
          const auto byte = static_cast<unsigned char>(*p);
          run += byte >= 0xC0 && byte < 0xE0 ? 60 : 303;
        }
        cost += std::max<Cost>(1000, run);
        break;
      }
      case Char::line_end:
        cost += blank_cost(p, end);
        break;
      case Char::blank:
      case Char::punctuation: {
        const bool more = p + 1 < end;
        if (more && is_letter(p[1])) {
          const Before before = *p == ' ' ? Before::space : Before::other;
          cost += word_cost(++p, end, before);
        } else if (k == Char::punctuation) {
          cost += punctuation_cost(p, end);
        } else if (*p == ' ' && more && char_class(p[1]) == Char::punctuation) {
          cost += punctuation_cost(++p, end);
        } else {
          cost += blank_cost(p, end);
        }
        break;
      }
    }
  }
  return cost;
}

Cost estimate_from_sample(std::string_view text) {
  constexpr std::size_t stretches = 16;
  constexpr std::size_t stretch_bytes = 128;
  constexpr std::size_t sample_bytes = stretches * stretch_bytes;
  if (text.size() <= 2 * sample_bytes) return estimate(text);
  const std::size_t last = text.size() - stretch_bytes;
  Cost cost = 0;
  for (std::size_t i = 0; i < stretches; ++i) {
    cost += estimate(text.substr(last / (stretches - 1) * i, stretch_bytes));
  }
  return static_cast<Cost>(static_cast<double>(cost) * static_cast<double>(text.size()) /
                           static_cast<double>(sample_bytes));
}

Cost estimate(std::string_view text, const std::stop_token& stop) {
  constexpr std::size_t piece = std::size_t{1} << 20;
  Cost cost = 0;
  for (; text.size() > piece && !stop.stop_requested(); text.remove_prefix(piece))
    cost += estimate(text.substr(0, piece));
  return cost + estimate(text.substr(0, piece));
}

}  // namespace tare::compact
