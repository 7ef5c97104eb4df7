// Values of a template that no text was mined for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/compact/writer_template.h"

namespace tare::test {

// Holds records in which given values stand; must outlive the template that they are given to.
class MadeValues {
 public:
  // Gives the template, whose slots are known, rows of these values: those of all rows for its
  // first slot, then for the next.
  void give(compact::Template& shape, const std::vector<std::string_view>& values) {
    const std::size_t rows = values.size() / shape.slots;
    text_.clear();
    for (const std::string_view value : values) {
      shape.values.push_back(
          {static_cast<std::uint32_t>(text_.size()), static_cast<std::uint32_t>(value.size())});
      text_ += value;
    }
    records_.assign(rows, text_);
    shape.records = records_;
    shape.rows.resize(rows);
    std::iota(shape.rows.begin(), shape.rows.end(), 0);
  }

 private:
  std::string text_;
  std::vector<std::string_view> records_;  // each is all of the text
};

}  // namespace tare::test
