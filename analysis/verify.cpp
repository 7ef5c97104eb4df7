#include "analysis/verify.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "analysis/bodies.h"
#include "analysis/fidelity.h"
#include "analysis/field_rows.h"
#include "analysis/raw_reader.h"
#include "analysis/row_checks.h"
#include "analysis/row_reader.h"
#include "analysis/run_scores.h"
#include "analysis/run_sums.h"
#include "common/files.h"
#include "common/subprocess.h"
#include "common/zstd_stream.h"

namespace tare::analysis {
namespace {

using nlohmann::json;

constexpr auto time_limit = std::chrono::seconds(60);  // for one body

struct Verdict {
  std::optional<bool> equal;
  std::string reason;
  std::optional<StoredBody> decoded = std::nullopt;
};

// One arm's decoder. Once its program turns out not to be there, it is not tried again.
class Decoder {
 public:
  explicit Decoder(std::vector<std::string> argv) : argv_(std::move(argv)) {}

  Verdict check(const StoredBody* sent, const StoredBody* forwarded) {
    if (sent == nullptr || forwarded == nullptr) return {std::nullopt, "a body is not stored"};
    if (!sent->readable) return {std::nullopt, "the sent body is not JSON"};
    if (!missing_.empty()) return {std::nullopt, missing_};
    SubprocessOptions options;
    options.argv = argv_;
    const auto output = run_to_end(options, forwarded->bytes, time_limit);
    if (!output && output.error().code == Error::Code::timed_out) {
      return {std::nullopt, fmt::format("the decoder still ran after {} s", time_limit.count())};
    }
    if (!output) {
      missing_ = fmt::format("the decoder {} cannot be run here", program());
      return {std::nullopt, missing_};
    }
    if (!output->status.ok()) {
      return {false, fmt::format("the decoder ended with {}", output->status.text())};
    }
    StoredBody decoded = parse_body(output->out);
    const std::string difference = difference_of_outputs(*sent, decoded);
    return {difference.empty(), difference, std::move(decoded)};
  }

 private:
  std::string program() const {
    return argv_.empty() ? "" : std::filesystem::path(argv_.front()).filename().string();
  }

  std::vector<std::string> argv_;
  std::string missing_;
};

void count(const Verdict& verdict, Verified& verified) {
  ++verified.bodies;
  if (!verdict.equal) {
    ++verified.cannot_be_told;
  } else if (*verdict.equal) {
    ++verified.given_back;
  } else {
    ++verified.not_given_back;
  }
  if (!verdict.reason.empty()) verified.reasons.insert(verdict.reason);
}

json decoded_row(const std::string& arm, const std::string& sent, const std::string& forwarded,
                 const Verdict& verdict) {
  json row = {{"arm", arm},
              {"sent_sha256", sent},
              {"forwarded_sha256", forwarded},
              {"decoded_equal", nullptr},
              {"reason", nullptr}};
  if (verdict.equal) row["decoded_equal"] = *verdict.equal;
  if (!verdict.reason.empty()) row["reason"] = verdict.reason;
  return row;
}

// The distinct pairs of sent and forwarded bodies, in the order in which they came.
std::vector<std::pair<std::string, std::string>> pairs_of(const RawRun& run,
                                                          const std::string& arm) {
  std::vector<std::pair<std::string, std::string>> pairs;
  std::set<std::pair<std::string, std::string>> seen;
  for (const auto& request : run.requests) {
    if (request.arm != arm || !request.received_sha256) continue;
    std::pair pair(std::string(request.sent_sha256), std::string(*request.received_sha256));
    if (seen.insert(pair).second) pairs.push_back(std::move(pair));
  }
  return pairs;
}

// Puts what damage was found where it belongs.
void tell(const std::vector<std::string>& warnings, Verified& verified) {
  for (const auto& warning : warnings) {
    const bool derived =
        is_derived(std::string_view(warning).substr(0, warning.find_first_of(",:")));
    (derived ? verified.written_anew : verified.left_out).push_back(warning);
  }
}

}  // namespace

Result<Verified> verify_decoders(const std::filesystem::path& run_folder,
                                 const std::map<std::string, std::vector<std::string>>& decoders,
                                 const Tokenizer& tokenizer) {
  const auto run = read_run(run_folder);
  if (!run) return fail(run.error());
  std::map<std::string, std::vector<std::string>> commands;
  for (const auto& arm : run->info.arms) commands[arm.name] = arm.decoder;
  for (const auto& [arm, argv] : decoders) {
    if (!commands.contains(arm)) {
      return fail(Error::usage(arm + ": the run has no such arm", "see the arms in run.json"));
    }
    commands[arm] = argv;
  }
  if (!run->bodies_kept) {
    return fail(Error::invalid(
        run_folder.string() + ": bodies/ is not there: nothing to verify",
        "what was found of the bodies when the run ended still stands: see tare report"));
  }
  Verified verified;
  tell(run->warnings, verified);
  std::vector<std::string> warnings;
  const FieldRows rows = read_field_rows(run_folder, warnings);
  check_score_rows(*run, rows, warnings);
  tell(warnings, verified);
  RunScores scores(*run, rows, tokenizer);
  FewWarnings lost_bodies(verified.left_out);
  std::string lines;
  for (const auto& arm : run->info.arms) {
    Bodies bodies(run_folder);  // of one arm at a time: a run may hold gigabytes
    Decoder decoder(commands[arm.name]);
    for (const auto& [sent, forwarded] : pairs_of(*run, arm.name)) {
      Verdict verdict;
      if (!commands[arm.name].empty()) {
        verdict = decoder.check(bodies.find(sent), bodies.find(forwarded));
        count(verdict, verified);
        lines += decoded_row(arm.name, sent, forwarded, verdict)
                     .dump(-1, ' ', false, json::error_handler_t::replace) +
                 "\n";
      }
      scores.add_pair(arm.name, sent, forwarded, verdict.decoded ? &*verdict.decoded : nullptr,
                      bodies);
    }
    scores.add_conversations(arm.name, bodies);
    for (const auto& warning : bodies.warnings()) lost_bodies.add(warning);
  }
  lost_bodies.end("bodies", "bodies missing or damaged");
  for (const auto& [sha256, line] : scores.whole_lines()) {
    const auto path = run_folder / body_path(sha256);
    std::error_code e;  // writing tells
    std::filesystem::create_directories(path.parent_path(), e);
    if (auto written = write_file(path, zstd_compress(line)); !written) {
      return fail(written.error());
    }
  }
  if (auto written = write_file(run_folder / "fidelity.jsonl", lines); !written) {
    return fail(written.error());
  }
  if (auto written = write_file(run_folder / "scores.jsonl", scores.lines()); !written) {
    return fail(written.error());
  }
  return verified;
}

}  // namespace tare::analysis
