#include "analysis/pattern_search.h"

#include <algorithm>
#include <numeric>

namespace tare::analysis {

std::size_t PatternSearch::EdgeHash::operator()(const Edge& edge) const {
  std::uint64_t mixed = (edge.token ^ edge.from) * 0x9e3779b97f4a7c15;
  mixed ^= mixed >> 32;
  return static_cast<std::size_t>(mixed);
}

std::uint32_t PatternSearch::child(std::uint32_t from, std::uint64_t token) const {
  // Most nodes have one child, which was made just after them.
  const std::uint32_t after = from + 1;
  if (after < nodes_.size() && nodes_[after].parent == from && nodes_[after].token == token) {
    return after;
  }
  if (!nodes_[from].branches) return 0;
  const auto edge = edges_.find({from, token});
  return edge == edges_.end() ? 0 : edge->second;
}

std::size_t PatternSearch::add(std::span<const std::uint64_t> pattern) {
  std::uint32_t node = 0;
  for (const auto token : pattern) {
    std::uint32_t next = child(node, token);
    if (next == 0) {
      next = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back({.token = token, .parent = node});
      depths_.push_back(depths_[node] + 1);
      if (next != node + 1) {
        nodes_[node].branches = true;
        edges_.emplace(Edge{node, token}, next);
      }
    }
    node = next;
  }
  ends_.push_back(node);
  return ends_.size() - 1;
}

// The longest suffix of `from` and `token` that begins a pattern.
std::uint32_t PatternSearch::step(std::uint32_t from, std::uint64_t token) const {
  for (;;) {
    const std::uint32_t next = child(from, token);
    if (next != 0 || from == 0) return next;
    from = nodes_[from].fail;
  }
}

void PatternSearch::sort_by_depth() {
  std::vector<std::uint32_t> begins(std::ranges::max(depths_) + 2);
  for (const auto depth : depths_) ++begins[depth + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  order_.resize(nodes_.size());
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) order_[begins[depths_[node]]++] = node;
}

void PatternSearch::begin() {
  sort_by_depth();
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
