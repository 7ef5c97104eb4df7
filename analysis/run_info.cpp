#include "analysis/run_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "analysis/fields.h"
#include "common/hash.h"

namespace tare::analysis {
namespace {

using nlohmann::json;

constexpr const char* known_schemas[] = {"tare-run/1", "tare-run/2"};
constexpr int most_levels = 100;  // a document that a stack can print

std::string plain(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:.2f}", value.get<double>());
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

PlanInfo plan_of(Fields& run) {
  Fields fields(run.object("plan"), "/plan");
  PlanInfo plan;
  plan.name = fields.text("name");
  plan.title = fields.maybe_text("title").value_or(plan.name);
  plan.protocol = fields.maybe_text("protocol").value_or("");
  plan.rounds = fields.small_integer("rounds");
  plan.arms = fields.texts("arms");
  plan.rotate = fields.maybe_small_integer("rotate").value_or(0);
  for (const auto& group : fields.array("groups")) {
    Fields names(group, "/plan/groups");
    plan.groups.emplace_back(names.text("task"), names.text("mode"));
    fields.blame(names.fault());
  }
  plan.warmups = fields.small_integer("warmups");
  plan.requests = fields.maybe_small_integer("requests").value_or(0);  // published plans only
  plan.isolated_rounds = fields.maybe_small_integer("isolated_rounds").value_or(0);
  plan.slice_groups = fields.maybe_small_integer("slice_groups").value_or(0);
  plan.subject = fields.maybe_text("subject").value_or("");
  plan.references = fields.texts("references");
  plan.margins = fields.number_map("margins");
  plan.seed = fields.maybe_unsigned("seed").value_or(0);
  for (const auto& [arm, change] : fields.object("arm_overrides").items()) {
    plan.removed_arguments[arm] = Fields(change).texts("remove_arguments");
  }
  run.blame(fields.fault());
  return plan;
}

ArmInfo arm_of(const json& object, Fields& run) {
  Fields fields(object, "/arms");
  ArmInfo arm;
  arm.name = fields.text("name");
  arm.title = fields.maybe_text("title").value_or(arm.name);
  arm.kind = fields.text("kind");
  arm.twin_of = fields.maybe_text("twin_of");
  arm.licence = fields.maybe_text("licence").value_or("");
  arm.homepage = fields.maybe_text("homepage");
  arm.installed = fields.text("status") != "not_installed";
  arm.reason = fields.maybe_text("reason");
  const json& identity = fields.object("identity");
  arm.version = Fields(identity).maybe_text("version");
  if (const auto files = identity.find("files"); files != identity.end() && files->is_object()) {
    for (const auto& [name, sha256] : files->items()) arm.files.emplace_back(name, plain(sha256));
  }
  arm.degraded = fields.texts("degraded");
  arm.command = fields.texts("command");
  arm.environment = fields.text_map("environment");
  arm.claims_lossless = Fields(fields.object("claims")).maybe_boolean("lossless").value_or(false);
  arm.caches = fields.maybe_boolean("caches").value_or(false);
  arm.decoder = fields.texts("decoder");
  arm.notes = fields.texts("notes");
  run.blame(fields.fault());
  return arm;
}

EnvironmentInfo environment_of(Fields& run) {
  const json& object = run.object("environment");
  EnvironmentInfo environment;
  for (const auto& [name, value] : object.items()) {
    // Where the counters were read is a path of that machine; reports hold none.
    if (name == "limits" || name == "cgroup" || value.is_null()) continue;
    environment.facts.emplace_back(name, plain(value));
  }
  environment.limits = Fields(object, "/environment").texts("limits");
  return environment;
}

}  // namespace

Result<RunInfo> parse_run_info(const std::string& text) {
  json root;
  bool too_deep = false;
  try {
    root = json::parse(text, [&](int depth, json::parse_event_t, const json&) {
      too_deep = too_deep || depth > most_levels;
      return depth <= most_levels;
    });
  } catch (const json::parse_error& e) {
    return fail(Error::invalid(fmt::format("run.json: damaged at byte {}", e.byte),
                               "restore it from a copy: without it the raw data has no meaning"));
  }
  if (too_deep) {
    return fail(Error::invalid(
        fmt::format("run.json: lists and objects more than {} levels deep", most_levels),
        "restore it from a copy"));
  }
  Fields run(root, "");
  const std::string schema = run.maybe_text("schema").value_or("");
  if (!schema.starts_with("tare-run/")) {
    return fail(Error::invalid("run.json: it is not of a run folder: /schema is missing",
                               "give the folder that tare run printed"));
  }
  if (std::ranges::find(known_schemas, schema) == std::end(known_schemas)) {
    return fail(Error::invalid(
        fmt::format("run.json: schema \"{}\" is not known; this version reads \"{}\"", schema,
                    fmt::join(known_schemas, "\", \"")),
        "use the version of tare that made the run, or a newer one"));
  }
  const std::string minified =
      root.value("plan", json()).dump(-1, ' ', false, json::error_handler_t::replace);
  RunInfo info;
  info.complete = run.text("state") == "complete";
  info.reason = run.maybe_text("reason").value_or("");
  info.started_at = run.maybe_text("started_at").value_or("");
  info.ended_at = run.maybe_text("ended_at");
  info.harness_version = Fields(run.object("harness")).maybe_text("version").value_or("");
  info.plan = plan_of(run);
  info.plan_sha256 = run.maybe_text("plan_sha256").value_or("");
  info.plan_intact = info.plan_sha256.empty() || sha256_hex(minified) == info.plan_sha256;
  info.environment = environment_of(run);
  for (const auto& arm : run.array("arms")) info.arms.push_back(arm_of(arm, run));
  Fields totals(run.object("totals"));
  info.planned_measured = totals.maybe_integer("planned_measured");
  const auto measured = totals.maybe_small_integer("measured");
  const auto warmups = totals.maybe_small_integer("warmups");
  if (info.ended_at && measured && warmups) info.requests = std::int64_t{*measured} + *warmups;
  run.blame(totals.fault());
  if (!run.fault().empty()) {
    return fail(Error::invalid("run.json: " + run.fault(), "see docs/raw-format.md"));
  }
  return info;
}

}  // namespace tare::analysis
