#include "proxy/wire/output_cache.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "proxy/wire/output_text.h"

namespace tare::wire {
namespace {

// What the tables need for an entry besides the entry itself.
constexpr std::size_t entry_overhead_bytes = 128;

std::array<std::string_view, 5> parts_of(const OutputKey& key) {
  return {key.json_string, key.name, key.tool, key.arguments, key.retired};
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15U;
  return hash ^ hash >> 32;
}

// Of a few words of the text only: candidates are compared whole.
std::uint64_t sample(std::uint64_t hash, std::string_view text) {
  constexpr std::size_t words = 16;
  hash = mix(hash, text.size());
  std::uint64_t word = 0;
  if (text.empty()) return hash;
  if (text.size() < sizeof word) {
    std::memcpy(&word, text.data(), text.size());
    return mix(hash, word);
  }
  const std::size_t last = text.size() - sizeof word;
  for (std::size_t i = 0; i < words; ++i) {
    std::memcpy(&word, text.data() + last * i / (words - 1), sizeof word);
    hash = mix(hash, word);
  }
  return hash;
}

std::uint64_t hash_of(const void* parent, const OutputKey& key) {
  std::uint64_t hash = mix(0, std::bit_cast<std::uintptr_t>(parent));
  for (const std::string_view part : parts_of(key)) hash = sample(hash, part);
  return hash;
}

bool equals(std::string_view joined, const std::array<std::size_t, 5>& part_bytes,
            const OutputKey& key) {
  const auto parts = parts_of(key);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (part_bytes[i] != parts[i].size()) return false;
  }
  for (const std::string_view part : parts) {
    if (!joined.starts_with(part)) return false;
    joined.remove_prefix(part.size());
  }
  return true;
}

}  // namespace

std::size_t OutputCache::Node::memory_bytes() const {
  return sizeof(Node) + entry_overhead_bytes + key.capacity() +
         (replacement ? replacement->capacity() : 0) + (originals ? originals->memory_bytes() : 0);
}

void OutputCache::begin() {
  // Parents are used by whoever uses their children, so they come before them: what stands last has
  // no children.
  for (auto node = path_.rbegin(); node != path_.rend(); ++node) {
    nodes_.splice(nodes_.begin(), nodes_, *node);
  }
  path_.clear();
  ++walk_;
}

void OutputCache::step_to(Nodes::iterator node) {
  node->last_walk = walk_;
  nodes_.splice(nodes_.begin(), nodes_, node);
  path_.push_back(node);
}

const Replacement* OutputCache::find(const OutputKey& key) {
  const auto [begin, end] = by_hash_.equal_range(hash_of(last(), key));
  for (auto entry = begin; entry != end; ++entry) {
    const Node& node = *entry->second;
    if (node.parent == last() && equals(node.key, node.part_bytes, key)) {
      step_to(entry->second);
      return &node.replacement;
    }
  }
  return nullptr;
}

const Replacement* OutputCache::insert(const OutputKey& key, const Replacement& replacement,
                                       const TokenCounts& tokens) {
  Node node;
  node.parent = last();
  node.hash = hash_of(last(), key);
  const auto parts = parts_of(key);
  std::size_t key_bytes = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    node.part_bytes[i] = parts[i].size();
    key_bytes += parts[i].size();
  }
  node.key.reserve(key_bytes);
  for (const std::string_view part : parts) node.key += part;
  node.replacement = replacement;
  node.tokens = tokens;
  const std::size_t bytes = node.memory_bytes();
  if (!make_room(bytes)) return nullptr;
  bytes_ += bytes;
  nodes_.push_front(std::move(node));
  by_hash_.emplace(nodes_.front().hash, nodes_.begin());
  step_to(nodes_.begin());
  return &nodes_.front().replacement;
}

std::unique_ptr<Originals> OutputCache::take_originals() {
  if (!path_.empty() && path_.back()->originals) {
    bytes_ -= path_.back()->originals->memory_bytes();
    return std::move(path_.back()->originals);
  }
  auto originals = std::make_unique<Originals>();
  for (const auto node : path_) {
    const std::string_view key = node->key;
    const std::string_view json_string = key.substr(0, node->part_bytes[0]);
    const std::string_view name = key.substr(json_string.size(), node->part_bytes[1]);
    originals->retire(key.substr(key.size() - node->part_bytes.back()));
    auto output = name.empty() ? std::nullopt : OutputText::read(json_string);
    if (output) originals->add(name, std::move(*output));
  }
  return originals;
}

void OutputCache::keep_originals(std::unique_ptr<Originals> originals) {
  if (path_.empty() || !make_room(originals->memory_bytes())) return;
  bytes_ += originals->memory_bytes();
  path_.back()->originals = std::move(originals);
}

bool OutputCache::make_room(std::size_t bytes) {
  if (bytes > max_bytes_) return false;
  while (bytes_ + bytes > max_bytes_) {
    if (nodes_.empty() || nodes_.back().last_walk == walk_) return false;  // of this very request
    drop_oldest();
  }
  return true;
}

void OutputCache::drop_oldest() {
  const auto oldest = std::prev(nodes_.end());
  bytes_ -= oldest->memory_bytes();
  const auto [begin, end] = by_hash_.equal_range(oldest->hash);
  by_hash_.erase(
      std::find_if(begin, end, [&](const auto& entry) { return entry.second == oldest; }));
  nodes_.erase(oldest);
}

}  // namespace tare::wire
