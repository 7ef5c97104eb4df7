#include "proxy/compact/writer_match.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "proxy/compact/chars.h"

namespace tare::compact {
namespace {

constexpr std::string_view lone_quote = "\"";

// The column and the least blanks of "@9+".
bool read_tab(std::string_view text, std::uint32_t& column, std::uint32_t& least) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + 1, end, column);
  least = static_cast<std::uint32_t>(end - stop);
  return error == std::errc();
}

std::size_t blanks_at(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(' ', at), text.size()) - at;
}

// True when one key stands for three quarters of all, which are sorted.
bool has_usual(std::span<const std::uint64_t> keys) {
  std::size_t most = 0;
  for (std::size_t i = 0; i < keys.size();) {
    std::size_t end = i;
    while (end < keys.size() && keys[end] == keys[i]) ++end;
    most = std::max(most, end - i);
    i = end;
  }
  return 4 * most >= 3 * keys.size();
}

// Ones over the first bytes of a word in memory, or the last.
std::uint64_t mask_of(std::size_t bytes, bool first) {
  std::array<unsigned char, 8> mask{};
  const std::size_t begin = first ? 0 : mask.size() - bytes;
  std::fill_n(mask.begin() + static_cast<std::ptrdiff_t>(begin), bytes, 0xFF);
  std::uint64_t word = 0;
  std::memcpy(&word, mask.data(), sizeof word);
  return word;
}

}  // namespace

LineEnds::LineEnds(std::string_view line) {
  const std::size_t bytes = std::min(line.size(), sizeof head);
  std::memcpy(&head, line.data(), bytes);
  std::array<char, 8> end{};
  std::memcpy(end.data() + sizeof tail - bytes, line.data() + line.size() - bytes, bytes);
  std::memcpy(&tail, end.data(), sizeof tail);
}

std::optional<Matcher> Matcher::make(const Template& shape) {
  Matcher matcher(shape);
  for (const TemplateLine& line : shape.lines) {
    if (!matcher.add_line(line)) return std::nullopt;
  }
  for (std::size_t slot = 0; slot < shape.slots; ++slot) matcher.learn_slot(slot);
  matcher.values_.resize(shape.slots);
  matcher.learn_ends();
  return matcher;
}

bool Matcher::add_line(const TemplateLine& from) {
  Line line;
  std::size_t at = 0;
  for (const Hole& hole : from.holes) {
    add_fixed(line, from.leader.substr(at, hole.begin - at));
    if (!add_hole(line, hole)) return false;
    at = hole.end;
  }
  add_fixed(line, from.leader.substr(at));
  fixed_bytes_ += line.fixed_bytes;
  lines_.push_back(std::move(line));
  return true;
}

void Matcher::add_fixed(Line& line, std::string_view text) {
  if (text.empty()) return;
  Piece piece;
  piece.text = text;
  line.pieces.push_back(std::move(piece));
  line.fixed_bytes += text.size();
}

// False when the end of a value before the hole could not be told.
bool Matcher::add_hole(Line& line, const Hole& hole) {
  const bool open_before = !line.pieces.empty() && line.pieces.back().kind == Hole::Kind::open;
  Piece piece;
  piece.kind = hole.kind;
  switch (hole.kind) {
    case Hole::Kind::fixed:
      add_fixed(line, hole.text);
      return true;
    case Hole::Kind::open:
      if (open_before && hole.width == 0) return false;
      piece.slot = hole.slot;
      piece.width = hole.width;
      break;
    case Hole::Kind::law: {
      const auto law = LawSlot::read(hole.text);
      if (open_before || !law) return false;
      piece.law = *law;
      break;
    }
    case Hole::Kind::tab:
      if (!read_tab(hole.text, piece.column, piece.least)) return false;
      break;
  }
  line.pieces.push_back(std::move(piece));
  return true;
}

void Matcher::learn_ends() {
  const std::vector<Piece>& pieces = lines_[0].pieces;
  if (pieces.empty()) return;
  if (const Piece& first = pieces.front(); first.kind == Hole::Kind::fixed) {
    head_mask_ = mask_of(std::min(first.text.size(), sizeof head_), true);
    head_ = LineEnds(first.text).head & head_mask_;
  }
  if (const Piece& last = pieces.back(); last.kind == Hole::Kind::fixed) {
    tail_mask_ = mask_of(std::min(last.text.size(), sizeof tail_), false);
    tail_ = LineEnds(last.text).tail & tail_mask_;
  }
}

