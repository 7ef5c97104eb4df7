// What counts tokens: exactly, where the tokenizer's ranks are installed, else by estimate. May be
// used from several threads at once.
#pragma once

#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/o200k.h"
#include "analysis/tokens.h"

namespace tare::analysis {

class Tokenizer {
 public:
  Tokenizer() = default;  // estimates
  explicit Tokenizer(O200k ranks) : ranks_(std::move(ranks)) {}

  const O200k* ranks() const { return ranks_ ? &*ranks_ : nullptr; }
  bool exact() const { return ranks_.has_value(); }
  std::string_view name() const { return exact() ? "o200k_base" : "estimate"; }

  std::size_t count(std::string_view text) const {
    if (ranks_) return ranks_->count(text);
    return static_cast<std::size_t>(std::llround(estimate_tokens(text)));
  }

 private:
  std::optional<O200k> ranks_;
};

}  // namespace tare::analysis
