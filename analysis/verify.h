// Runs each arm's decoder on what the arm forwarded, and writes down whether the original tool
// outputs came back, and what each forwarded body kept, lost and said that is false. The decoder is
// a program of the machine that ran the benchmark, a report is not: so this is done once, at the
// end of a run or by `tare verify`, and reports only read its results, fidelity.jsonl and
// scores.jsonl (docs/raw-format.md).
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/tokenizer.h"
#include "common/error.h"

namespace tare::analysis {

struct Verified {
  std::size_t bodies = 0;  // distinct forwarded bodies of arms with a decoder
  std::size_t given_back = 0;
  std::size_t not_given_back = 0;
  std::size_t cannot_be_told = 0;
  std::set<std::string> reasons;  // of the last two
  // What of the raw data was left out; and of the files that are written anew here: damage that is
  // gone now.
  std::vector<std::string> left_out;
  std::vector<std::string> written_anew;
};

// Replaces `run_folder`/fidelity.jsonl and scores.jsonl; lines too long for the latter go to
// bodies/. `decoders`: arm -> argv, in place of the commands recorded in run.json (elsewhere the
// programs stand in other places). A decoder that cannot be run is not an error: its rows say why.
// Errors: those of read_run(); io; invalid when the run was kept without bodies, for what was found
// of them would be lost; usage when `decoders` names an arm that the run does not have.
Result<Verified> verify_decoders(
    const std::filesystem::path& run_folder,
    const std::map<std::string, std::vector<std::string>>& decoders = {},
    const Tokenizer& tokenizer = {});

}  // namespace tare::analysis
