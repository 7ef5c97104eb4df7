#include "analysis/kept_lines.h"

#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "analysis/own_words.h"

namespace tare::analysis {
namespace {

using Place = std::uint32_t;  // of a line in the original, among those that count

// The lines of the original by their text, and which are taken.
class Places {
 public:
  explicit Places(std::string_view original) {
    for_each_line(original, [&](std::string_view line) {
      const auto fresh = static_cast<std::uint32_t>(ids_.size());
      id_of_.push_back(ids_.try_emplace(line, fresh).first->second);
      lines_.push_back(line);
    });
    taken_.resize(lines_.size());
    next_free_.resize(lines_.size() + 1);
    std::iota(next_free_.begin(), next_free_.end(), 0U);
    group();
  }

  const std::vector<std::string_view>& lines() const { return lines_; }
  bool taken(Place place) const { return taken_[place]; }

  std::optional<std::uint32_t> id(std::string_view line) const {
    const auto at = ids_.find(line);
    if (at == ids_.end()) return std::nullopt;
    return at->second;
  }
  std::size_t times(std::uint32_t id) const { return begins_[id + 1] - begins_[id]; }

  // Takes the first free one from `from` on, or else the first free one of all.
  std::optional<Place> take(std::uint32_t id, Place from) {
    const auto begin = grouped_.begin() + begins_[id];
    const auto end = grouped_.begin() + begins_[id + 1];
    const auto first = std::lower_bound(begin, end, from) - grouped_.begin();
    for (const auto start : {static_cast<std::uint32_t>(first), begins_[id]}) {
      const std::uint32_t slot = free_slot(start);
      if (slot >= begins_[id + 1]) continue;
      mark(slot);
      return grouped_[slot];
    }
    return std::nullopt;
  }

  // Takes a run of exactly so many that follow one another, all free.
  std::optional<Place> take_run(std::uint32_t id, std::size_t times) {
    if (runs_.empty()) find_runs();
    const auto runs = runs_.find({id, times});
    if (runs == runs_.end()) return std::nullopt;
    while (!runs->second.empty()) {
      const Place place = runs->second.back();
      runs->second.pop_back();
      if (take_from(id, place) == times) return place;
    }
    return std::nullopt;
  }

  // How many of this text follow `place` at once, free ones only.
  std::size_t following(Place place) const {
    std::size_t n = 0;
    while (place + n + 1 < lines_.size() && id_of_[place + n + 1] == id_of_[place] &&
           !taken_[place + n + 1]) {
      ++n;
    }
    return n;
  }
  void take_following(Place place) { take_from(id_of_[place], place + 1); }

 private:
  void group() {
    begins_.assign(ids_.size() + 1, 0);
    for (const auto id : id_of_) ++begins_[id + 1];
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    std::vector<std::uint32_t> at(begins_.begin(), begins_.end() - 1);
    grouped_.resize(lines_.size());
    for (Place place = 0; place < lines_.size(); ++place) grouped_[at[id_of_[place]]++] = place;
  }

  // By length, the first one last.
  void find_runs() {
    for (std::size_t end = lines_.size(); end > 0;) {
      std::size_t begin = end - 1;
      while (begin > 0 && id_of_[begin - 1] == id_of_[begin]) --begin;
      if (end - begin > 1) {
        runs_[{id_of_[begin], end - begin}].push_back(static_cast<Place>(begin));
      }
      end = begin;
    }
  }

  // Takes the free ones of this text that stand from `place` on without a gap.
  std::size_t take_from(std::uint32_t id, Place place) {
    const auto begin = grouped_.begin() + begins_[id];
    const auto end = grouped_.begin() + begins_[id + 1];
    auto slot = std::lower_bound(begin, end, place) - grouped_.begin();
    std::size_t n = 0;
    while (place < lines_.size() && id_of_[place] == id && !taken_[place]) {
      mark(static_cast<std::uint32_t>(slot++));
      ++place;
      ++n;
    }
    return n;
  }

  void mark(std::uint32_t slot) {
    taken_[grouped_[slot]] = true;
    next_free_[slot] = slot + 1;
  }

  // The first free slot from `slot` on, in any group; shortens the way for the next call.
  std::uint32_t free_slot(std::uint32_t slot) {
    std::uint32_t free = slot;
    while (next_free_[free] != free) free = next_free_[free];
    while (next_free_[slot] != slot) {
      const std::uint32_t next = next_free_[slot];
      next_free_[slot] = free;
      slot = next;
    }
    return free;
  }

  std::unordered_map<std::string_view, std::uint32_t> ids_;
  std::vector<std::string_view> lines_;
  std::vector<std::uint32_t> id_of_;      // by place
  std::vector<std::uint32_t> begins_;     // id -> its first slot
  std::vector<Place> grouped_;            // slot -> place; the slots of a text stand together
  std::vector<std::uint32_t> next_free_;  // slot -> a slot at or before the next free one
  std::vector<bool> taken_;               // by place
  std::map<std::pair<std::uint32_t, std::size_t>, std::vector<Place>> runs_;
};

// How many must be taken out so that the rest ascends.
std::size_t out_of_order(const std::vector<Place>& places) {
  std::vector<Place> ends;  // of the ascending sequences of each length, the smallest
  for (const Place place : places) {
    const auto at = std::ranges::lower_bound(ends, place);
    if (at == ends.end()) {
      ends.push_back(place);
    } else {
      *at = place;
    }
  }
  return places.size() - ends.size();
}

class Matcher {
 public:
  explicit Matcher(std::string_view original) : places_(original) {}

  void line(std::string_view line) {
    if (const auto id = places_.id(line)) {
      const auto place = places_.take(*id, last_ ? *last_ + 1 : 0);
      if (place) return show(*place);
      ++found_.extra;
      return;
    }
    if (counted(line) || repeated(line)) return;
    found_.unknown.push_back(line);
  }

  KeptLines result() {
    for (Place place = 0; place < places_.lines().size(); ++place) {
      auto& to = places_.taken(place) ? found_.kept : found_.missing;
      to.push_back(places_.lines()[place]);
    }
    found_.moved = out_of_order(shown_);
    return std::move(found_);
  }

 private:
  void show(Place place) {
    shown_.push_back(place);
    last_ = place;
  }

  bool counted(std::string_view line) {
    const auto counted = counted_line(line);
    if (!counted || counted->times < 2) return false;
    const auto id = places_.id(counted->line);
    if (!id || places_.times(*id) < counted->times) return false;
    auto place = places_.take_run(*id, counted->times);
    if (!place) place = places_.take(*id, last_ ? *last_ + 1 : 0);
    if (!place) return false;
    show(*place);
    return true;
  }

  bool repeated(std::string_view line) {
    const auto times = last_ ? repeats_of_previous(line) : std::nullopt;
    if (!times) return false;
    const std::size_t following = places_.following(*last_);
    if (following == 0 || (*times != following && *times != following + 1)) return false;
    places_.take_following(*last_);
    *last_ += static_cast<Place>(following);
    ++found_.own;
    return true;
  }

  Places places_;
  std::optional<Place> last_;  // of the line shown last
  std::vector<Place> shown_;
  KeptLines found_;
};

}  // namespace

KeptLines find_kept_lines(std::string_view original, std::string_view shorter) {
  Matcher matcher(original);
  for_each_line(shorter, [&](std::string_view line) { matcher.line(line); });
  return matcher.result();
}

}  // namespace tare::analysis
