#include "cli/run_tokens.h"

#include <fmt/core.h>

#include <cstdio>

#include "analysis/o200k.h"
#include "analysis/run_tokens.h"
#include "cli/places.h"

namespace tare::cli {

Result<void> count_tokens(const std::filesystem::path& run_folder) {
  const auto ranks = analysis::O200k::read(token_ranks_file());
  if (!ranks) {
    fmt::print(stderr, "tokens: not counted, reports give estimates: {}\n", ranks.error().text());
    return {};
  }
  const auto counted = analysis::count_run_tokens(run_folder, *ranks);
  if (!counted) return fail(counted.error());
  return {};
}

}  // namespace tare::cli
