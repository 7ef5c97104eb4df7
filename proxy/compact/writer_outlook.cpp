#include "proxy/compact/writer_outlook.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "proxy/compact/chars.h"

namespace tare::compact {
namespace {

constexpr std::size_t stretches = 8;
constexpr std::size_t stretch = 8;           // records
constexpr std::size_t max_record = 160;      // bytes looked at
constexpr std::size_t min_mean_record = 24;  // shorter ones may follow laws and share no text
constexpr std::size_t piece = 10;            // bytes
constexpr unsigned several = 3;              // records that share a piece
constexpr std::size_t min_shared_percent = 6;
constexpr std::size_t clearly_shared_percent = 50;
constexpr std::size_t min_equal_percent = 6;

// The sample as records, each with the pieces that begin in it.
class Sample {
 public:
  explicit Sample(std::span<const std::string_view> records) {
    const std::size_t count = std::min(records.size(), stretches * stretch);
    for (std::size_t i = 0; i < count; ++i) {
      std::size_t at = i;
      if (records.size() > count)
        at = i / stretch * (records.size() - stretch) / (stretches - 1) + i % stretch;
      sample_[i] = records[at].substr(0, max_record);
      bytes_ += sample_[i].size();
    }
    count_ = count;
  }

  std::size_t mean_record() const { return bytes_ / count_; }

  // Where the first records share much, the others need not be asked.
  bool shares_text() {
    while (slot_bits_ < max_slot_bits && (std::size_t{1} << slot_bits_) < bytes_) ++slot_bits_;
    seen_.assign(std::size_t{1} << slot_bits_, Seen{});
    const std::size_t first = std::min(count_, stretch);
    return shares(0, first, clearly_shared_percent) || shares(first, count_, min_shared_percent);
  }

 private:
  static constexpr unsigned max_slot_bits = 13;
  struct Seen {  // a piece; of two that meet in a slot, the first stays
    std::uint16_t tag = 0;
    std::uint8_t last = 0;  // the record that had it last, from 1
    std::uint8_t records = 0;
  };

  static std::uint64_t hash(const char* at) {
    std::uint64_t low = 0;
    std::uint16_t high = 0;
    std::memcpy(&low, at, sizeof low);
    std::memcpy(&high, at + sizeof low, sizeof high);
    return (low ^ std::uint64_t{high} << 48 ^ high) * 0x9E3779B97F4A7C15ULL;
  }
  Seen& slot(std::uint64_t hash) { return seen_[hash >> (64 - slot_bits_)]; }
  static std::uint16_t tag(std::uint64_t hash) { return static_cast<std::uint16_t>(hash >> 32); }

  // Adds the records from `begin` on; true when those up to `end` now share so much.
  bool shares(std::size_t begin, std::size_t end, std::size_t percent) {
    for (std::size_t i = begin; i < end; ++i) note(sample_[i], static_cast<std::uint8_t>(i + 1));
    std::size_t shared = 0;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < end; ++i) {
      shared += shared_bytes(sample_[i]);
      bytes += sample_[i].size();
    }
    return 100 * shared >= percent * bytes;
  }

  void note(std::string_view record, std::uint8_t number) {
    for (std::size_t i = 0; i + piece <= record.size(); ++i) {
      const std::uint64_t key = hash(record.data() + i);
      Seen& seen = slot(key);
      if (seen.records == 0) seen.tag = tag(key);
      if (seen.tag != tag(key) || seen.last == number) continue;
      seen.last = number;
      ++seen.records;
    }
  }

  std::size_t shared_bytes(std::string_view record) {
    std::size_t shared = 0;
    std::size_t counted_to = 0;
    for (std::size_t i = 0; i + piece <= record.size(); ++i) {
      const std::uint64_t key = hash(record.data() + i);
      const Seen& seen = slot(key);
      if (seen.tag != tag(key) || seen.records < several) continue;
      shared += i + piece - std::max(i, counted_to);
      counted_to = i + piece;
    }
    return shared;
  }

  std::string_view sample_[stretches * stretch];
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
  unsigned slot_bits_ = 4;
  std::vector<Seen> seen_;
};

}  // namespace

// Each record's hash sets one bit of a field; a bit that was set before counts as an equal record.
// The field is so large that few different records meet.
bool comes_again(std::span<const std::string_view> records, std::size_t percent,
                 const std::stop_token& stop) {
  std::size_t bits = 512;
  while (bits < 32 * records.size()) bits *= 2;
  std::vector<std::uint64_t> seen(bits / 64);
  std::size_t equal = 0;
  std::size_t bytes = 0;
  for (const std::string_view record : records) {
    if (stop.stop_requested()) return false;
    const std::uint64_t hash = hash_bytes(record);
    std::uint64_t& word = seen[hash / 64 % seen.size()];
    const std::uint64_t bit = std::uint64_t{1} << (hash % 64);
    if ((word & bit) != 0) equal += record.size();
    word |= bit;
    bytes += record.size();
  }
  return 100 * equal >= percent * bytes;
}

bool may_have_form(std::span<const std::string_view> records, const std::stop_token& stop) {
  if (records.size() < 2) return false;
  Sample sample(records);
  return sample.mean_record() < min_mean_record || sample.shares_text() ||
         comes_again(records, min_equal_percent, stop);
}

}  // namespace tare::compact
