#include "proxy/compact/writer_account.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

namespace tare::compact {
namespace {

constexpr std::size_t shown_bytes = 100;

// Words for what a template's holes are.
std::string kind_of(const Template& shape) {
  bool law = false;
  bool aligned = false;
  for (const TemplateLine& line : shape.lines) {
    for (const Hole& hole : line.holes) {
      law = law || hole.kind == Hole::Kind::law;
      aligned = aligned || hole.kind == Hole::Kind::tab || hole.width > 0;
    }
  }
  std::string kind = shape.slots > 0 ? fmt::format("template, {} open", shape.slots)
                     : law           ? "template of the line number"
                                     : "line that comes again";
  if (shape.span() > 1) kind += fmt::format(", {} lines each", shape.span());
  if (aligned) kind += ", aligned columns";
  return kind;
}

// No character of UTF-8 begins with it.
bool goes_on(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80;
}

std::string shown(std::string text) {
  for (char& c : text) c = static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  if (text.size() <= shown_bytes) return text;
  std::size_t end = shown_bytes;
  while (end > 0 && goes_on(text[end])) --end;
  return text.substr(0, end) + "...";
}

std::string text_of(const Template& shape) {
  std::string text;
  for (const TemplateLine& line : shape.lines) {
    if (!text.empty()) text += " | ";
    append_line(text, line, {"{", "}"});
  }
  return text;
}

class Accountant {
 public:
  Accountant(const Plan& plan, std::span<const LineCost> costs, const std::vector<bool>& alerts,
             const Earlier* earlier)
      : plan_(plan),
        costs_(costs),
        alerts_(alerts),
        earlier_(earlier),
        told_(told_costs(plan, costs)) {}

  std::vector<Piece> account() {
    for (const Item& item : plan_.items) add(item);
    std::vector<Piece> pieces;
    for (auto& [key, piece] : pieces_) pieces.push_back(std::move(piece));
    std::ranges::sort(pieces, [](const Piece& a, const Piece& b) {
      return std::pair(b.before - b.after, std::string_view(a.what)) <
             std::pair(a.before - a.after, std::string_view(b.what));
    });
    for (Piece* kept : {&alerts_kept_, &kept_}) {
      if (kept->lines > 0) pieces.push_back(std::move(*kept));
    }
    return pieces;
  }

 private:
  void add(const Item& item) {
    const Repeats& repeats = plan_.repeats;
    switch (item.kind) {
      case Item::Kind::verbatim:
        count(alerts_[item.record] ? alerts_kept_ : kept_, item.record, 1);
        return;
      case Item::Kind::instance:
        count(piece_of(plan_.templates[item.shape], item.shape), item.record,
              plan_.templates[item.shape].span());
        return;
      case Item::Kind::run: {
        const Repeat& run = repeats.runs[item.index];
        count(piece("run", "lines above that come several times in a row"), item.record,
              run.length());
        return;
      }
      case Item::Kind::copy: {
        const auto same = [&](const Copy& copy) { return copy.record == item.record; };
        count(piece("copy", "blocks of lines that come again"), item.record,
              std::ranges::find_if(repeats.copies, same)->length);
        return;
      }
      case Item::Kind::reference: {
        const Reference& reference = repeats.references[item.index];
        const auto name = std::string(earlier_->name(reference.output));
        count(piece("reference " + name, "lines of the output of call " + name), item.record,
              reference.length);
        return;
      }
      case Item::Kind::block_begin:
      case Item::Kind::block_end:
        return;
    }
  }

  Piece& piece(const std::string& key, const std::string& what) {
    Piece& found = pieces_[key];
    if (found.what.empty()) found.what = what;
    return found;
  }

  Piece& piece_of(const Template& shape, std::uint32_t index) {
    Piece& found = pieces_[fmt::format("template {:010}", index)];
    if (!found.what.empty()) return found;
    found.what = kind_of(shape) + ": " + shown(text_of(shape));
    found.after = definition_cost(shape);
    return found;
  }

  void count(Piece& piece, std::uint32_t record, std::size_t lines) {
    piece.lines += lines;
    for (std::size_t i = 0; i < lines; ++i) {
      piece.before += costs_[record + i];
      piece.after += told_[record + i];
    }
  }

  const Plan& plan_;
  std::span<const LineCost> costs_;
  const std::vector<bool>& alerts_;
  const Earlier* earlier_;
  std::vector<LineCost> told_;
  std::map<std::string, Piece> pieces_;
  Piece alerts_kept_{"kept: they look like failures", 0, 0, 0};
  Piece kept_{"kept: like no others, or exceptions to a template", 0, 0, 0};
};

}  // namespace

std::vector<Piece> account_of(const Plan& plan, std::span<const LineCost> costs,
                              const std::vector<bool>& alerts, const Earlier* earlier) {
  return Accountant(plan, costs, alerts, earlier).account();
}

std::string print_pieces(std::span<const Piece> pieces) {
  std::string out = "   lines   tokens       to  what\n";
  for (const Piece& piece : pieces) {
    fmt::format_to(std::back_inserter(out), "{:>8} {:>8} {:>8}  {}\n", piece.lines,
                   piece.before / token, piece.after / token, piece.what);
  }
  return out;
}

}  // namespace tare::compact
