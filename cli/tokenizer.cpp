#include "cli/tokenizer.h"

#include <fmt/core.h>

#include <cstdio>
#include <utility>

#include "analysis/run_tokens.h"
#include "cli/places.h"

namespace tare::cli {

analysis::Tokenizer make_tokenizer() {
  auto ranks = analysis::O200k::read(token_ranks_file());
  if (ranks) return analysis::Tokenizer(std::move(*ranks));
  fmt::print(stderr, "tokens: estimates only: {}\n", ranks.error().text());
  return {};
}

Result<void> count_tokens(const std::filesystem::path& run_folder) {
  const auto tokenizer = make_tokenizer();
  if (tokenizer.ranks() == nullptr) return {};
  const auto counted = analysis::count_run_tokens(run_folder, *tokenizer.ranks());
  if (!counted) return fail(counted.error());
  return {};
}

}  // namespace tare::cli
