// The tool outputs that stand before one in the same request: what its form may refer to.
//
// A request is gone through in order: compact() or expand() one output, then add() it, so that a
// form only ever refers back and never changes when the request grows. Outputs are added as they
// were originally. The caller keeps names and texts alive; copying an Earlier copies its index, not
// the texts. Const members may be called from several threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tare::compact {

class Earlier {
 public:
  // One more output. `name` is the id of its call as the request spells it. Nothing refers to an
  // output whose name is not 1 to 64 of A-Z a-z 0-9 _ . : -, or has come twice. Linear in `text`.
  void add(std::string_view name, std::string_view text);

  // What the index holds; names and texts are the caller's.
  std::size_t memory_bytes() const;

  // What was added, in order.
  std::size_t size() const { return outputs_.size(); }
  std::string_view name(std::size_t output) const { return outputs_[output].name; }
  std::string_view text(std::size_t output) const { return outputs_[output].text; }

  // For the writer: the first output with these lines, when there is one. A final line feed does
  // not count, neither here nor there.
  std::optional<std::uint32_t> find_equal(std::string_view text) const;
  // For the writer: lines `first` to `first + count` (from 0) of an output.
  struct Stretch {
    std::uint32_t output = 0;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };
  // The longest stretch that `lines` begin with, the earliest of equals; of no lines when the first
  // one is new, or short: it is then found from the lines below.
  Stretch longest_match(std::span<const std::string_view> lines) const;
  // `before` lines just above `lines` may belong to the stretch too: how many do.
  std::uint32_t lines_above(const Stretch& stretch, std::span<const std::string_view> before) const;
  std::uint32_t line_count(std::uint32_t output) const;

 private:
  static constexpr std::uint32_t none = UINT32_MAX;

  struct Output {
    std::string_view name;
    std::string_view text;
    std::uint32_t first_line = 0;  // its place in lines_
    bool usable = true;
  };
  struct Line {
    std::string_view text;
    std::uint32_t output = 0;
    std::uint32_t next = none;  // the next line of the same hash
  };
  struct Bucket {  // the lines of one hash
    std::uint64_t hash = 0;
    std::uint32_t first = none;
    std::uint32_t last = none;
  };

  Bucket& bucket(std::uint64_t hash);
  void grow();
  void index(std::uint32_t line);

  std::vector<Output> outputs_;
  std::map<std::string_view, std::uint32_t> by_name_;
  std::multimap<std::uint64_t, std::uint32_t> by_hash_;  // of the whole text, equal ones in order
  std::vector<Line> lines_;
  std::vector<Bucket> buckets_;  // open addressing; a power of two, at most half full
  std::size_t used_buckets_ = 0;
};

}  // namespace tare::compact
