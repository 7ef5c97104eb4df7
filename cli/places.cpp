#include "cli/places.h"

#include <fmt/core.h>
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>

#include "common/files.h"
#include "harness/installation.h"

namespace tare::cli {

Places places_of(const CLI::App& app) {
  std::error_code e;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", e);
  const auto* option = app.get_option("--home");
  const std::filesystem::path chosen =
      option->count() > 0 ? option->as<std::string>() : TARE_DEFAULT_HOME;
  const auto home = std::filesystem::absolute(chosen).lexically_normal();
  return Places{.home = home,
                .bin = program.parent_path(),
                .arms = home / "arms",
                .plans = home / "data" / "plans",
                .cost_model = home / "data" / "cost-model.json",
                .published = home / "data" / "published",
                .tokens = home / "data" / "tokens"};
}

std::filesystem::path token_ranks_file() {
  const char* chosen = std::getenv("TARE_TOKEN_RANKS");
  if (chosen != nullptr && *chosen != '\0') return std::filesystem::absolute(chosen);
  return harness::cache_folder() / "tokens" / "o200k_base.tiktoken";
}

Result<void> write_result(const std::string& output, std::string_view text) {
  if (!output.empty()) {
    auto written = write_file(output, text);
    if (!written) written.error().remedy = "choose another file with --output";
    return written;
  }
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    return fail(Error::io("stdout: cannot write"));
  }
  return {};
}

int print_error(const Error& error) {
  fmt::print(stderr, "tare: {}\n", error.text());
  return error.exit_code();
}

}  // namespace tare::cli
