#include "harness/conversation.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

namespace tare::harness {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view question = "Find out why the build is red, and mend it.";

// Whole numbers from a seed. The library's distributions differ between platforms.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
  bool one_in(std::size_t n) { return below(n) == 0; }

 private:
  std::mt19937_64 engine_;
};

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1);
    lines.push_back(text.substr(begin, end + 1 - begin));
    begin = end + 1;
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  return std::accumulate(lines.begin(), lines.end(), std::string());
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Other digits in the last number of the line.
void change_number(std::string& line, Dice& dice) {
  const auto last = std::find_if(line.rbegin(), line.rend(), is_digit);
  for (auto at = last; at != line.rend() && is_digit(*at); ++at) {
    *at = static_cast<char>('0' + dice.below(10));
  }
}

std::string edited(const std::string& text, Dice& dice) {
  auto lines = split_lines(text);
  for (std::size_t edits = 1 + dice.below(3); edits > 0 && !lines.empty(); --edits) {
    const auto at = static_cast<std::ptrdiff_t>(dice.below(lines.size()));
    const auto line = lines.begin() + at;
    switch (dice.below(3)) {
      case 0:
        lines.erase(line);
        break;
      case 1:
        lines.insert(line, fmt::format("  edit_{} = 0;\n", dice.below(1000)));
        break;
      default:
        line->insert(0, fmt::format("if (flag_{}) ", dice.below(1000)));
    }
  }
  return joined(lines);
}

std::string rerun(const std::string& text, Dice& dice) {
  auto lines = split_lines(text);
  for (auto& line : lines) {
    if (dice.one_in(8)) change_number(line, dice);
  }
  return joined(lines);
}

bool is_file(const SourceOutput& source) {
  return source.class_name == "code" || source.class_name == "prose";
}

bool is_run(const SourceOutput& source) {
  return source.class_name == "build" || source.class_name == "test";
}

class Maker {
 public:
  Maker(std::span<const SourceOutput> sources, std::uint64_t seed)
      : sources_(sources), dice_(seed), order_(sources.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    shuffle(order_);
  }

  void add_turn() {
    if (kinds_.empty()) deal();
    const Repeat kind = turns_.empty() ? Repeat::none : kinds_.back();
    kinds_.pop_back();
    if (kind == Repeat::none) {
      add_new();
    } else {
      repeat(kind);
    }
  }

  std::vector<Turn> take() { return std::move(turns_); }

 private:
  // What the next eight turns are.
  void deal() {
    using enum Repeat;
    kinds_ = {none, none, none, none, again, again, edited, rerun};
    shuffle(kinds_);
  }

  template <typename T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[dice_.below(i)]);
  }

  void add_new() {
    const std::size_t number = order_[used_ % order_.size()];
    const SourceOutput& source = sources_[number];
    const bool used_before = used_++ >= order_.size();
    const bool file = is_file(source);
    const Json arguments = {{file ? "path" : "cmd", source.name}};
    Turn turn;
    turn.tool = file ? "read_file" : "exec_command";
    turn.arguments = arguments.dump(-1, ' ', false, Json::error_handler_t::replace);
    turn.output = used_before ? rerun(source.text, dice_) : source.text;
    add(std::move(turn), number);
  }

  void repeat(Repeat kind) {
    const std::size_t of = turn_for(kind);
    Turn turn = turns_[of];
    turn.repeat = kind;
    if (kind == Repeat::edited) turn.output = edited(turn.output, dice_);
    if (kind == Repeat::rerun) turn.output = rerun(turn.output, dice_);
    add(std::move(turn), source_of_turn_[of]);
  }

  // An earlier turn, of the classes that such a repeat is usual for when there is one.
  std::size_t turn_for(Repeat kind) {
    std::vector<std::size_t> usual;
    for (std::size_t i = 0; i < turns_.size(); ++i) {
      const SourceOutput& source = sources_[source_of_turn_[i]];
      const bool fits = kind == Repeat::edited ? is_file(source) : is_run(source);
      if (kind != Repeat::again && fits) usual.push_back(i);
    }
    return usual.empty() ? dice_.below(turns_.size()) : usual[dice_.below(usual.size())];
  }

  void add(Turn turn, std::size_t source) {
    turns_.push_back(std::move(turn));
    source_of_turn_.push_back(source);
  }

  std::span<const SourceOutput> sources_;
  Dice dice_;
  std::vector<std::size_t> order_;  // in which sources are used
  std::size_t used_ = 0;
  std::vector<Repeat> kinds_;  // of the turns to come, the last one first
  std::vector<Turn> turns_;
  std::vector<std::size_t> source_of_turn_;
};

std::string id_of(std::size_t turn) {
  return fmt::format("call_{}", turn + 1);
}

}  // namespace

std::vector<Turn> make_conversation(std::span<const SourceOutput> sources, std::uint64_t seed,
                                    std::size_t turns) {
  Maker maker(sources, seed);
  for (std::size_t i = 0; i < turns; ++i) maker.add_turn();
  return maker.take();
}

std::string conversation_body(Route route, std::span<const Turn> turns) {
  std::vector<ToolCall> calls;
  calls.reserve(turns.size());
  for (std::size_t i = 0; i < turns.size(); ++i) {
    calls.push_back({id_of(i), turns[i].tool, turns[i].arguments, turns[i].output});
  }
  return request_body(route, question, calls);
}

}  // namespace tare::harness
