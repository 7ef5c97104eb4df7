#include "proxy/compact/writer_repeat.h"

#include <algorithm>
#include <tuple>

#include "proxy/compact/chars.h"

namespace tare::compact {
namespace {

constexpr std::size_t max_period = 12;
constexpr Cost mark_cost = 5 * token;
constexpr Cost min_saved = 6 * token;

struct Candidate {
  Repeat repeat;
  Cost saved = 0;
};

}  // namespace

std::vector<Repeat> find_repeats(std::span<const std::string_view> records,
                                 std::span<const Cost> costs) {
  const std::size_t count = records.size();
  std::vector<std::uint64_t> hashes;
  hashes.reserve(count);
  std::vector<Cost> sums{0};
  sums.reserve(count + 1);
  for (std::size_t i = 0; i < count; ++i) {
    hashes.push_back(hash_bytes(records[i]));
    sums.push_back(sums.back() + costs[i]);
  }
  std::vector<Candidate> candidates;
  for (std::size_t period = 1; period <= max_period; ++period) {
    for (std::size_t i = period; i < count; ++i) {
      if (hashes[i] != hashes[i - period]) continue;
      std::size_t end = i;
      while (end < count && hashes[end] == hashes[end - period] &&
             records[end] == records[end - period])
        ++end;
      const std::size_t times = (end - i) / period;
      const Cost saved = sums[i + times * period] - sums[i] - mark_cost;
      if (times >= (period == 1 ? 1 : 2) && saved > min_saved) {
        candidates.push_back({{static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(period),
                               static_cast<std::uint32_t>(times)},
                              saved});
      }
      i = end;
    }
  }
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return std::tuple(-a.saved, a.repeat.period, a.repeat.record) <
           std::tuple(-b.saved, b.repeat.period, b.repeat.record);
  });
  std::vector<bool> taken(count, false);
  std::vector<Repeat> repeats;
  for (const Candidate& candidate : candidates) {
    const Repeat& r = candidate.repeat;
    const auto begin = taken.begin() + r.record;
    // What is repeated must itself be written.
    if (std::find(begin - r.period, begin + r.period * r.times, true) != begin + r.period * r.times)
      continue;
    std::fill(begin, begin + r.period * r.times, true);
    repeats.push_back(r);
  }
  std::sort(repeats.begin(), repeats.end(),
            [](const Repeat& a, const Repeat& b) { return a.record < b.record; });
  return repeats;
}

}  // namespace tare::compact
