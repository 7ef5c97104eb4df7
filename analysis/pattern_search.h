// Looks for many sequences of tokens in one text at once (Aho and Corasick 1975): linear in the
// text and in the patterns together, however often they overlap. Add the patterns, read the text
// once, then ask.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace tare::analysis {

class PatternSearch {
 public:
  // Returns the pattern's number, from 0. An empty pattern stands in every text.
  std::size_t add(std::span<const std::uint64_t> pattern);
  bool empty() const { return ends_.empty(); }

  // Once, after the last add(): then each token of the text in order.
  void begin();
  void read(std::uint64_t token);
  // Once, after the last read().
  void end();

  bool found(std::size_t pattern) const { return nodes_[ends_[pattern]].seen; }

 private:
  struct Node {
    std::uint64_t token = 0;
    std::uint32_t parent = 0;
    std::uint32_t fail = 0;  // of the longest proper suffix that begins a pattern
    bool branches = false;   // it has children that are not the node after it
    bool seen = false;
  };
  struct Edge {
    std::uint32_t from;
    std::uint64_t token;
    bool operator==(const Edge&) const = default;
  };
  struct EdgeHash {
    std::size_t operator()(const Edge& edge) const;
  };

  std::uint32_t child(std::uint32_t from, std::uint64_t token) const;  // 0: none
  std::uint32_t step(std::uint32_t from, std::uint64_t token) const;
  void sort_by_depth();

  std::vector<Node> nodes_ = std::vector<Node>(1);
  std::vector<std::uint32_t> depths_ = std::vector<std::uint32_t>(1);
  std::unordered_map<Edge, std::uint32_t, EdgeHash> edges_;  // but those to the node after
  std::vector<std::uint32_t> ends_;
  std::vector<std::uint32_t> order_;  // of the nodes, the shallow ones first
  std::uint32_t at_ = 0;
};

}  // namespace tare::analysis
