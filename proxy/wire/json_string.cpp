#include "proxy/wire/json_string.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "proxy/compact/chars.h"

namespace tare::wire {
namespace {

using compact::each_byte;
using compact::high_bits;
using compact::word_bytes;

constexpr std::uint32_t first_high = 0xD800;
constexpr std::uint32_t first_low = 0xDC00;
constexpr std::uint32_t first_after_low = 0xE000;
constexpr std::uint32_t not_hex = ~std::uint32_t{0};

std::uint32_t hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<std::uint32_t>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<std::uint32_t>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<std::uint32_t>(c - 'A' + 10);
  return not_hex;
}

// The code unit of "uXXXX" at `in`, or not_hex.
std::uint32_t unit_at(const char* in, const char* end) {
  if (end - in < 5 || *in != 'u') return not_hex;
  std::uint32_t unit = 0;
  for (int i = 1; i <= 4; ++i) {
    const std::uint32_t digit = hex_digit(in[i]);
    if (digit == not_hex) return not_hex;
    unit = unit << 4 | digit;
  }
  return unit;
}

char* put_code_point(char* out, std::uint32_t code) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x80) {
    *out++ = static_cast<char>(code);
  } else if (code < 0x800) {
    *out++ = static_cast<char>(0xC0 | code >> 6);
    *out++ = tail(0);
  } else if (code < 0x10000) {
    *out++ = static_cast<char>(0xE0 | code >> 12);
    *out++ = tail(6);
    *out++ = tail(0);
  } else {
    *out++ = static_cast<char>(0xF0 | code >> 18);
    *out++ = tail(12);
    *out++ = tail(6);
    *out++ = tail(0);
  }
  return out;
}

// What a one-letter escape stands for, 0 for none.
constexpr auto short_escapes = [] {
  std::array<char, 256> table{};
  table['"'] = '"';
  table['\\'] = '\\';
  table['/'] = '/';
  table['b'] = '\b';
  table['f'] = '\f';
  table['n'] = '\n';
  table['r'] = '\r';
  table['t'] = '\t';
  return table;
}();

// The high bit of each byte of `word` that is a backslash.
std::uint64_t backslashes(std::uint64_t word) {
  const std::uint64_t x = word ^ each_byte('\\');
  return ~(((x & ~high_bits) + ~high_bits) | x | ~high_bits);
}

// One pass from `in` to `out`; a string's text is never longer than the string.
class Decoder {
 public:
  Decoder(const char* in, const char* end, char* out) : in_(in), end_(end), out_(out) {}

  // One past the last byte written, null for a bad escape.
  char* run() {
    // A word is copied from any place in the word that is looked at.
    while (end_ - in_ >= std::ptrdiff_t{2 * word_bytes}) {
      if (!take_word()) return nullptr;
    }
    while (in_ != end_) {
      if (*in_ == '\\') {
        if (!take_escape()) return nullptr;
      } else {
        raw_ |= static_cast<std::uint8_t>(*in_);
        *out_++ = *in_++;
      }
    }
    return out_;
  }

  Spelling spelling() const {
    const bool raw_beyond_ascii = (raw_ & high_bits) != 0;
    return escaped_beyond_ascii_ && !raw_beyond_ascii ? Spelling::ascii : Spelling::shortest;
  }

 private:
  // Where the escapes in the next eight bytes are is found before one is read, so that the next
  // word does not wait for them.
  bool take_word() {
    const char* const begin = in_;
    const std::uint64_t word = compact::word_at(begin);
    raw_ |= word;
    for (std::uint64_t left = backslashes(word); left != 0; left &= left - 1) {
      const char* const at = begin + compact::first_byte(left);
      if (at < in_) continue;  // the second byte of an escape
      copy_plain(at);
      if (!take_escape()) return false;
    }
    if (in_ < begin + word_bytes) copy_plain(begin + word_bytes);
    return true;
  }

  // At most eight bytes. There are so many to read, and there is room for them, since the text so
  // far is never longer than what was read.
  void copy_plain(const char* to) {
    std::memcpy(out_, in_, word_bytes);
    out_ += to - in_;
    in_ = to;
  }

