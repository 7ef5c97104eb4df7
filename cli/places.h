// Where the command line finds the programs and the data of this tree, and how it says that
// something went wrong.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "cli/subcommands.h"
#include "common/error.h"

namespace tare::cli {

struct Places {
  std::filesystem::path home;   // HOME
  std::filesystem::path bin;    // the folder of the running program: tare-proxy stands there too
  std::filesystem::path arms;   // HOME/arms
  std::filesystem::path plans;  // HOME/data/plans
  std::filesystem::path cost_model;  // HOME/data/cost-model.json
  std::filesystem::path published;   // HOME/data/published
  std::filesystem::path tokens;      // HOME/data/tokens: how the tokenizer's ranks are made
};

// HOME is --home, else TARE_HOME, else the source tree this program was built from. `app` is the
// root application, once parsed.
Places places_of(const CLI::App& app);

// The ranks that exact token counts need (analysis/o200k.h): TARE_TOKEN_RANKS, else a file in the
// cache folder. It need not be there.
std::filesystem::path token_ranks_file();

// Writes what was asked for to the file that --output names, or to stdout when it is empty.
Result<void> write_result(const std::string& output, std::string_view text);

// Prints each line of the error and its remedy on stderr; returns its exit code.
int print_error(const Error& error);

}  // namespace tare::cli
