#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analysis/run_sums.h"
#include "analysis/verify.h"
#include "cli/places.h"
#include "cli/tokenizer.h"

namespace tare::cli {
namespace {

struct Words {
  std::string folder;
  std::vector<std::string> decoders;  // "ARM=COMMAND", words of the command between blanks
};

Result<std::map<std::string, std::vector<std::string>>> commands_of(const Words& words) {
  std::map<std::string, std::vector<std::string>> commands;
  for (const auto& text : words.decoders) {
    const auto equals = text.find('=');
    std::vector<std::string> argv;
    if (equals != std::string::npos) argv = CLI::detail::split_up(text.substr(equals + 1));
    if (equals == 0 || argv.empty()) {
      return fail(Error::usage("--decoder " + text + ": expected ARM=COMMAND",
                               "for example --decoder 'tare=tare-proxy expand --body'"));
    }
    commands[text.substr(0, equals)] = argv;
  }
  return commands;
}

int verify(const Words& words) {
  const auto commands = commands_of(words);
  if (!commands) return print_error(commands.error());
  const auto verified = analysis::verify_decoders(words.folder, *commands, make_tokenizer());
  if (!verified) return print_error(verified.error());
  fmt::print(
      "{} forwarded bodies of arms with a decoder: {} gave each original output back "
      "exactly, {} did not, {} cannot be told\n",
      verified->bodies, verified->given_back, verified->not_given_back, verified->cannot_be_told);
  for (const auto& reason : verified->reasons) fmt::print("- {}\n", reason);
  if (verified->cannot_be_told > 0) {
    fmt::print("name the program where it stands here: --decoder 'ARM=COMMAND'\n");
  }
  for (const auto& warning : verified->left_out) fmt::print("- damaged: {}\n", warning);
  for (const auto& warning : verified->written_anew) fmt::print("- was damaged: {}\n", warning);
  if (auto counted = count_tokens(words.folder); !counted) return print_error(counted.error());
  if (auto renewed = analysis::renew_derived_sums(words.folder); !renewed) {
    return print_error(renewed.error());
  }
  return verified->left_out.empty() && verified->given_back == verified->bodies ? 0 : 1;
}

}  // namespace

void add_verify(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand(
      "verify",
      "Run each arm's decoder on what it forwarded in a run, and keep whether the originals came "
      "back (fidelity.jsonl) and what of them was kept, lost or said falsely (scores.jsonl), for "
      "reports to read; count tokens (tokens.jsonl) where ranks are "
      "installed");
  auto words = std::make_shared<Words>();
  command->add_option("DIR", words->folder, "The run's folder")->required();
  command
      ->add_option("--decoder", words->decoders,
                   "The command of an arm's decoder on this machine, in place of the recorded one")
      ->type_name("ARM=COMMAND");
  command->callback([words, &exit_code] { exit_code = verify(*words); });
}

}  // namespace tare::cli
