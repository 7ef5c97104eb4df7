#include "harness/plan.h"

#include <algorithm>
#include <limits>

#include "harness/json_reader.h"
#include "harness/manifest.h"
#include "harness/plan_group.h"

namespace tare::harness {
namespace {

constexpr int concurrency = 1;
constexpr std::string_view twin_suffix = "-twin";
constexpr double usual_margin = 0.05;

std::vector<std::string> read_override(const Json& value, const Place& place) {
  Fields fields(value, place);
  auto removed = fields.required("remove_arguments", list_of(text(), 1));
  fields.end();
  return removed;
}

double read_margin(const Json& value, const Place& place) {
  if (value.is_number() && value > 0 && value <= 1) return value.get<double>();
  place.expected("a share above 0, at most 1", value);
  return usual_margin;
}

std::map<std::string, double> read_margins(const Json& value, const Place& place) {
  Fields fields(value, place);
  std::map<std::string, double> margins;
  for (const char* metric : {"latency", "cpu", "memory"}) {
    margins[metric] = fields.optional(metric, read_margin, usual_margin);
  }
  fields.end();
  return margins;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

Slicing read_slicing(Fields& fields, const std::vector<std::string>& arms) {
  Slicing slicing;
  const auto name = nullable(text(fault_of_name));
  slicing.isolated_rounds = fields.optional("isolated_rounds", integer<int>(0, 1000), 0);
  if (has(arms, "control")) slicing.twin_of = "control";
  slicing.twin_of = fields.optional("twin_of", name, slicing.twin_of);
  slicing.groups = fields.optional("slice_groups", integer<int>(20, 1000), slicing.groups);
  slicing.milliseconds = fields.optional("slice_ms", integer<int>(1, 60'000), slicing.milliseconds);
  slicing.least_requests =
      fields.optional("slice_min_requests", integer<int>(1, 1000), slicing.least_requests);
  slicing.most_requests =
      fields.optional("slice_max_requests", integer<int>(1, 1000), slicing.most_requests);
  slicing.isolated_requests =
      fields.optional("isolated_requests", integer<int>(1, 1000), slicing.isolated_requests);
  slicing.state_kept =
      fields.optional("state", one_of<bool>({{"fresh", false}, {"kept", true}}), false);
  slicing.block = fields.optional("block", integer<int>(2, 6), slicing.block);
  if (has(arms, "tare")) slicing.subject = "tare";
  slicing.subject = fields.optional("subject", name, slicing.subject);
  slicing.references = fields.optional("references", list_of(text(fault_of_name)), {});
  slicing.margins =
      fields.optional("margins", read_margins,
                      {{"latency", usual_margin}, {"cpu", usual_margin}, {"memory", usual_margin}});
  return slicing;
}

// What a sliced plan's fields allow of each other.
void check_slicing(const Plan& plan, const Place& root) {
  const Slicing& slicing = plan.slicing;
  const auto known = [&](const Place& place, const std::string& name) {
    if (!has(plan.arms, name)) place.fault("not one of the plan's arms");
  };
  if (slicing.twin_of) known(root.at("twin_of"), *slicing.twin_of);
  if (slicing.twin_of == "direct") {
    root.at("twin_of").fault("\"direct\" has no process to have a second copy of");
  }
  if (slicing.subject) known(root.at("subject"), *slicing.subject);
  if (slicing.most_requests < slicing.least_requests) {
    root.at("slice_max_requests").fault("less than slice_min_requests");
  }
  if (const auto twin = twin_name(plan); twin && has(plan.arms, *twin)) {
    root.at("arms").fault(fmt::format("\"{}\" is the twin's name", *twin));
  }
  const auto blocks = blocks_of(plan);
  const bool fits = std::ranges::all_of(
      blocks, [&](const auto& arms) { return std::cmp_less_equal(arms.size(), slicing.block); });
  if (!fits) root.at("block").fault("direct, control, the twin and its original leave no place");
  for (std::size_t i = 0; i < slicing.references.size(); ++i) {
    const auto& reference = slicing.references[i];
    const auto place = root.at("references").at(i);
    known(place, reference);
    if (reference == slicing.subject) place.fault("the subject is not held against itself");
    if (std::ranges::count(slicing.references.begin(),
                           slicing.references.begin() + static_cast<std::ptrdiff_t>(i),
                           reference) > 0) {
      place.fault(fmt::format("\"{}\" stands twice", reference));
    }
    const bool together = std::ranges::any_of(blocks, [&](const auto& arms) {
      return has(arms, reference) && slicing.subject && has(arms, *slicing.subject);
    });
    if (!together && !slicing.twin_of && !has(plan.arms, "direct")) {
      place.fault("never in one block with the subject, and no anchor is in both");
    }
  }
}

// What one field allows of another.
void check_whole(const Plan& plan, const Place& root) {
  const auto arms = root.at("arms");
  for (std::size_t i = 0; i < plan.arms.size(); ++i) {
    const auto& name = plan.arms[i];
    if (std::find(plan.arms.begin(), plan.arms.begin() + static_cast<std::ptrdiff_t>(i), name) !=
        plan.arms.begin() + static_cast<std::ptrdiff_t>(i)) {
      arms.at(i).fault(fmt::format("\"{}\" stands twice", name));
    }
  }
  if (std::cmp_greater(plan.rotate, plan.arms.size())) {
    root.at("rotate").fault(fmt::format("expected at most the number of arms ({}), found {}",
                                        plan.arms.size(), plan.rotate));
  }
  for (std::size_t i = 0; i < plan.groups.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (plan.groups[i].task != plan.groups[j].task) continue;
      if (plan.groups[i].mode == plan.groups[j].mode) {
        root.at("groups").at(i).fault("stands twice");
      } else if (plan.groups[i].workload.path != plan.groups[j].workload.path) {
        root.at("groups").at(i).fault("has the name of an earlier one with another path");
      }
    }
  }
  for (const auto& [arm, removed] : plan.removed_arguments) {
    if (!has(plan.arms, arm)) {
      root.at("arm_overrides").at(arm).fault("not one of the plan's arms");
    }
  }
  if (plan.protocol == Protocol::sliced) check_slicing(plan, root);
}

Result<std::filesystem::path> find_file(std::string_view name_or_path,
                                        const std::filesystem::path& plans_folder) {
  std::error_code e;
  const std::filesystem::path path(name_or_path);
  const auto named = plans_folder / (std::string(name_or_path) + ".json");
  if (fault_of_name(std::string(name_or_path)).empty() &&
      std::filesystem::is_regular_file(named, e)) {
    return named;
  }
  if (std::filesystem::is_regular_file(path, e)) return path;
  if (name_or_path.find('/') != name_or_path.npos || path.extension() == ".json") {
    return fail(Error::usage(fmt::format("{}: there is no such file", name_or_path),
                             "give a path to a plan, or the name of one"));
  }
  if (!std::filesystem::is_directory(plans_folder, e)) {
    return fail(Error::usage(fmt::format("{}: there is no such folder", plans_folder.string()),
                             "name the folder that holds arms/ and data/ with --home"));
  }
  std::vector<std::string> names;
  for (std::filesystem::directory_iterator it(plans_folder, e), end; !e && it != end;
       it.increment(e)) {
    if (it->path().extension() == ".json") names.push_back(it->path().stem());
  }
  std::ranges::sort(names);
  return fail(Error::usage(fmt::format("unknown plan \"{}\"", name_or_path),
                           fmt::format("the plans in {} are {}; or give a path to a file",
                                       plans_folder.string(), fmt::join(names, ", "))));
}

}  // namespace

namespace {

Result<Plan> plan_of(const Json& document, std::string source) {
  Faults faults(std::move(source));
  const Place root{"", faults};
  Fields fields(document, root);

  Plan plan;
  plan.name = fields.required("name", text(fault_of_name));
  plan.title = fields.required("title", text());
  plan.protocol = fields.required("protocol", one_of<Protocol>({{"published", Protocol::published},
                                                                {"sliced", Protocol::sliced}}));
  const bool sliced = plan.protocol == Protocol::sliced;
  plan.rounds = fields.required("rounds", integer<int>(1, 1000));
  plan.arms = fields.required("arms", list_of(text(fault_of_name), 1));
  plan.groups = fields.required("groups", list_of(read_group, 1));
  plan.warmups = fields.required("warmups", integer<int>(0, 100'000));
  if (sliced) {
    plan.slicing = read_slicing(fields, plan.arms);
  } else {
    plan.rotate = fields.optional("rotate", integer<int>(0), plan.rotate);
    plan.requests = fields.required("requests", integer<int>(1, 100'000));
  }
  fields.optional("concurrency", integer<int>(concurrency, concurrency), concurrency);
  plan.seed = fields.optional("seed", integer<std::uint64_t>(0), plan.seed);
  plan.request_time_limit_s =
      fields.optional("time_limit_s", integer<int>(1, 3600), plan.request_time_limit_s);
  plan.any_failure_makes_incomplete =
      fields.optional("any_failure_makes_incomplete", boolean(), !sliced);
  plan.removed_arguments = fields.optional("arm_overrides", map_of(read_override), {});
  fields.end();
  if (faults.none()) check_whole(plan, root);
  if (!faults.none()) return fail(faults.error("see data/schemas/plan.schema.json"));
  return plan;
}

Json slicing_json(const Slicing& slicing) {
  const auto or_null = [](const std::optional<std::string>& name) {
    return name ? Json(*name) : Json(nullptr);
  };
  return {{"isolated_rounds", slicing.isolated_rounds},
          {"twin_of", or_null(slicing.twin_of)},
          {"slice_groups", slicing.groups},
          {"slice_ms", slicing.milliseconds},
          {"slice_min_requests", slicing.least_requests},
          {"slice_max_requests", slicing.most_requests},
          {"isolated_requests", slicing.isolated_requests},
          {"state", slicing.state_kept ? "kept" : "fresh"},
          {"block", slicing.block},
          {"subject", or_null(slicing.subject)},
          {"references", slicing.references},
          {"margins", slicing.margins}};
}

}  // namespace

Result<Plan> read_plan(std::string_view name_or_path, const std::filesystem::path& plans_folder) {
  const auto file = find_file(name_or_path, plans_folder);
  if (!file) return fail(file.error());
  const auto document = parse_json_file(*file);
  if (!document) return fail(document.error());
  auto plan = plan_of(*document, file->string());
  if (plan) plan->home = std::filesystem::absolute(plans_folder).parent_path().parent_path();
  return plan;
}

Result<Plan> parse_plan(std::string_view json, std::string_view source) {
  const auto document = parse_json(json, source);
  if (!document) return fail(document.error());
  return plan_of(*document, std::string(source));
}

std::string to_json(const Plan& plan) {
  Json groups = Json::array();
  for (const auto& group : plan.groups) {
    groups.push_back(group_json(group));
  }
  Json overrides = Json::object();
  for (const auto& [arm, removed] : plan.removed_arguments) {
    overrides[arm] = {{"remove_arguments", removed}};
  }
  const bool sliced = plan.protocol == Protocol::sliced;
  Json json = {{"name", plan.name},
               {"title", plan.title},
               {"protocol", sliced ? "sliced" : "published"},
               {"rounds", plan.rounds},
               {"arms", plan.arms},
               {"groups", std::move(groups)},
               {"warmups", plan.warmups},
               {"concurrency", concurrency},
               {"seed", plan.seed},
               {"time_limit_s", plan.request_time_limit_s},
               {"any_failure_makes_incomplete", plan.any_failure_makes_incomplete},
               {"arm_overrides", std::move(overrides)}};
  json.update(sliced ? slicing_json(plan.slicing)
                     : Json{{"rotate", plan.rotate}, {"requests", plan.requests}});
  return json.dump();
}

std::optional<std::string> twin_name(const Plan& plan) {
  if (!plan.slicing.twin_of) return std::nullopt;
  return *plan.slicing.twin_of + std::string(twin_suffix);
}

std::vector<std::string> arms_and_twin(const Plan& plan) {
  auto arms = plan.arms;
  if (auto twin = twin_name(plan)) arms.push_back(std::move(*twin));
  return arms;
}

std::vector<std::vector<std::string>> blocks_of(const Plan& plan) {
  const auto is_anchor = [&](const std::string& name) {
    return name == "direct" || name == "control" || name == plan.slicing.twin_of;
  };
  std::vector<std::string> anchors;
  std::ranges::copy_if(plan.arms, std::back_inserter(anchors), is_anchor);
  if (auto twin = twin_name(plan)) anchors.push_back(std::move(*twin));
  std::vector<std::vector<std::string>> blocks{anchors};
  for (const std::string& name : plan.arms) {
    if (is_anchor(name)) continue;
    if (std::cmp_greater_equal(blocks.back().size(), plan.slicing.block)) {
      blocks.push_back(anchors);
    }
    blocks.back().push_back(name);
  }
  return blocks;
}

std::vector<std::string> arms_of_round(const Plan& plan, int round) {
  auto order = plan.arms;
  if (plan.rotate > 0) {
    const auto begin = order.begin();
    std::rotate(begin, begin + (round - 1) % plan.rotate, begin + plan.rotate);
  }
  return order;
}

}  // namespace tare::harness
