#include "analysis/pattern_search.h"

#include <algorithm>
#include <numeric>

namespace tare::analysis {

std::size_t PatternSearch::EdgeHash::operator()(const Edge& edge) const {
  std::uint64_t mixed = (edge.token ^ edge.from) * 0x9e3779b97f4a7c15;
  mixed ^= mixed >> 32;
  return static_cast<std::size_t>(mixed);
}

std::size_t PatternSearch::add(std::span<const std::uint64_t> pattern) {
  std::uint32_t node = 0;
  for (const auto token : pattern) {
    const auto fresh = static_cast<std::uint32_t>(nodes_.size());
    const auto [edge, added] = edges_.try_emplace({node, token}, fresh);
    if (added) {
      nodes_.push_back({.parent = node, .token = token});
      depths_.push_back(depths_[node] + 1);
    }
    node = edge->second;
  }
  ends_.push_back(node);
  return ends_.size() - 1;
}

// The longest suffix of `from` and `token` that begins a pattern.
std::uint32_t PatternSearch::step(std::uint32_t from, std::uint64_t token) const {
  for (;;) {
    const auto edge = edges_.find({from, token});
    if (edge != edges_.end()) return edge->second;
    if (from == 0) return 0;
    from = nodes_[from].fail;
  }
}

void PatternSearch::begin() {
  order_.resize(nodes_.size());
  std::iota(order_.begin(), order_.end(), 0U);
  std::ranges::stable_sort(order_, {}, [&](std::uint32_t node) { return depths_[node]; });
  for (const auto number : order_) {
    Node& node = nodes_[number];
    node.fail = depths_[number] < 2 ? 0 : step(nodes_[node.parent].fail, node.token);
  }
  at_ = 0;
  nodes_[0].seen = true;
}

void PatternSearch::read(std::uint64_t token) {
  at_ = step(at_, token);
  nodes_[at_].seen = true;
}

// What ends where another ended was seen too.
void PatternSearch::end() {
  for (auto at = order_.rbegin(); at != order_.rend(); ++at) {
    if (nodes_[*at].seen) nodes_[nodes_[*at].fail].seen = true;
  }
}

}  // namespace tare::analysis
