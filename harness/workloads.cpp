#include "harness/workloads.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "common/files.h"
#include "harness/conversation.h"

namespace tare::harness {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Bodies = Result<std::vector<Body>>;

constexpr std::uint64_t seed = 1;
constexpr const char* question = "What does this say? Name every fault that stands in it.";

struct Request {
  const Workload& workload;
  int most;
  const fs::path& home;
};

// The outputs of a folder by name; their class is the subfolder they stand in.
Result<std::vector<SourceOutput>> outputs_in(const fs::path& folder,
                                             const std::string& class_name) {
  std::error_code e;
  if (!fs::is_directory(folder, e)) {
    return fail(Error::usage(folder.string() + ": no such folder",
                             "give a folder of tool outputs, with a subfolder for each class"));
  }
  std::vector<std::string> names;
  for (fs::recursive_directory_iterator at(folder, e), end; !e && at != end; at.increment(e)) {
    std::error_code gone;
    const auto name = at->path().lexically_relative(folder);
    const bool wanted = class_name.empty() || *name.begin() == class_name;
    const bool of_class = std::distance(name.begin(), name.end()) > 1;
    if (wanted && of_class && at->is_regular_file(gone)) names.push_back(name.generic_string());
  }
  if (e) return fail(Error::io_errno(folder.string() + ": cannot list", e.value()));
  std::ranges::sort(names);
  std::vector<SourceOutput> outputs;
  for (const auto& name : names) {
    auto text = read_file(folder / name);
    if (!text) return fail(text.error());
    outputs.push_back({name.substr(0, name.find('/')), name, std::move(*text)});
  }
  if (!outputs.empty()) return outputs;
  return fail(
      Error::usage(fmt::format("{}: no outputs of class \"{}\"", folder.string(), class_name),
                   "name one of its subfolders"));
}

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Body body_of(const Workload& workload, int index, const std::string& output,
             const std::string& name = {}) {
  Body body;
  body.task = task_of(workload);
  body.index = index;
  body.seed = seed;
  body.output = output;
  body.route = workload.route;
  body.tool = workload.tool;
  body.name = name;
  const Json arguments = name.empty()                   ? Json::object()
                         : workload.tool == "read_file" ? Json{{"path", name}}
                                                        : Json{{"cmd", name}};
  const ToolCall call{"call_local", workload.tool, text_of(arguments), output};
  body.text = request_body(workload.route, question, {&call, 1});
  return body;
}

Bodies published(const Request& request) {
  const Workload& workload = request.workload;
  const auto task = task_from(workload.task);
  if (!task) return fail(task.error());
  std::vector<Body> bodies;
  for (int index = 0; index < request.most; ++index) {
    bodies.push_back(make_body(*task, index, workload.tool, workload.route));
    bodies.back().task = task_of(workload);
  }
  return bodies;
}

Bodies folder(const Request& request) {
  const auto outputs =
      outputs_in(request.home / request.workload.path, request.workload.class_name);
  if (!outputs) return fail(outputs.error());
  std::vector<Body> bodies;
  for (const auto& output : *outputs) {
    bodies.push_back(
        body_of(request.workload, static_cast<int>(bodies.size()), output.text, output.name));
    bodies.back().class_name = output.class_name;
  }
  return bodies;
}

// A body a turn, as the history grows.
Bodies conversation(const Request& request) {
  const Workload& workload = request.workload;
  const auto outputs = outputs_in(request.home / workload.path, workload.class_name);
  if (!outputs) return fail(outputs.error());
  const auto turns = make_conversation(*outputs, seed, static_cast<std::size_t>(workload.turns));
  std::vector<Body> bodies;
  for (std::size_t turn = 1; turn <= turns.size(); ++turn) {
    const Turn& last = turns[turn - 1];
    Body body;
    body.task = task_of(workload);
    body.index = static_cast<int>(turn) - 1;
    body.seed = seed;
    body.route = workload.route;
    body.text = conversation_body(workload.route, std::span(turns).first(turn));
    body.output = last.output;
    body.tool = last.tool;
    body.turn = static_cast<int>(turn);
    body.conversation = fmt::format("seed-{}", seed);
    bodies.push_back(std::move(body));
  }
  return bodies;
}

// Random bytes as base64, in lines of 64.
Bodies incompressible(const Request& request) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr int bodies_count = 10;
  constexpr int lines = 250;
  std::mt19937_64 random(seed);
  std::vector<Body> bodies;
  for (int index = 0; index < bodies_count; ++index) {
    std::string output;
    for (int line = 0; line < lines; ++line) {
      for (std::size_t i = 0; i < digits.size(); ++i) output += digits[random() % digits.size()];
      output += '\n';
    }
    bodies.push_back(body_of(request.workload, index, output));
  }
  return bodies;
}

