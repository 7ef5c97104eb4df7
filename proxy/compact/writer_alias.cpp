#include "proxy/compact/writer_alias.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_map>
#include <vector>

#include "proxy/compact/chars.h"
#include "proxy/compact/cost.h"
#include "proxy/compact/writer_alert.h"

namespace tare::compact {
namespace {

constexpr std::array<std::string_view, 3> alias_marks{"§", "¤", "†"};
constexpr std::size_t max_aliases = 6;
constexpr std::size_t min_bytes = 8;
constexpr std::size_t max_bytes = 160;
constexpr std::uint32_t min_uses = 4;
constexpr std::size_t min_joints = 2;
constexpr Cost use_cost = 2300;
constexpr Cost definition_cost = 5 * token;
constexpr Cost min_gain = 10 * token;
constexpr Cost legend_cost = 9 * token;

bool is_name_byte(char c) {
  return is_alphanumeric(c) || c == '_' || c == '@' || c == '+' || c == '-' || c == '~';
}

// Bytes of what joins two names at `at`: "://", "::", "/", ".", ":", "\" or "\\"; 0 when nothing
// does.
std::size_t joint_bytes(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  for (const std::string_view joint : {"://", "::", "\\\\", "/", ".", ":", "\\"}) {
    if (rest.starts_with(joint)) return joint.size();
  }
  return 0;
}

bool cuts(std::string_view word, std::size_t at) {
  return word[at] == '/' || word[at] == '\\' || word.substr(at).starts_with("::") ||
         word.substr(at).starts_with("://");
}

// Calls `found` for each name of three parts or more, "a/b.c", in `text`.
template <typename Found>
void for_each_path(std::string_view text, const std::stop_token& stop, Found found) {
  for (std::size_t i = 0; i < text.size() && !stop.stop_requested();) {
    if (!is_name_byte(text[i]) && joint_bytes(text, i) == 0) {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    std::size_t joints = 0;
    while (i < text.size() && is_name_byte(text[i])) ++i;
    for (;;) {
      const std::size_t joint = i < text.size() ? joint_bytes(text, i) : 0;
      const std::size_t next = i + joint;
      if (joint == 0 || next >= text.size() || !is_name_byte(text[next])) break;
      i = next;
      while (i < text.size() && is_name_byte(text[i])) ++i;
      ++joints;
    }
    if (joints >= min_joints) found(begin, text.substr(begin, i - begin));
    i += i == begin ? 1 : 0;
  }
}

bool stands_alone(std::string_view text, std::size_t at, std::size_t size) {
  const auto in_word = [](char c) { return is_alphanumeric(c) || c == '_'; };
  return (at == 0 || !in_word(text[at - 1])) &&
         (at + size == text.size() || !in_word(text[at + size]));
}

// Tells the places of a text, asked for from left to right, that stand in lines that look like
// failures.
class AlertPlaces {
 public:
  AlertPlaces(std::string_view text, bool any) : text_(text), any_(any) {}

  bool holds(std::size_t at) {
    if (!any_) return false;
    if (at >= end_) {
      const std::size_t before = text_.rfind('\n', at);
      const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
      end_ = std::min(text_.find('\n', at), text_.size());
      alert_ = is_alert(text_.substr(begin, end_ - begin));
    }
    return alert_;
  }

 private:
  std::string_view text_;
  bool any_;
  std::size_t end_ = 0;  // of the line asked for last
  bool alert_ = false;
};

class Namer {
 public:
  Namer(std::string_view body, std::string_view mark, bool alerts_literal,
        const std::stop_token& stop)
      : body_(body), mark_(mark), alerts_literal_(alerts_literal), stop_(stop) {}

  // Names texts while that gains; false when none did.
  bool run() {
    while (texts_.size() < max_aliases) {
      const std::string text(best());
      if (text.empty()) break;
      replace(text);
      texts_.push_back(text);
    }
    return !texts_.empty();
  }

  std::string print(std::string_view head) const {
    std::string form(head.substr(0, head.size() - 1));
    form += form.find(" lines: ") == std::string::npos ? ": " : "; ";
    fmt::format_to(std::back_inserter(form), "{}a stands for the text given below]\n", mark_);
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      fmt::format_to(std::back_inserter(form), "{}{} = {}\n", mark_, letter(i), texts_[i]);
    }
    return form + body_;
  }

 private:
  static char letter(std::size_t i) { return static_cast<char>('a' + i); }

  // The beginning of paths that gains most by a name, cut before a joint; empty when none does.
  std::string_view best() const {
    std::unordered_map<std::string_view, std::uint32_t> words;
    AlertPlaces alerts(body_, alerts_literal_);
    for_each_path(body_, stop_, [&](std::size_t begin, std::string_view word) {
      const bool named = std::string_view(body_).substr(0, begin).ends_with(mark_);
      if (!named && !alerts.holds(begin)) ++words[word];
    });
    std::unordered_map<std::string_view, std::uint32_t> uses;
    for (const auto& [word, count] : words) {
      if (stop_.stop_requested()) return {};
      for (std::size_t at = min_bytes; at <= std::min(word.size(), max_bytes); ++at) {
        const std::string_view text = word.substr(0, at);
        if (at < word.size() && !cuts(word, at)) continue;
        if (text.find_first_of("/\\") != std::string_view::npos ||
            text.find("::") != std::string_view::npos)
          uses[text] += count;
      }
    }
    std::string_view best;
    Cost best_gain = texts_.empty() ? min_gain + legend_cost : min_gain;
    for (const auto& [text, count] : uses) {
      if (count < min_uses) continue;
      const Cost gain = (Cost{count} - 1) * estimate(text) - count * use_cost - definition_cost;
      if (gain > best_gain || (gain == best_gain && !best.empty() && text < best)) {
        best_gain = gain;
        best = text;
      }
    }
    return best;
  }

  void replace(std::string_view text) {
    const std::string name = fmt::format("{}{}", mark_, letter(texts_.size()));
    std::string replaced;
    AlertPlaces alerts(body_, alerts_literal_);
    std::size_t done = 0;
    for (std::size_t at = body_.find(text); at != std::string::npos;) {
      if (stop_.stop_requested()) return;
      if (!stands_alone(body_, at, text.size()) || alerts.holds(at)) {
        at = body_.find(text, at + 1);
        continue;
      }
      replaced.append(body_, done, at - done);
      replaced += name;
      done = at + text.size();
      at = body_.find(text, done);
    }
    replaced.append(body_, done);
    body_ = std::move(replaced);
  }

  std::string body_;
  std::string_view mark_;
  bool alerts_literal_;
  const std::stop_token& stop_;
  std::vector<std::string> texts_;
};

}  // namespace

std::optional<std::string> with_aliases(std::string_view form, bool alerts_literal,
                                        const std::stop_token& stop) {
  const auto mark = std::ranges::find_if(
      alias_marks, [&](std::string_view m) { return form.find(m) == std::string_view::npos; });
  const std::size_t head = form.find('\n');
  if (mark == alias_marks.end() || head == std::string_view::npos) return std::nullopt;
  Namer namer(form.substr(head + 1), *mark, alerts_literal, stop);
  if (!namer.run()) return std::nullopt;
  return namer.print(form.substr(0, head));
}

}  // namespace tare::compact