  bool take_escape() {
    if (++in_ == end_) return false;
    if (*in_ != 'u') {
      *out_ = short_escapes[static_cast<std::uint8_t>(*in_++)];
      return *out_++ != 0;
    }
    std::uint32_t code = unit_at(in_, end_);
    if (code == not_hex) return false;
    in_ += 5;
    const bool high = code >= first_high && code < first_low;
    if (high && end_ - in_ >= 6 && *in_ == '\\') {
      const std::uint32_t low = unit_at(in_ + 1, end_);
      if (low >= first_low && low < first_after_low) {
        code = 0x10000 + ((code - first_high) << 10) + (low - first_low);
        in_ += 6;
      }
    }
    const bool lone = code >= first_high && code < first_after_low;
    escaped_beyond_ascii_ |= code >= 0x7F && !lone;
    out_ = put_code_point(out_, code);
    return true;
  }

  const char* in_;
  const char* end_;
  char* out_;
  std::uint64_t raw_ = 0;  // all bytes as they stand in the string, one upon the other
  bool escaped_beyond_ascii_ = false;
};

// Reads the code point at `in` and moves past it. False when the bytes are not well formed.
bool next_code_point(const char*& in, const char* end, std::uint32_t& code) {
  const auto lead = static_cast<std::uint8_t>(*in);
  const int tails = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  if (lead < 0xC2 || lead > 0xF4 || end - in <= tails) return false;
  code = lead & (0x3FU >> tails);
  for (int i = 1; i <= tails; ++i) {
    const auto byte = static_cast<std::uint8_t>(in[i]);
    if ((byte & 0xC0) != 0x80) return false;
    code = code << 6 | (byte & 0x3F);
  }
  constexpr std::array<std::uint32_t, 4> smallest = {0, 0x80, 0x800, 0x10000};
  in += tails + 1;
  return code >= smallest[static_cast<std::size_t>(tails)] && code <= 0x10FFFF;
}

void put_unit(std::string& out, std::uint32_t unit) {
  constexpr std::string_view digits = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += digits[unit >> shift & 0xF];
}

void put_escaped(std::string& out, std::uint32_t code) {
  if (code < 0x10000) return put_unit(out, code);
  put_unit(out, first_high + ((code - 0x10000) >> 10));
  put_unit(out, first_low + (code & 0x3FF));
}

void put_special(std::string& out, char c) {
  constexpr std::string_view letters = "\"\\btnfr";
  constexpr std::string_view meanings = "\"\\\b\t\n\f\r";
  const auto at = meanings.find(c);
  if (at == std::string_view::npos) return put_unit(out, static_cast<std::uint8_t>(c));
  out += '\\';
  out += letters[at];
}

bool is_special(char c) {
  return static_cast<std::uint8_t>(c) < 0x20 || c == '"' || c == '\\';
}

// What a string may hold as it stands in each spelling.
constexpr auto stands_for_itself = [] {
  std::array<bool, 256> table{};
  for (std::size_t c = 0x20; c < 0x7F; ++c) table[c] = c != '"' && c != '\\';
  return table;
}();

}  // namespace

std::optional<JsonText> decode(std::string_view json_string) {
  const char* const begin = json_string.data() + 1;
  const char* const end = json_string.data() + json_string.size() - 1;
  Decoder decoder(begin, end, nullptr);
  JsonText result;
  bool good = false;
  result.text.resize_and_overwrite(json_string.size(), [&](char* out, std::size_t) {
    decoder = Decoder(begin, end, out);
    const char* const after = decoder.run();
    good = after != nullptr;
    return good ? static_cast<std::size_t>(after - out) : std::size_t{0};
  });
  if (!good) return std::nullopt;
  result.spelling = decoder.spelling();
  return result;
}

std::optional<std::string> encode(std::string_view text, Spelling spelling) {
  std::string out;
  out.reserve(text.size() + text.size() / 8 + 2);
  out += '"';
  const char* in = text.data();
  const char* const end = in + text.size();
  const char* plain = in;  // what stands for itself and is not yet in `out`
  while (in != end) {
    if (stands_for_itself[static_cast<std::uint8_t>(*in)]) {
      ++in;
      continue;
    }
    const char* const at = in;
    if (is_special(*in)) {
      out.append(plain, at);
      put_special(out, *in);
      plain = ++in;
    } else {
      std::uint32_t code = 0x7F;
      if (*in == 0x7F) {
        ++in;
      } else if (!next_code_point(in, end, code)) {
        return std::nullopt;
      }
      const bool surrogate = code >= first_high && code < first_after_low;
      if (surrogate || spelling == Spelling::ascii) {
        out.append(plain, at);
        put_escaped(out, code);
        plain = in;
      }
    }
  }
  out.append(plain, end);
  out += '"';
  return out;
}

}  // namespace tare::wire
