#include "harness/records.h"

#include <nlohmann/json.hpp>

#include "common/hash.h"
#include "common/version.h"

namespace tare::harness {
namespace {

using Json = nlohmann::ordered_json;

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// Bytes that are no UTF-8 (an arm's output in a reason) become U+FFFD rather than an exception.
std::string one_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json facts_of(const std::vector<Fact>& facts) {
  Json list = Json::array();
  for (const Fact& fact : facts)
    list.push_back({{"name", fact.name}, {"spellings", fact.spellings}});
  return list;
}

Result<Json> parsed(const std::string& text, const std::string& what) {
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return fail(Error::invalid(what + " is not JSON: " + text));
  return json;
}

Result<Json> json_of(const ArmRecord& arm) {
  Json identity = nullptr;
  if (arm.identity_json) {
    auto read = parsed(*arm.identity_json, "arm " + arm.name + ": its installer's identity");
    if (!read) return fail(read.error());
    identity = std::move(*read);
  }
  return Json{{"name", arm.name},
              {"title", arm.title},
              {"twin_of", or_null(arm.twin_of)},
              {"kind", arm.kind},
              {"licence", arm.licence},
              {"homepage", or_null(arm.homepage)},
              {"status", arm.not_installed ? "not_installed" : "ready"},
              {"reason", or_null(arm.not_installed)},
              {"identity", std::move(identity)},
              {"degraded", arm.degraded},
              {"command", arm.command},
              {"environment", arm.environment},
              {"claims", {{"lossless", arm.claims_lossless}}},
              {"caches", arm.caches},
              {"decoder", or_null(arm.decoder)},
              {"notes", arm.notes}};
}

Result<Json> json_of(const std::vector<ArmRecord>& records) {
  Json arms = Json::array();
  for (const ArmRecord& arm : records) {
    auto json = json_of(arm);
    if (!json) return fail(json.error());
    arms.push_back(std::move(*json));
  }
  return arms;
}

Json json_of(const Environment& environment) {
  return {{"kernel", environment.kernel},
          {"cpu_model", environment.cpu_model},
          {"cores", environment.cores},
          {"memory_bytes", environment.memory_bytes},
          {"distribution", environment.distribution},
          {"governor", or_null(environment.governor)},
          {"turbo", or_null(environment.turbo)},
          {"smt", or_null(environment.smt)},
          {"huge_pages", or_null(environment.huge_pages)},
          {"steal_share", or_null(environment.steal_share)},
          {"cpu_flags", environment.cpu_flags},
          {"load_average", environment.load_average},
          {"cgroup_grade", std::string(1, environment.cgroup_grade)},
          {"cgroup", environment.cgroup},
          {"limits", environment.limits}};
}

}  // namespace

std::string_view name_of(Phase phase) {
  return phase == Phase::warmup ? "warmup" : "measured";
}

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok:
      return "ok";
    case Outcome::rate_limited:
      return "rate_limited";
    case Outcome::crashed:
      return "crashed";
    case Outcome::hung:
      return "hung";
    case Outcome::not_installed:
      return "not_installed";
    case Outcome::leaked:
      return "leaked";
    case Outcome::failed:
      return "failed";
    case Outcome::interrupted:
      return "interrupted";
  }
  return "failed";
}

std::string_view name_of(Design design) {
  switch (design) {
    case Design::published:
      return "published";
    case Design::sliced:
      return "sliced";
    case Design::isolated:
      return "isolated";
  }
  return "published";
}

std::string_view name_of(DiscardCause cause) {
  switch (cause) {
    case DiscardCause::canary:
      return "canary";
    case DiscardCause::steal:
      return "steal";
    case DiscardCause::foreign_cpu:
      return "foreign_cpu";
    case DiscardCause::clock_step:
      return "clock_step";
    case DiscardCause::swap:
      return "swap";
  }
  return "canary";
}

