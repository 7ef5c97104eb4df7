#include "analysis/verify.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "analysis/bodies.h"
#include "analysis/fidelity.h"
#include "analysis/raw_reader.h"
#include "common/files.h"
#include "common/subprocess.h"

namespace tare::analysis {
namespace {

using nlohmann::json;

constexpr auto time_limit = std::chrono::seconds(60);  // for one body

struct Verdict {
  std::optional<bool> equal;
  std::string reason;
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
    const std::string difference = difference_of_outputs(*sent, parse_body(output->out));
    return {difference.empty(), difference};
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

}  // namespace

Result<Verified> verify_decoders(const std::filesystem::path& run_folder,
                                 const std::map<std::string, std::vector<std::string>>& decoders) {
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
  Bodies bodies(run_folder);
  Verified verified;
  std::string lines;
  for (const auto& arm : run->info.arms) {
    if (commands[arm.name].empty()) continue;
    Decoder decoder(commands[arm.name]);
    std::set<std::pair<std::string, std::string>> seen;
    for (const auto& request : run->requests) {
      if (request.arm != arm.name || !request.received_sha256) continue;
      if (!seen.emplace(request.sent_sha256, *request.received_sha256).second) continue;
      const Verdict verdict =
          decoder.check(bodies.find(request.sent_sha256), bodies.find(*request.received_sha256));
      count(verdict, verified);
      json row = {{"arm", arm.name},
                  {"sent_sha256", request.sent_sha256},
                  {"forwarded_sha256", *request.received_sha256},
                  {"decoded_equal", nullptr},
                  {"reason", nullptr}};
      if (verdict.equal) row["decoded_equal"] = *verdict.equal;
      if (!verdict.reason.empty()) row["reason"] = verdict.reason;
      lines += row.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
    }
  }
  if (auto written = write_file(run_folder / "fidelity.jsonl", lines); !written) {
    return fail(written.error());
  }
  return verified;
}

}  // namespace tare::analysis
