#include "harness/plan_group.h"

#include <fmt/format.h>

namespace tare::harness {
namespace {

auto mode(std::initializer_list<Mode> allowed) {
  std::vector<std::pair<std::string, Mode>> choices;
  for (const Mode one : allowed) choices.emplace_back(name_of(one), one);
  return one_of<Mode>(std::move(choices));
}

Workload read_task(Fields& fields) {
  const auto name = fields.required(
      "task", text([](const std::string& task) {
        return workload_from(task)
                   ? std::string()
                   : "the name of a workload, such as logs, folder/log or tiny@chat";
      }));
  return workload_from(name).value_or(Workload());
}

Workload read_other(Fields& fields) {
  std::vector<std::pair<std::string, std::string>> names;
  for (const auto& name : workload_names()) {
    if (name != Workload().name) names.emplace_back(name, name);
  }
  Workload workload;
  workload.name = fields.required("workload", one_of<std::string>(std::move(names)));
  if (workload.name == "folder" || workload.name == "conversation") {
    workload.path = fields.optional("path", text(), usual_outputs);
    workload.class_name = fields.optional("class", text(), {});
  }
  if (workload.name == "conversation") {
    workload.turns = fields.required("turns", integer<int>(1, most_turns));
  }
  return workload;
}

}  // namespace

Group read_group(const Json& value, const Place& place) {
  Group group;
  Workload& workload = group.workload;
  Fields fields(value, place);
  const bool in_words = fields.has("workload");
  workload = in_words ? read_other(fields) : read_task(fields);
  const bool published = workload.name == Workload().name;
  group.mode = published ? fields.required("mode", mode({Mode::repeated, Mode::unique}))
                         : fields.optional("mode", mode({Mode::each, Mode::repeated}), Mode::each);
  if (!in_words && !workload.path.empty()) {
    workload.path = fields.optional("path", text(), workload.path);
  }
  if (workload.name != "conversation") {
    workload.tool = fields.optional("tool", text(), workload.tool);
  }
  workload.route = fields.optional(
      "route",
      one_of<Route>(
          {{"responses", Route::responses}, {"chat", Route::chat}, {"messages", Route::messages}}),
      workload.route);
  fields.end();
  group.task = task_of(workload);
  return group;
}

Json group_json(const Group& group) {
  Json json = {{"task", group.task.name}, {"mode", name_of(group.mode)}};
  const std::string& path = group.workload.path;
  if (!path.empty() && path != usual_outputs) json["path"] = path;
  return json;
}

}  // namespace tare::harness
