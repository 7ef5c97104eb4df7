#include "proxy/compact/earlier.h"

#include <algorithm>
#include <utility>

#include "proxy/compact/chars.h"

namespace tare::compact {
namespace {

constexpr std::size_t max_name_bytes = 64;
constexpr std::size_t min_seed_bytes = 6;     // shorter lines are found by those below them
constexpr std::uint32_t max_candidates = 32;  // lines of one hash that are looked at
constexpr std::size_t least_buckets = 64;

bool is_name_byte(char c) {
  return is_alphanumeric(c) || c == '_' || c == '.' || c == ':' || c == '-';
}

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= max_name_bytes && std::ranges::all_of(name, is_name_byte);
}

std::string_view without_final_line_feed(std::string_view text) {
  return text.ends_with('\n') ? text.substr(0, text.size() - 1) : text;
}

}  // namespace

void Earlier::add(std::string_view name, std::string_view text) {
  const auto output = static_cast<std::uint32_t>(outputs_.size());
  outputs_.push_back({name, text, static_cast<std::uint32_t>(lines_.size()), is_name(name)});
  if (const auto [known, is_new] = by_name_.emplace(name, output); !is_new) {
    outputs_[known->second].usable = outputs_[output].usable = false;
  }
  text = without_final_line_feed(text);
  by_hash_.emplace(hash_bytes(text), output);
  for (;;) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines_.push_back({text.substr(0, end), output, none});
    index(static_cast<std::uint32_t>(lines_.size() - 1));
    if (end == text.size()) return;
    text.remove_prefix(end + 1);
  }
}

std::size_t Earlier::memory_bytes() const {
  constexpr std::size_t map_node_bytes = 64;
  return outputs_.capacity() * sizeof(Output) +
         (by_name_.size() + by_hash_.size()) * map_node_bytes + lines_.capacity() * sizeof(Line) +
         buckets_.capacity() * sizeof(Bucket);
}

std::optional<std::uint32_t> Earlier::find_equal(std::string_view text) const {
  if (by_hash_.empty()) return std::nullopt;
  text = without_final_line_feed(text);
  const auto [begin, end] = by_hash_.equal_range(hash_bytes(text));
  const auto found = std::find_if(begin, end, [&](const auto& entry) {
    const Output& output = outputs_[entry.second];
    return output.usable && without_final_line_feed(output.text) == text;
  });
  if (found == end) return std::nullopt;
  return found->second;
}

std::uint32_t Earlier::line_count(std::uint32_t output) const {
  const std::size_t end =
      output + 1 < outputs_.size() ? outputs_[output + 1].first_line : lines_.size();
  return static_cast<std::uint32_t>(end) - outputs_[output].first_line;
}

Earlier::Stretch Earlier::longest_match(std::span<const std::string_view> lines) const {
  Stretch best;
  if (buckets_.empty() || lines.empty()) return best;
  const std::uint64_t hash = hash_bytes(lines[0]);
  std::size_t at = hash & (buckets_.size() - 1);
  while (buckets_[at].first != none && buckets_[at].hash != hash) {
    at = (at + 1) & (buckets_.size() - 1);
  }
  std::uint32_t candidate = buckets_[at].first;
  for (std::uint32_t seen = 0; candidate != none && seen < max_candidates; ++seen) {
    const Line& line = lines_[candidate];
    const Output& output = outputs_[line.output];
    if (output.usable) {
      const std::uint32_t first = candidate - output.first_line;
      const auto most = std::min<std::size_t>(lines.size(), line_count(line.output) - first);
      std::uint32_t count = 0;
      while (count < most && lines_[candidate + count].text == lines[count]) ++count;
      if (count > best.count) best = {line.output, first, count};
    }
    candidate = line.next;
  }
  return best;
}

std::uint32_t Earlier::lines_above(const Stretch& stretch,
                                   std::span<const std::string_view> before) const {
  const std::uint32_t at = outputs_[stretch.output].first_line + stretch.first;
  const auto most = std::min<std::size_t>(before.size(), stretch.first);
  std::uint32_t count = 0;
  while (count < most && lines_[at - count - 1].text == before[before.size() - count - 1]) ++count;
  return count;
}

void Earlier::index(std::uint32_t line) {
  const std::string_view text = lines_[line].text;
  if (text.size() < min_seed_bytes && line != outputs_.back().first_line) return;
  if (2 * (used_buckets_ + 1) > buckets_.size()) grow();
  Bucket& lines = bucket(hash_bytes(text));
  if (lines.first == none) {
    ++used_buckets_;
    lines.first = line;
  } else {
    lines_[lines.last].next = line;
  }
  lines.last = line;
}

Earlier::Bucket& Earlier::bucket(std::uint64_t hash) {
  std::size_t at = hash & (buckets_.size() - 1);
  while (buckets_[at].first != none && buckets_[at].hash != hash) {
    at = (at + 1) & (buckets_.size() - 1);
  }
  buckets_[at].hash = hash;
  return buckets_[at];
}

void Earlier::grow() {
  const std::vector<Bucket> old =
      std::exchange(buckets_, std::vector<Bucket>(std::max(least_buckets, 2 * buckets_.size())));
  for (const Bucket& full : old) {
    if (full.first != none) bucket(full.hash) = full;
  }
}

}  // namespace tare::compact
