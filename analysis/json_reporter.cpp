#include "analysis/json_reporter.h"

#include <fmt/format.h>

#include "analysis/json_field.h"
#include "analysis/json_sliced.h"

namespace tare::analysis {
namespace {

// Keys stay in the order in which they are put.
using json = nlohmann::ordered_json;

template <typename T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

json figure_json(const Figure& figure) {
  json object = {{"value", or_null(figure.value)},
                 {"unit", name_of(figure.metric->unit)},
                 {"n", figure.n},
                 {"source",
                  {{"file", figure.metric->file},
                   {"lines", figure.lines.text()},
                   {"how", figure.metric->how}}}};
  if (!figure.value) object["absent_because"] = figure.absent_because;
  return object;
}

json figures_json(const Figures& figures) {
  json object = json::object();
  for (const auto& figure : figures.all()) {
    object[std::string(figure.metric->key)] = figure_json(figure);
  }
  return object;
}

const char* name_of_change(Change change) {
  switch (change) {
    case Change::none:
      return "as_sent";
    case Change::outputs_only:
      return "only_outputs_changed";
    case Change::respelled:
      return "respelled";
    case Change::other:
      return "other_parts_changed";
    case Change::unknown:
      return "unknown";
  }
  return "";
}

json kept_json(const Kept& kept) {
  json changes = json::object();
  for (const auto change :
       {Change::none, Change::outputs_only, Change::respelled, Change::other, Change::unknown}) {
    const auto at = kept.changes.find(change);
    changes[name_of_change(change)] = at == kept.changes.end() ? 0 : at->second;
  }
  return {{"sent_bodies", kept.sent_bodies},
          {"forwarded_bodies", kept.pairs},
          {"changes", changes},
          {"facts", kept.facts},
          {"facts_cannot_be_told", kept.facts_unknown},
          {"facts_literally_there", kept.facts_kept},
          {"facts_with_all_words_there", kept.facts_words_kept},
          {"given_back", kept.given_back},
          {"not_given_back", kept.not_given_back},
          {"cannot_be_told", kept.cannot_be_told},
          {"source",
           {{"file", "requests.jsonl.zst"},
            {"lines", kept.request_lines.text()},
            {"how",
             "bodies/ of sent_sha256 and received_sha256; facts of workload.jsonl.zst; "
             "fidelity.jsonl"}}}};
}

json cell_json(const Cell& cell) {
  json rounds = json::array();
  for (const auto& round : cell.rounds) {
    rounds.push_back({{"round", round.round}, {"figures", figures_json(round.figures)}});
  }
  return {{"arm", cell.arm},
          {"figures", figures_json(cell.figures)},
          {"isolated", figures_json(cell.isolated)},
          {"rounds", rounds},
          {"kept", kept_json(cell.kept)}};
}

json groups_json(const Results& results) {
  json groups = json::array();
  for (const auto& group : results.groups) {
    json arms = json::array();
    for (const auto& cell : group.cells) arms.push_back(cell_json(cell));
    groups.push_back({{"task", group.task},
                      {"mode", group.mode},
                      {"cpu_reduction", figure_json(group.cpu_reduction)},
                      {"arms", arms}});
  }
  return groups;
}

json starts_json(const ArmResult& arm) {
  json starts = json::array();
  for (const auto& start : arm.starts) {
    const StartRow& row = start.row;
    starts.push_back({{"line", row.line},
                      {"round", row.round},
                      {"position", row.position},
                      {"outcome", row.outcome},
                      {"reason", or_null(row.reason)},
                      {"counted", start.counted},
                      {"ready_ms", or_null(start.ready_ms)},
                      {"grade", or_null(row.grade)},
                      {"cpu_total_us", or_null(row.cpu_total_us)},
                      {"rusage_total_us", or_null(row.rusage_total_us)},
                      {"peak_bytes", or_null(row.peak_bytes)},
                      {"peak_since", or_null(row.peak_since)}});
  }
  return starts;
}

json arms_json(const Results& results) {
  json arms = json::array();
  for (const auto& arm : results.arms) {
    const ArmInfo& info = arm.info;
    json files = json::object();
    for (const auto& [name, sha256] : info.files) files[name] = sha256;
    arms.push_back({{"name", info.name},
                    {"title", info.title},
                    {"kind", info.kind},
                    {"licence", info.licence},
                    {"homepage", or_null(info.homepage)},
                    {"installed", info.installed},
                    {"reason", or_null(info.reason)},
                    {"version", or_null(info.version)},
                    {"files", files},
                    {"degraded", info.degraded},
                    {"command", info.command},
                    {"environment", info.environment},
                    {"claims_lossless", info.claims_lossless},
                    {"caches", info.caches},
                    {"has_decoder", !info.decoder.empty()},
                    {"notes", info.notes},
                    {"outcomes", arm.outcomes},
                    {"measured_requests_by_status", arm.measured_statuses},
                    {"warmup_requests_by_status", arm.warmup_statuses},
                    {"wrong_replies", arm.wrong_replies},
                    {"figures", figures_json(arm.figures)},
                    {"starts", starts_json(arm)}});
  }
  return arms;
}

json events_json(const Results& results) {
  json events = json::array();
  for (const auto& event : results.events) {
    events.push_back({{"line", event.line},
                      {"kind", event.kind},
                      {"arm", or_null(event.arm)},
                      {"round", or_null(event.round)},
                      {"message", event.message}});
  }
  return events;
}

json run_json(const Results& results) {
  const RunInfo& run = results.info;
  json environment = json::object();
  for (const auto& [name, value] : run.environment.facts) environment[name] = value;
  return {{"state", run.complete ? "complete" : "incomplete"},
          {"reason", run.reason},
          {"started_at", run.started_at},
          {"ended_at", or_null(run.ended_at)},
          {"harness_version", run.harness_version},
          {"plan",
           {{"name", run.plan.name},
            {"title", run.plan.title},
            {"protocol", run.plan.protocol},
            {"rounds", run.plan.rounds},
            {"warmups", run.plan.warmups},
            {"requests", run.plan.requests},
            {"seed", run.plan.seed},
            {"removed_arguments", run.plan.removed_arguments},
            {"sha256", run.plan_sha256}}},
          {"environment", environment}};
}

const char* name_of_outcome(Outcome outcome) {
  switch (outcome) {
    case Outcome::holds:
      return "holds";
    case Outcome::does_not_hold:
      return "does_not_hold";
    case Outcome::reproduced:
      return "reproduced_in_rounds";
    case Outcome::cannot_be_told:
      return "cannot_be_told";
  }
  return "";
}

json claim_json(const ClaimResult& result) {
  json parts = json::array();
  for (const auto& part : result.parts) {
    parts.push_back({{"about", part.about},
                     {"published", or_null(part.published)},
                     {"here", part.here},
                     {"outcome", name_of_outcome(part.outcome)},
                     {"rounds_reproduced", part.rounds_reproduced},
                     {"rounds", part.rounds},
                     {"because", part.because}});
  }
  return {{"id", result.claim.id},
          {"kind", result.claim.kind},
          {"text", result.claim.text},
          {"outcome", name_of_outcome(result.outcome)},
          {"rounds_reproduced", result.rounds_reproduced},
          {"rounds", result.rounds},
          {"because", result.because},
          {"parts", parts}};
}

json published_json(const Comparison& comparison) {
  json groups = json::array();
  for (const auto& group : comparison.published.groups) {
    json arms = json::array();
    for (const auto& cell : group.cells) {
      arms.push_back({{"arm", cell.arm},
                      {"mean_ms", or_null(cell.mean_ms)},
                      {"median_ms", or_null(cell.median_ms)},
                      {"p95_ms", or_null(cell.p95_ms)},
                      {"cpu_ms_per_request", or_null(cell.cpu_ms_per_request)},
                      {"mean_forwarded_bytes", or_null(cell.mean_forwarded_bytes)},
                      {"private_bytes", or_null(cell.private_bytes)}});
    }
    groups.push_back({{"task", group.task},
                      {"mode", group.mode},
                      {"mean_sent_bytes", or_null(group.mean_sent_bytes)},
                      {"arms", arms}});
  }
  json claims = json::array();
  for (const auto& claim : comparison.claims) claims.push_back(claim_json(claim));
  return {{"source", comparison.published.source},
          {"host", comparison.published.host},
          {"groups", groups},
          {"claims", claims}};
}

json limits_json(const Results& results, const Comparison* comparison) {
  json limits = json::array();
  for (const auto limit : general_limits(results)) limits.push_back(limit);
  for (const auto& limit : results.info.environment.limits) limits.push_back(limit);
  if (comparison != nullptr) {
    for (const auto& limit : comparison->published.limits) limits.push_back(limit);
  }
  return limits;
}

}  // namespace

std::string JsonReporter::write(const Results& results, const Comparison* comparison) const {
  json root = {{"schema", "tare-report/1"},
               {"run", run_json(results)},
               {"figures_given", results.figures_given},
               {"damaged", results.damaged},
               {"tokens", results.tokens_counted ? "o200k_base" : "estimate"},
               {"warnings", results.warnings},
               {"arms", arms_json(results)},
               {"groups", groups_json(results)},
               {"findings", results.findings},
               {"events", events_json(results)},
               {"limits", limits_json(results, comparison)}};
  if (results.sliced) root["sliced"] = sliced_json(*results.sliced);
  if (results.field) root["field"] = field_json(*results.field);
  if (comparison != nullptr) root["published"] = published_json(*comparison);
  return root.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace tare::analysis
