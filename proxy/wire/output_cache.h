// What was sent for tool outputs seen before, so that a history that grows is not rewritten anew
// with every request.
//
// A tree: what is sent for an output depends on the outputs before it in its request, so each
// output is a child of the one before it, and a request is a walk from the root. An entry is found
// by its bytes, compared whole; hashes only name candidates. The last output of a walk keeps the
// Originals for the next one to go on from. The bytes held are bounded: what was used least
// recently goes first, always an entry without children. May change the time, never the bytes.
//
// For one thread: each event loop has its own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "proxy/wire/originals.h"

namespace tare::wire {

// All that an output's replacement depends on besides the outputs before it, as it stands in the
// request.
struct OutputKey {
  std::string_view json_string;
  std::string_view name;          // under which later outputs can refer to it, or empty
  std::string_view tool;          // of its call, or empty
  std::string_view arguments;     // of its call, or empty
  std::string_view retired = {};  // a name to which nothing refers from here on, or empty
};

// What is sent in place of an output, or nothing when it stays.
using Replacement = std::optional<std::string>;

// Estimated tokens of outputs that were replaced, in thousandths: as they came, as they are sent.
struct TokenCounts {
  std::int64_t received = 0;
  std::int64_t sent = 0;

  TokenCounts& operator+=(const TokenCounts& other) {
    received += other.received;
    sent += other.sent;
    return *this;
  }
};

class OutputCache {
 public:
  explicit OutputCache(std::size_t max_bytes) : max_bytes_(max_bytes) {}
  OutputCache(const OutputCache&) = delete;
  OutputCache& operator=(const OutputCache&) = delete;

  // A new request; ends the walk of the last one.
  void begin();

  // The next output of the request, when it has been here after those before it. It holds until
  // begin().
  const Replacement* find(const OutputKey& key);

  // The next output of the request, after find() did not know it: what it was replaced by. Without
  // room for it nothing is kept, and nothing after it: null.
  const Replacement* insert(const OutputKey& key, const Replacement& replacement,
                            const TokenCounts& tokens = {});

  // Of the output that was found or inserted last.
  TokenCounts tokens() const { return path_.empty() ? TokenCounts{} : path_.back()->tokens; }

  // The originals up to the last output that was found or inserted, for the walk to go on with.
  std::unique_ptr<Originals> take_originals();
  // For the next walk, when the outputs up to the last one inserted are all that is in it.
  void keep_originals(std::unique_ptr<Originals> originals);

  std::size_t memory_bytes() const { return bytes_; }
  std::size_t size() const { return nodes_.size(); }

 private:
  struct Node {
    const Node* parent = nullptr;
    std::uint64_t hash = 0;
    std::string key;  // the parts of an OutputKey, one after another
    std::array<std::size_t, 5> part_bytes{};
    Replacement replacement;
    TokenCounts tokens;
    std::unique_ptr<Originals> originals;
    std::uint64_t last_walk = 0;

    std::size_t memory_bytes() const;
  };
  using Nodes = std::list<Node>;

  const Node* last() const { return path_.empty() ? nullptr : &*path_.back(); }
  void step_to(Nodes::iterator node);
  bool make_room(std::size_t bytes);
  void drop_oldest();

  std::size_t max_bytes_;
  std::size_t bytes_ = 0;
  std::uint64_t walk_ = 0;
  Nodes nodes_;                        // the most recently used first, parents before children
  std::vector<Nodes::iterator> path_;  // of this walk
  std::unordered_multimap<std::uint64_t, Nodes::iterator> by_hash_;
};

}  // namespace tare::wire
