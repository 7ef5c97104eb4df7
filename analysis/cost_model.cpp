#include "analysis/cost_model.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "analysis/fields.h"
#include "common/files.h"

namespace tare::analysis {
namespace {

using nlohmann::json;

constexpr std::string_view schema = "tare-cost-model/1";

double price(Fields& fields, const char* key) {
  const auto value = fields.maybe_number(key);
  if (!value || *value < 0) fields.blame(fmt::format("/{}: expected a price, 0 or more", key));
  return value.value_or(0);
}

std::size_t tokens(Fields& fields, const char* key, std::int64_t least) {
  const auto value = fields.integer(key);
  if (value < least) fields.blame(fmt::format("/{}: expected {} or more", key, least));
  return static_cast<std::size_t>(std::max(value, least));
}

}  // namespace

Result<CostModel> parse_cost_model(std::string_view text) {
  const std::string remedy = "see docs/cost-model.md";
  const json root = json::parse(text, nullptr, false);
  if (!root.is_object()) return fail(Error::invalid("the cost model is not a JSON object", remedy));
  Fields fields(root);
  CostModel model;
  if (fields.text("schema") != schema) {
    fields.blame(fmt::format("/schema: expected {}", schema));
  }
  model.title = fields.text("title");
  model.currency = fields.text("currency");
  model.input_per_million = price(fields, "input_per_million");
  model.cached_input_per_million = price(fields, "cached_input_per_million");
  model.cache_write_per_million = price(fields, "cache_write_per_million");
  model.min_cached_prefix_tokens = tokens(fields, "min_cached_prefix_tokens", 0);
  model.cached_prefix_step_tokens = tokens(fields, "cached_prefix_step_tokens", 1);
  if (!fields.fault().empty()) {
    return fail(Error::invalid("cost model: " + fields.fault(), remedy));
  }
  return model;
}

Result<CostModel> read_cost_model(const std::filesystem::path& file) {
  const auto text = read_file(file);
  if (!text) return fail(text.error());
  return parse_cost_model(*text);
}

void Cost::add(const Cost& other) {
  cached_tokens += other.cached_tokens;
  written_tokens += other.written_tokens;
  plain_tokens += other.plain_tokens;
  money += other.money;
}

Cost cost_of(const TurnTokens& turn, const CostModel& model) {
  Cost cost;
  const std::size_t least = std::max<std::size_t>(model.min_cached_prefix_tokens, 1);
  if (turn.shared >= least) {
    cost.cached_tokens = turn.shared - turn.shared % model.cached_prefix_step_tokens;
  }
  const std::size_t rest = turn.tokens - cost.cached_tokens;
  (turn.tokens >= least ? cost.written_tokens : cost.plain_tokens) = rest;
  cost.money = (static_cast<double>(cost.cached_tokens) * model.cached_input_per_million +
                static_cast<double>(cost.written_tokens) * model.cache_write_per_million +
                static_cast<double>(cost.plain_tokens) * model.input_per_million) /
               1e6;
  return cost;
}

Cost cost_of(const std::vector<TurnTokens>& turns, const CostModel& model) {
  Cost sum;
  for (const auto& turn : turns) sum.add(cost_of(turn, model));
  return sum;
}

}  // namespace tare::analysis
