// What prompts cost where the beginning that the prompt before had too is served from a cache: see
// docs/cost-model.md. Prices are the user's own to fill in (data/cost-model.json). Pure but for
// reading the file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/prompt_prefix.h"
#include "common/error.h"

namespace tare::analysis {

struct CostModel {
  std::string title;
  std::string currency;
  double input_per_million = 0;         // tokens that are neither read from the cache nor written
  double cached_input_per_million = 0;  // tokens read from the cache
  double cache_write_per_million = 0;   // tokens that go into the cache
  std::size_t min_cached_prefix_tokens = 0;   // a shorter prefix is neither written nor read
  std::size_t cached_prefix_step_tokens = 1;  // a cached prefix is cut to a multiple of this
};

// Errors: those of read_file(); invalid, with the field at fault.
Result<CostModel> read_cost_model(const std::filesystem::path& file);
Result<CostModel> parse_cost_model(std::string_view text);

struct Cost {
  std::size_t cached_tokens = 0;  // read
  std::size_t written_tokens = 0;
  std::size_t plain_tokens = 0;  // neither
  double money = 0;

  void add(const Cost& other);
};

Cost cost_of(const TurnTokens& turn, const CostModel& model);
Cost cost_of(const std::vector<TurnTokens>& turns, const CostModel& model);

}  // namespace tare::analysis
