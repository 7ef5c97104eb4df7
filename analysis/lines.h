// Line numbers of a raw file, kept as ranges: a figure names each row that it was made from.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tare::analysis {

class Lines {
 public:
  void add(std::size_t line);
  void add(const Lines& others);
  // "3-42, 123-162": ascending, each line once.
  std::string text() const;

 private:
  std::vector<std::pair<std::size_t, std::size_t>> ranges_;  // first, last; in the order added
};

}  // namespace tare::analysis
