// The rows of a run that count, found once: which starts, and the requests and windows of each arm,
// group and design. A view into the run, which must outlive it. Belongs to one thread.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "analysis/raw_reader.h"

namespace tare::analysis {

// Of an arm in a group, over counted starts of one design.
struct IndexedRows {
  std::vector<const RequestRow*> requests;  // warm-ups too
  std::vector<const GroupRow*> groups;
};

// What the requests of a start say of it.
struct StartRequests {
  std::size_t count = 0;              // warm-ups too
  const RequestRow* first = nullptr;  // by time
};

class RunIndex {
 public:
  explicit RunIndex(const RawRun& run);

  // A start counts when it ended well and its round counts: in a sliced plan a round that was
  // carried out to its end and not discarded; in another any but one that was cut off and carried
  // out anew.
  bool counted(const StartRow& start) const { return counted_.contains(start.start); }

  const IndexedRows& rows(Design design, std::string_view arm, std::string_view task,
                          std::string_view mode) const;
  StartRequests requests_of(std::int64_t start) const;
  const std::vector<const GroupRow*>& windows_of(std::int64_t start) const;

 private:
  using Key = std::tuple<Design, std::string_view, std::string_view, std::string_view>;

  std::map<std::int64_t, Design> counted_;  // start -> design
  std::map<Key, IndexedRows> rows_;
  std::map<std::int64_t, StartRequests> requests_;
  std::map<std::int64_t, std::vector<const GroupRow*>> windows_;
};

}  // namespace tare::analysis