void Matcher::learn_slot(std::size_t index) {
  Slot slot;
  std::vector<std::uint64_t> values;
  std::vector<std::uint64_t> shapes;
  for (std::size_t row = 0; row < shape_->rows.size(); ++row) {
    const std::string_view value = shape_->value(index, row);
    values.push_back(hash_bytes(value));
    shapes.push_back(shape_key(value));
    for (const char c : value) slot.bytes[static_cast<unsigned char>(c)] = true;
  }
  slot.any_byte = slot.bytes[' '];
  // One digit stands for all of them, one other byte of a word for all of those.
  bool any[2] = {false, false};
  const auto each_word_byte = [&](auto&& use) {
    for (std::size_t i = 0; i < slot.bytes.size(); ++i) {
      const char byte = static_cast<char>(i);
      if (is_word(byte)) use(slot.bytes[i], any[is_digit(byte) ? 1 : 0]);
    }
  };
  each_word_byte([](bool met, bool& any_like) { any_like |= met; });
  each_word_byte([](bool& met, bool any_like) { met = any_like; });
  std::sort(values.begin(), values.end());
  std::sort(shapes.begin(), shapes.end());
  if (has_usual(values)) {
    slot.known = Slot::Known::values;
    slot.keys = std::move(values);
  } else if (has_usual(shapes)) {
    slot.known = Slot::Known::shapes;
    slot.keys = std::move(shapes);
  }
  slot.keys.erase(std::unique(slot.keys.begin(), slot.keys.end()), slot.keys.end());
  slots_.push_back(std::move(slot));
}

bool Matcher::match(std::span<const std::string_view> records, std::size_t record,
                    std::uint32_t number) {
  if (lines_.size() > records.size() - record) return false;
  taken_.assign(slots_.size(), false);
  for (const Line& line : lines_) {
    if (!match_line(line, records[record++], number++)) return false;
  }
  return true;
}

bool Matcher::match_line(const Line& line, std::string_view text, std::uint32_t number) {
  if (text.size() < line.fixed_bytes) return false;
  const bool ends_fixed = !line.pieces.empty() && line.pieces.back().kind == Hole::Kind::fixed;
  if (ends_fixed && !text.ends_with(line.pieces.back().text)) return false;
  std::size_t at = 0;
  for (std::size_t i = 0; i < line.pieces.size(); ++i) {
    const Piece& piece = line.pieces[i];
    switch (piece.kind) {
      case Hole::Kind::fixed:
        if (!text.substr(at).starts_with(piece.text)) return false;
        at += piece.text.size();
        break;
      case Hole::Kind::law:
        text_.clear();
        piece.law.append(text_, number);
        if (!text.substr(at).starts_with(text_)) return false;
        at += text_.size();
        break;
      case Hole::Kind::tab: {
        const std::size_t column = count_characters(text.substr(0, at));
        const std::size_t missing = piece.column > column ? piece.column - column : 0;
        const std::size_t blanks = std::max<std::size_t>(missing, piece.least);
        if (blanks_at(text, at) != blanks) return false;
        at += blanks;
        break;
      }
      case Hole::Kind::open:
        if (!match_open(line, i, text, at)) return false;
        break;
    }
  }
  return at == text.size();
}

// The value goes on to what comes behind it in the template.
bool Matcher::match_open(const Line& line, std::size_t index, std::string_view text,
                         std::size_t& at) {
  const Piece& piece = line.pieces[index];
  const std::size_t blanks = piece.width > 0 ? blanks_at(text, at) : 0;
  const std::size_t begin = at + blanks;
  std::size_t end = text.size();
  if (index + 1 < line.pieces.size()) {
    const Piece& next = line.pieces[index + 1];
    const bool last = index + 2 == line.pieces.size();
    if (next.kind != Hole::Kind::fixed) {
      end = std::min(text.find(' ', begin), text.size());
    } else if (last) {
      if (text.size() < begin + next.text.size()) return false;
      end = text.size() - next.text.size();
    } else {
      end = text.find(next.text, begin);
      if (end == std::string_view::npos) return false;
    }
  }
  const std::string_view value = text.substr(begin, end - begin);
  if (piece.width > 0) {
    const std::size_t length = count_characters(value);
    if (blanks != (piece.width > length ? piece.width - length : 0)) return false;
  }
  at = end;
  return take_value(piece, value);
}

bool Matcher::take_value(const Piece& piece, std::string_view value) {
  if (taken_[piece.slot]) return values_[piece.slot] == value;
  taken_[piece.slot] = true;
  values_[piece.slot] = value;
  const std::size_t slots = slots_.size();
  if (slots > 1 &&
      (value == lone_quote || !may_stand(value, shape_->separator, piece.slot + 1 == slots)))
    return false;
  return fits(piece.slot, value);
}

bool Matcher::fits(std::uint32_t index, std::string_view value) const {
  const Slot& slot = slots_[index];
  const auto known = [&](std::uint64_t key) { return std::ranges::binary_search(slot.keys, key); };
  if (slot.known == Slot::Known::values) return known(hash_bytes(value));
  if (slot.known == Slot::Known::shapes && !known(shape_key(value))) return false;
  return slot.any_byte || std::ranges::all_of(value, [&](char c) {
           return slot.bytes[static_cast<unsigned char>(c)];
         });
}

}  // namespace tare::compact
