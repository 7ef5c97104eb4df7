#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "analysis/o200k.h"
#include "cli/places.h"
#include "common/files.h"
#include "common/subprocess.h"
#include "harness/installation.h"

namespace tare::cli {
namespace {

constexpr auto install_limit = std::chrono::minutes(10);

// What makes the file, when no ready one is given, is a script: it fetches from a package registry.
Result<void> make_ranks(const Places& places, const std::filesystem::path& file) {
  SubprocessOptions options;
  options.argv = {(places.tokens / "install.sh").string(), file.string(),
                  (harness::cache_folder() / "arms").string()};
  const auto output = run_to_end(options, "", install_limit);
  if (!output) return fail(output.error());
  if (!output->status.ok()) {
    fmt::print(stderr, "{}", output->err);
    return fail(Error::missing(
        fmt::format("token ranks: {} ended with {}", options.argv.front(), output->status.text()),
        "or give the file: tare tokens install --from FILE"));
  }
  return {};
}

// By way of `unchecked`: `file` holds the right ranks or is not there.
Result<void> put_ranks(const Places& places, const std::string& from,
                       const std::filesystem::path& unchecked, const std::filesystem::path& file) {
  if (from.empty()) {
    if (auto made = make_ranks(places, unchecked); !made) return made;
  }
  const auto ranks = read_file(from.empty() ? unchecked : std::filesystem::path(from));
  if (!ranks) return fail(ranks.error());
  if (auto right = analysis::O200k::check(*ranks, from.empty() ? unchecked.string() : from);
      !right) {
    return right;
  }
  return write_file(file, *ranks);
}

int install(const Places& places, const std::string& from) {
  const auto file = token_ranks_file();
  if (from.empty() && analysis::O200k::read(file)) {
    fmt::print("{}: there already\n", file.string());
    return 0;
  }
  if (auto made = make_directories(file.parent_path()); !made) return print_error(made.error());
  auto folder = make_temporary_directory("tare-tokens");
  if (!folder) return print_error(folder.error());
  const auto made = put_ranks(places, from, *folder / "ranks", file);
  std::error_code ignored;
  std::filesystem::remove_all(*folder, ignored);
  if (!made) return print_error(made.error());
  fmt::print("{}: made\n", file.string());
  return 0;
}

int count(const std::vector<std::string>& files) {
  const auto ranks = analysis::O200k::read(token_ranks_file());
  if (!ranks) return print_error(ranks.error());
  if (files.empty()) {
    const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
    fmt::print("{}\n", ranks->count(text));
    return 0;
  }
  for (const auto& file : files) {
    const auto text = read_file(file);
    if (!text) return print_error(text.error());
    fmt::print("{}\t{}\n", ranks->count(*text), file);
  }
  return 0;
}

}  // namespace

void add_tokens(CLI::App& app, int& exit_code) {
  auto* tokens = app.add_subcommand(
      "tokens", "Exact o200k_base token counts; without the ranks, reports give estimates");
  tokens->require_subcommand(1);

  auto from = std::make_shared<std::string>();
  auto* installs = tokens->add_subcommand(
      "install", "Put the tokenizer's ranks into the cache folder; at once when they are there");
  installs->add_option("--from", *from, "A file of o200k_base ranks, in place of fetching them")
      ->type_name("FILE")
      ->check(CLI::ExistingFile);
  installs->callback([&app, &exit_code, from] { exit_code = install(places_of(app), *from); });

  auto files = std::make_shared<std::vector<std::string>>();
  auto* counts = tokens->add_subcommand("count", "Count the tokens of each file, or of stdin");
  counts->add_option("FILE", *files, "Files, each counted by itself");
  counts->callback([&exit_code, files] { exit_code = count(*files); });
}

}  // namespace tare::cli