std::string to_json(const RoundRow& row) {
  const Conditions& conditions = row.conditions;
  return one_line({{"round", row.round},
                   {"design", name_of(row.design)},
                   {"block", row.block},
                   {"order", row.order},
                   {"attempt", row.attempt},
                   {"replaces", or_null(row.replaces)},
                   {"begin_ns", row.begin_ns},
                   {"end_ns", row.end_ns},
                   {"canary_begin_ns", conditions.canary_begin_ns},
                   {"canary_end_ns", conditions.canary_end_ns},
                   {"steal_share", or_null(conditions.steal_share)},
                   {"foreign_cpu_share", or_null(conditions.foreign_cpu_share)},
                   {"clock_step_ns", conditions.clock_step_ns},
                   {"swap_bytes", or_null(conditions.swap_bytes)},
                   {"discarded", row.discarded ? Json(name_of(*row.discarded)) : Json(nullptr)}});
}

std::string to_json(const WorkloadRow& row) {
  return one_line({{"task", name_of(row.task)},
                   {"index", row.index},
                   {"seed", row.seed},
                   {"sha256", row.sha256},
                   {"bytes", row.bytes},
                   {"output_sha256", row.output_sha256},
                   {"output_bytes", row.output_bytes},
                   {"facts", facts_of(row.facts)},
                   {"route", name_of(row.route)},
                   {"tool", row.tool},
                   {"class", or_null(row.class_name)},
                   {"name", or_null(row.name)},
                   {"turn", or_null(row.turn)},
                   {"conversation", or_null(row.conversation)}});
}

std::string to_json(const StartRow& row) {
  return one_line({{"start", row.start},
                   {"round", row.round},
                   {"position", row.position},
                   {"design", name_of(row.design)},
                   {"block", row.block},
                   {"arm", row.arm},
                   {"argv", or_null(row.argv)},
                   {"outcome", name_of(row.outcome)},
                   {"reason", or_null(row.reason)},
                   {"began_ns", or_null(row.began_ns)},
                   {"ready_ns", or_null(row.ready_ns)},
                   {"ended_ns", or_null(row.ended_ns)},
                   {"cpu_at_ready_us", or_null(row.cpu_at_ready_us)},
                   {"anon_at_ready_bytes", or_null(row.anon_at_ready_bytes)},
                   {"first_request_ns", or_null(row.first_request_ns)},
                   {"cpu_total_us", or_null(row.cpu_total_us)},
                   {"rusage_total_us", or_null(row.rusage_total_us)},
                   {"grade", row.grade ? Json(std::string(1, *row.grade)) : Json(nullptr)},
                   {"peak_bytes", or_null(row.peak_bytes)},
                   {"peak_since", or_null(row.peak_since)},
                   {"exit_code", or_null(row.exit_code)},
                   {"exit_signal", or_null(row.exit_signal)},
                   {"leaked_processes", row.leaked_processes}});
}

std::string to_json(const GroupRow& row) {
  return one_line({{"start", row.start},
                   {"round", row.round},
                   {"arm", row.arm},
                   {"task", name_of(row.task)},
                   {"mode", name_of(row.mode)},
                   {"design", name_of(row.design)},
                   {"slice", or_null(row.slice)},
                   {"slice_position", or_null(row.slice_position)},
                   {"begin_ns", row.begin_ns},
                   {"end_ns", row.end_ns},
                   {"requests", row.requests},
                   {"failures", row.failures},
                   {"cpu_us", or_null(row.cpu_us)},
                   {"cpu_after_us", or_null(row.cpu_after_us)},
                   {"idle_us", or_null(row.idle_us)},
                   {"idle_cpu_us", or_null(row.idle_cpu_us)},
                   {"anon_begin_bytes", or_null(row.anon_begin_bytes)},
                   {"anon_end_bytes", or_null(row.anon_end_bytes)},
                   {"private_begin_bytes", or_null(row.private_begin_bytes)},
                   {"private_end_bytes", or_null(row.private_end_bytes)},
                   {"peak_bytes", nullptr},
                   {"harness_cpu_us", row.harness_cpu_us},
                   {"upstream_cpu_us", row.upstream_cpu_us},
                   {"source", or_null(row.source)}});
}

