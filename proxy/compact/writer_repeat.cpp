#include "proxy/compact/writer_repeat.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "proxy/compact/chars.h"

namespace tare::compact {
namespace {

constexpr std::uint32_t max_period = 12;
constexpr Cost run_mark_cost = 5 * token;
constexpr Cost min_run_saved = 6 * token;
constexpr std::uint32_t min_block = 2;
constexpr Cost min_block_cost = 14 * token;  // it is named, and marked at both ends
constexpr Cost min_copy_cost = 8 * token;

class Finder {
 public:
  Finder(std::span<const std::string_view> records, std::span<const LineCost> costs,
         std::vector<Reference> references, const std::stop_token& stop)
      : records_(records), costs_(costs), stop_(stop) {
    found_.references = std::move(references);
    told_ = found_.told(records.size());
    hashes_.reserve(records.size());
    for (const std::string_view record : records) {
      hashes_.push_back(stop_.stop_requested() ? 0 : hash_bytes(record));
    }
  }

  Repeats find(bool blocks) {
    find_runs();
    if (blocks && !stop_.stop_requested()) find_copies();
    return std::move(found_);
  }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;

  struct Candidate {
    Repeat run;
    Cost saved = 0;
  };

  std::uint32_t count() const { return static_cast<std::uint32_t>(records_.size()); }
  bool same(std::uint32_t a, std::uint32_t b) const {
    return hashes_[a] == hashes_[b] && records_[a] == records_[b];
  }
  Cost cost(std::uint32_t begin, std::uint32_t length) const {
    const auto part = costs_.subspan(begin, length);
    return std::accumulate(part.begin(), part.end(), Cost{0});
  }

  void find_runs() {
    std::vector<Candidate> candidates;
    for (std::uint32_t period = 1; period <= max_period; ++period) {
      for (std::uint32_t i = period; i < count(); ++i) {
        if (stop_.stop_requested()) return;
        if (!same(i, i - period)) continue;
        std::uint32_t end = i;
        while (end < count() && same(end, end - period)) ++end;
        const std::uint32_t times = (end - i) / period;
        const Cost saved = cost(i, times * period) - run_mark_cost;
        if (times >= (period == 1 ? 1U : 2U) && saved > min_run_saved)
          candidates.push_back({{i, period, times}, saved});
        i = end;
      }
    }
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
      return std::tuple(-a.saved, a.run.period, a.run.record) <
             std::tuple(-b.saved, b.run.period, b.run.record);
    });
    for (const auto& [run, saved] : candidates) {
      if (stop_.stop_requested()) return;
      // What is repeated must itself be written.
      const auto begin = told_.begin() + run.record;
      const auto end = begin + run.length();
      if (std::find(begin - run.period, end, true) != end) continue;
      std::fill(begin, end, true);
      found_.runs.push_back(run);
    }
    std::sort(found_.runs.begin(), found_.runs.end(),
              [](const Repeat& a, const Repeat& b) { return a.record < b.record; });
  }

  // A block begins where two neighbouring records are met again; a refused match is never looked at
  // twice.
  void find_copies() {
    if (count() < 2 * min_block) return;
    index_pairs();
    std::vector<bool> in_block(records_.size(), false);
    std::vector<std::uint32_t> block_length(records_.size(), 0);
    for (std::uint32_t i = 0; i + 1 < count();) {
      if (stop_.stop_requested()) return;
      const std::uint32_t source = told_[i] || told_[i + 1] ? none : earlier_pair(i);
      if (source == none) {
        ++i;
        continue;
      }
      std::uint32_t length = 0;
      while (i + length < count() && source + length < i && !told_[source + length] &&
             !told_[i + length] && same(source + length, i + length))
        ++length;
      std::uint32_t& block = block_length[source];
      bool usable = block > 0 && block <= length;
      if (usable) {
        length = block;
      } else if (block == 0 && length >= min_block && cost(source, length) > min_block_cost) {
        const auto begin = in_block.begin() + source;
        usable = std::find(begin, begin + length, true) == begin + length;
        if (usable && cost(i, length) > min_copy_cost) {
          block = length;
          std::fill(begin, begin + length, true);
        }
      }
      if (usable && cost(i, length) > min_copy_cost) {
        found_.copies.push_back({i, source, length});
        std::fill(told_.begin() + i, told_.begin() + i + length, true);
      }
      i += std::max<std::uint32_t>(1, length);
    }
  }

  std::uint64_t pair_key(std::uint32_t record) const {
    return hash_step(hashes_[record], hashes_[record + 1]);
  }

  // Puts the first pair of each key into a table with open addressing.
  void index_pairs() {
    std::size_t slots = 64;
    while (slots < 2 * records_.size()) slots *= 2;
    pairs_.assign(slots, none);
    for (std::uint32_t i = 0; i + 1 < count(); ++i) {
      if (stop_.stop_requested()) return;
      if (told_[i] || told_[i + 1]) continue;
      std::uint32_t& slot = pairs_[slot_of(pair_key(i))];
      if (slot == none) slot = i;
    }
  }

  // The slot of the key, or the free one where it would go.
  std::size_t slot_of(std::uint64_t key) const {
    std::size_t slot = key & (pairs_.size() - 1);
    while (pairs_[slot] != none && pair_key(pairs_[slot]) != key)
      slot = (slot + 1) & (pairs_.size() - 1);
    return slot;
  }

  // The first pair of records like those at `record`, when there is one before.
  std::uint32_t earlier_pair(std::uint32_t record) const {
    const std::uint32_t first = pairs_[slot_of(pair_key(record))];
    return first < record && same(first, record) ? first : none;
  }

  std::span<const std::string_view> records_;
  std::span<const LineCost> costs_;
  const std::stop_token& stop_;
  std::vector<std::uint64_t> hashes_;
  std::vector<bool> told_;
  std::vector<std::uint32_t> pairs_;  // by their first records
  Repeats found_;
};

}  // namespace

std::vector<bool> Repeats::told(std::size_t count) const {
  std::vector<bool> told(count, false);
  for (const Repeat& run : runs) std::fill_n(told.begin() + run.record, run.length(), true);
  for (const Copy& copy : copies) std::fill_n(told.begin() + copy.record, copy.length, true);
  for (const Reference& reference : references)
    std::fill_n(told.begin() + reference.record, reference.length, true);
  return told;
}

Repeats find_repeats(std::span<const std::string_view> records, std::span<const LineCost> costs,
                     std::vector<Reference> references, bool blocks, const std::stop_token& stop) {
  return Finder(records, costs, std::move(references), stop).find(blocks);
}

}  // namespace tare::compact
