// The lines of earlier outputs, for a form that refers to them.
//
// Belongs to one reading of one form; goes through an output once, when it is first referred to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "proxy/compact/earlier.h"

namespace tare::compact::reader {

class EarlierLines {
 public:
  explicit EarlierLines(const Earlier* earlier) : earlier_(earlier) {}

  struct Output {
    std::string_view text;            // without its final line feed
    std::vector<std::size_t> begins;  // of its lines

    std::uint64_t lines() const { return begins.size(); }
    // Lines `first` to `last` (from 1, last <= lines()), without the last one's line feed.
    std::string_view stretch(std::uint64_t first, std::uint64_t last) const;
  };

  // Null when there is no such output, or more than one.
  const Output* find(std::string_view name);

 private:
  const Earlier* earlier_;
  std::map<std::string_view, Output> outputs_;
};

}  // namespace tare::compact::reader