std::string to_json(const RequestRow& row) {
  return one_line({{"request", row.request},
                   {"start", row.start},
                   {"round", row.round},
                   {"arm", row.arm},
                   {"task", name_of(row.task)},
                   {"mode", name_of(row.mode)},
                   {"index", row.index},
                   {"phase", name_of(row.phase)},
                   {"slice", or_null(row.slice)},
                   {"sequence", row.sequence},
                   {"sent_ns", row.sent_ns},
                   {"first_byte_ns", or_null(row.first_byte_ns)},
                   {"last_byte_ns", or_null(row.last_byte_ns)},
                   {"status", or_null(row.status)},
                   {"sent_bytes", row.sent_bytes},
                   {"sent_sha256", row.sent_sha256},
                   {"received_bytes", or_null(row.received_bytes)},
                   {"received_sha256", or_null(row.received_sha256)},
                   {"attempts", row.attempts},
                   {"reply_correct", row.reply_correct},
                   {"error", or_null(row.error)}});
}

std::string to_json(const UpstreamRow& row) {
  Json headers = Json::object();
  for (const auto& [name, value] : row.headers) headers[name] = value;
  return one_line({{"upstream_request", row.upstream_request},
                   {"request", or_null(row.request)},
                   {"start", or_null(row.start)},
                   {"received_ns", row.received_ns},
                   {"method", row.method},
                   {"path", row.path},
                   {"headers", std::move(headers)},
                   {"bytes", row.bytes},
                   {"sha256", row.sha256},
                   {"status", row.status}});
}

std::string to_json(const RetrievedRow& row) {
  return one_line({{"arm", row.arm},
                   {"forwarded_sha256", row.forwarded_sha256},
                   {"marker", row.marker},
                   {"status", or_null(row.status)},
                   {"sha256", or_null(row.sha256)},
                   {"bytes", or_null(row.bytes)},
                   {"error", or_null(row.error)}});
}

std::string to_json(const SampleRow& row) {
  return one_line({{"start", row.start},
                   {"time_ns", row.time_ns},
                   {"cpu_us", or_null(row.cpu_us)},
                   {"anon_bytes", or_null(row.anon_bytes)}});
}

std::string to_json(const EventRow& row) {
  return one_line({{"time_ns", row.time_ns},
                   {"at", row.at},
                   {"kind", row.kind},
                   {"arm", or_null(row.arm)},
                   {"round", or_null(row.round)},
                   {"message", row.message}});
}

Result<std::string> arms_json(const std::vector<ArmRecord>& arms) {
  const auto json = json_of(arms);
  if (!json) return fail(json.error());
  return json->dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<std::string> to_json(const RunDocument& document) {
  auto plan = parsed(document.plan_json, "the resolved plan");
  if (!plan) return fail(plan.error());
  auto arms = json_of(document.arms);
  if (!arms) return fail(arms.error());
  const Json json{{"schema", "tare-run/2"},
                  {"state", document.incomplete ? "incomplete" : "complete"},
                  {"reason", or_null(document.incomplete)},
                  {"started_at", document.started_at},
                  {"ended_at", or_null(document.ended_at)},
                  {"harness", {{"version", version()}}},
                  {"plan", std::move(*plan)},
                  {"plan_sha256", sha256_hex(document.plan_json)},
                  {"environment", json_of(document.environment)},
                  {"arms", std::move(*arms)},
                  {"totals",
                   {{"planned_measured", document.totals.planned_measured},
                    {"measured", document.totals.measured},
                    {"failed_measured", document.totals.failed_measured},
                    {"warmups", document.totals.warmups}}}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tare::harness
