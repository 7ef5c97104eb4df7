// Parts of records: values in columns and in slots.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

namespace tare::compact {

// A part of a record, in bytes.
struct Part {
  std::uint32_t begin = 0;
  std::uint32_t bytes = 0;

  static Part of(std::string_view record, std::string_view part) {
    return {static_cast<std::uint32_t>(part.data() - record.data()),
            static_cast<std::uint32_t>(part.size())};
  }
  std::string_view in(std::string_view record) const { return {record.data() + begin, bytes}; }
};

// Parts in four bytes each, as nearly all records are short; with the first that needs more, all
// take eight.
class Parts {
 public:
  std::size_t size() const { return short_.size() + long_.size(); }
  Part operator[](std::size_t i) const {
    return long_.empty() ? Part{short_[i].begin, short_[i].bytes} : long_[i];
  }

  void push_back(Part part) {
    constexpr std::uint32_t most = std::numeric_limits<Short>::max();
    if (long_.empty() && part.begin <= most && part.bytes <= most) {
      short_.push_back({static_cast<Short>(part.begin), static_cast<Short>(part.bytes)});
      return;
    }
    for (const ShortPart before : std::exchange(short_, {}))
      long_.push_back({before.begin, before.bytes});
    long_.push_back(part);
  }

  // Appends `count` of them, from `first` on, once more.
  void repeat(std::size_t first, std::size_t count) {
    const auto append = [&](auto& parts) {
      const std::size_t size = parts.size();
      parts.resize(size + count);
      std::copy_n(parts.begin() + static_cast<std::ptrdiff_t>(first), count,
                  parts.begin() + static_cast<std::ptrdiff_t>(size));
    };
    long_.empty() ? append(short_) : append(long_);
  }

  void reserve(std::size_t parts) { long_.empty() ? short_.reserve(parts) : long_.reserve(parts); }
  void shrink_to_fit() {
    short_.shrink_to_fit();
    long_.shrink_to_fit();
  }
  // Keeps the first `parts`.
  void truncate(std::size_t parts) { long_.empty() ? short_.resize(parts) : long_.resize(parts); }
  void clear() {
    short_.clear();
    long_.clear();
  }

 private:
  using Short = std::uint16_t;
  struct ShortPart {
    Short begin = 0;
    Short bytes = 0;
  };

  std::vector<ShortPart> short_;  // all, as long as they are short
  std::vector<Part> long_;        // or else all
};

}  // namespace tare::compact