// What most commands print.
Bodies tiny(const Request& request) {
  std::vector<Body> bodies;
  for (const char* output :
       {"", "0\n", "ok", "done\n", "main\n", "true", "{}", "[]", "null\n", "main.cpp\nmain.h\n",
        "fatal: not a git repository\n", "{\"status\": \"ok\", \"count\": 3}"}) {
    bodies.push_back(body_of(request.workload, static_cast<int>(bodies.size()), output));
  }
  return bodies;
}

// The published outputs of each task, many of them below each other: about a megabyte.
Bodies huge(const Request& request) {
  constexpr int logs_parts = 45;
  constexpr int json_parts = 25;
  constexpr int code_parts = 60;
  std::vector<Body> bodies;
  for (const auto& [task, parts] :
       {std::pair(Task::logs, logs_parts), std::pair(Task::json, json_parts),
        std::pair(Task::code, code_parts)}) {
    std::string output;
    std::vector<Fact> facts;
    for (int part = 0; part < parts; ++part) {
      Body one = make_body(task, part);
      output += one.output + "\n";
      for (Fact& fact : one.facts) facts.push_back(std::move(fact));
    }
    bodies.push_back(body_of(request.workload, static_cast<int>(bodies.size()), output));
    bodies.back().class_name = task.name;
    bodies.back().facts = std::move(facts);
  }
  return bodies;
}

using Make = std::function<Bodies(const Request&)>;

const std::map<std::string, Make, std::less<>>& plug_ins() {
  static const std::map<std::string, Make, std::less<>> all{
      {"published", published},           {"folder", folder}, {"conversation", conversation},
      {"incompressible", incompressible}, {"tiny", tiny},     {"huge", huge}};
  return all;
}

std::string plain_name(const Workload& workload) {
  if (workload.name == "published") return workload.task;
  if (workload.name == "conversation") return fmt::format("conversation/{}", workload.turns);
  if (workload.name == "folder" && !workload.class_name.empty()) {
    return "folder/" + workload.class_name;
  }
  return workload.name;
}

}  // namespace

std::vector<std::string> workload_names() {
  std::vector<std::string> names;
  for (const auto& [name, make] : plug_ins()) names.push_back(name);
  return names;
}

Task task_of(const Workload& workload) {
  const Workload usual;
  Task task{plain_name(workload)};
  if (workload.tool != usual.tool) task.name += "@" + workload.tool;
  if (workload.route != usual.route) task.name += fmt::format("@{}", name_of(workload.route));
  return task;
}

Group published_group(const Task& task, Mode mode) {
  Group group{task, mode};
  group.workload.task = task.name;
  return group;
}

Result<Workload> workload_from(std::string_view task) {
  Workload workload;
  auto end = std::min(task.find('@'), task.size());
  const auto name = task.substr(0, end);
  while (end < task.size()) {
    const auto begin = end + 1;
    end = std::min(task.find('@', begin), task.size());
    const auto suffix = task.substr(begin, end - begin);
    const auto route = route_from(suffix);
    if (route) {
      workload.route = *route;
    } else {
      workload.tool = suffix;
    }
  }
  const auto slash = std::min(name.find('/'), name.size());
  const std::string rest(name.substr(std::min(slash + 1, name.size())));
  workload.name = name.substr(0, slash);
  if (workload.name == "folder") {
    workload.class_name = rest;
  } else if (workload.name == "conversation") {
    workload.turns = std::atoi(rest.c_str());
  } else if (task_from(name)) {
    workload.name = Workload().name;
    workload.task = name;
  }
  if (workload.name == "folder" || workload.name == "conversation") workload.path = usual_outputs;
  const bool turns_fit =
      workload.name != "conversation" || (workload.turns >= 1 && workload.turns <= most_turns);
  const bool known =
      turns_fit && plug_ins().contains(workload.name) && task_of(workload).name == task;
  if (known) return workload;
  return fail(Error::usage(
      fmt::format("unknown workload \"{}\"", task),
      "use logs, json, code, folder/CLASS, conversation/TURNS, incompressible, tiny or huge; "
      "then @TOOL, @chat or @messages"));
}

Bodies make_bodies(const Workload& workload, int most, const fs::path& home) {
  const auto made = plug_ins().find(workload.name);
  if (made != plug_ins().end()) return made->second({workload, most, home});
  return fail(Error::usage(fmt::format("unknown workload \"{}\"", workload.name),
                           fmt::format("use one of {}", fmt::join(workload_names(), ", "))));
}

}  // namespace tare::harness
