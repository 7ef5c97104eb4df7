#include "proxy/compact/writer_prefix.h"

#include <algorithm>

#include "proxy/compact/chars.h"
#include "proxy/compact/cost.h"

namespace tare::compact {
namespace {

constexpr std::size_t max_prefix = 400;
constexpr Cost heading_cost = 6 * token;
constexpr Cost join_saved = 300;  // a token of the prefix that the value behind it would share

// The bytes that two lines have in common, up to the end of a run of letters or digits.
std::uint32_t common_prefix(std::string_view a, std::string_view b) {
  const std::size_t limit = std::min({a.size(), b.size(), max_prefix});
  std::size_t i = 0;
  while (i < limit && a[i] == b[i]) ++i;
  while (i > 0 && (is_alphanumeric(a[i - 1]) || char_class(a[i - 1]) == Char::high)) --i;
  return static_cast<std::uint32_t>(i);
}

// The intervals of equal prefixes between neighbours form a tree; each node is either a run itself
// or the sum of the runs below it, whichever saves more. The nodes still open are on a stack.
class RunFinder {
 public:
  RunFinder(std::span<const std::string_view> records, std::vector<PrefixRun>& out,
            const std::stop_token& stop)
      : records_(records), out_(out), stop_(stop) {}

  void find(std::uint32_t first, std::uint32_t last) {
    stack_.clear();
    runs_.clear();
    for (std::uint32_t i = first; i <= last; ++i) {
      if (stop_.stop_requested()) return;
      const std::uint32_t prefix = i < last ? common_prefix(records_[i], records_[i + 1]) : 0;
      Node node{prefix, i, no_run, no_run, 0};
      while (!stack_.empty() && stack_.back().prefix > prefix) close_into(node, i);
      if (!stack_.empty() && stack_.back().prefix == prefix) {
        join(stack_.back(), node);
      } else {
        stack_.push_back(node);
      }
    }
    // All that is left has no prefix in common.
    for (const Node& node : stack_) {
      for (std::uint32_t run = node.head; run != no_run; run = runs_[run].next)
        out_.push_back(runs_[run].run);
    }
  }

 private:
  static constexpr std::uint32_t no_run = UINT32_MAX;

  struct Node {
    std::uint32_t prefix;
    std::uint32_t first;
    std::uint32_t head;  // its best runs, a list
    std::uint32_t tail;
    Cost saved;
  };
  struct Run {
    PrefixRun run;
    std::uint32_t next;
  };

  void join(Node& node, const Node& behind) {
    node.saved += behind.saved;
    if (behind.head == no_run) return;
    if (node.head == no_run) {
      node.head = behind.head;
    } else {
      runs_[node.tail].next = behind.head;
    }
    node.tail = behind.tail;
  }

  // Ends the top node at record `last`; its runs come before those of `node`, which takes its
  // place.
  void close_into(Node& node, std::uint32_t last) {
    Node top = stack_.back();
    stack_.pop_back();
    join(top, node);
    const Cost prefix_cost = estimate(records_[top.first].substr(0, top.prefix)) - join_saved;
    const Cost own = static_cast<Cost>(last - top.first) * prefix_cost - heading_cost;
    if (own > top.saved && own > 0) {
      runs_.push_back({{top.first, last, top.prefix}, no_run});
      top.head = top.tail = static_cast<std::uint32_t>(runs_.size() - 1);
      top.saved = own;
    }
    node = {node.prefix, top.first, top.head, top.tail, top.saved};
  }

  std::span<const std::string_view> records_;
  std::vector<PrefixRun>& out_;
  const std::stop_token& stop_;
  std::vector<Node> stack_;
  std::vector<Run> runs_;
};

}  // namespace

std::vector<PrefixRun> find_prefix_runs(std::span<const std::string_view> records,
                                        const std::vector<bool>& skip,
                                        const std::stop_token& stop) {
  std::vector<PrefixRun> runs;
  RunFinder finder(records, runs, stop);
  const auto count = static_cast<std::uint32_t>(records.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    if (skip[i]) continue;
    std::uint32_t last = i;
    while (last + 1 < count && !skip[last + 1]) ++last;
    if (last > i) finder.find(i, last);
    i = last;
  }
  return runs;
}

}  // namespace tare::compact
