#include "harness/plan.h"

#include <algorithm>
#include <limits>

#include "harness/json_reader.h"
#include "harness/manifest.h"

namespace tare::harness {
namespace {

// The one protocol there is: the first arms rotate, the others follow as they stand.
constexpr std::string_view protocol = "published";
constexpr int concurrency = 1;

Group read_group(const Json& value, const Place& place) {
  Group group{};
  Fields fields(value, place);
  group.task = fields.required(
      "task", one_of<Task>({{"logs", Task::logs}, {"json", Task::json}, {"code", Task::code}}));
  group.mode = fields.required(
      "mode", one_of<Mode>({{"repeated", Mode::repeated}, {"unique", Mode::unique}}));
  fields.end();
  return group;
}

std::vector<std::string> read_override(const Json& value, const Place& place) {
  Fields fields(value, place);
  auto removed = fields.required("remove_arguments", list_of(text(), 1));
  fields.end();
  return removed;
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
      if (plan.groups[i].task == plan.groups[j].task &&
          plan.groups[i].mode == plan.groups[j].mode) {
        root.at("groups").at(i).fault("stands twice");
      }
    }
  }
  for (const auto& [arm, removed] : plan.removed_arguments) {
    if (std::ranges::find(plan.arms, arm) == plan.arms.end()) {
      root.at("arm_overrides").at(arm).fault("not one of the plan's arms");
    }
  }
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

Result<Plan> read_plan(std::string_view name_or_path, const std::filesystem::path& plans_folder) {
  const auto file = find_file(name_or_path, plans_folder);
  if (!file) return fail(file.error());
  const auto document = parse_json_file(*file);
  if (!document) return fail(document.error());
  Faults faults(file->string());
  const Place root{"", faults};
  Fields fields(*document, root);

  Plan plan;
  plan.name = fields.required("name", text(fault_of_name));
  plan.title = fields.required("title", text());
  fields.required("protocol", one_of<bool>({{std::string(protocol), true}}));
  plan.rounds = fields.required("rounds", integer<int>(1, 1000));
  plan.arms = fields.required("arms", list_of(text(fault_of_name), 1));
  plan.rotate = fields.optional("rotate", integer<int>(0), plan.rotate);
  plan.groups = fields.required("groups", list_of(read_group, 1));
  plan.warmups = fields.required("warmups", integer<int>(0, 100'000));
  plan.requests = fields.required("requests", integer<int>(1, 100'000));
  fields.optional("concurrency", integer<int>(concurrency, concurrency), concurrency);
  plan.seed = fields.optional("seed", integer<std::uint64_t>(0), plan.seed);
  plan.request_time_limit_s =
      fields.optional("time_limit_s", integer<int>(1, 3600), plan.request_time_limit_s);
  plan.any_failure_makes_incomplete =
      fields.optional("any_failure_makes_incomplete", boolean(), plan.any_failure_makes_incomplete);
  plan.removed_arguments = fields.optional("arm_overrides", map_of(read_override), {});
  fields.end();
  if (faults.none()) check_whole(plan, root);
  if (!faults.none()) return fail(faults.error("see data/schemas/plan.schema.json"));
  return plan;
}

std::string to_json(const Plan& plan) {
  Json groups = Json::array();
  for (const auto& group : plan.groups) {
    groups.push_back({{"task", name_of(group.task)}, {"mode", name_of(group.mode)}});
  }
  Json overrides = Json::object();
  for (const auto& [arm, removed] : plan.removed_arguments) {
    overrides[arm] = {{"remove_arguments", removed}};
  }
  const Json json = {{"name", plan.name},
                     {"title", plan.title},
                     {"protocol", protocol},
                     {"rounds", plan.rounds},
                     {"arms", plan.arms},
                     {"rotate", plan.rotate},
                     {"groups", std::move(groups)},
                     {"warmups", plan.warmups},
                     {"requests", plan.requests},
                     {"concurrency", concurrency},
                     {"seed", plan.seed},
                     {"time_limit_s", plan.request_time_limit_s},
                     {"any_failure_makes_incomplete", plan.any_failure_makes_incomplete},
                     {"arm_overrides", std::move(overrides)}};
  return json.dump();
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
