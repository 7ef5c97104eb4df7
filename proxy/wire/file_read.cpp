#include "proxy/wire/file_read.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "proxy/wire/shell_command.h"
#include "proxy/wire/words.h"

namespace tare::wire {
namespace {

namespace dom = simdjson::dom;

// Without the case, and what stands between the words.
constexpr std::array<std::string_view, 14> read_tools = {
    "read",         "readfile", "readfiles",       "readmanyfiles", "readmultiplefiles",
    "readtextfile", "view",     "viewfile",        "openfile",      "open",
    "cat",          "fsread",   "getfilecontents", "filereader"};
// These read when their `command` is view.
constexpr std::array<std::string_view, 4> edit_tools = {"strreplacebasededittool",
                                                        "strreplaceeditor", "texteditor", "editor"};

constexpr int max_calls_within = 3;

// "mcp__files__read_text_file", "functions.read_file" and "Read-File" are read tools too.
std::string plain_name(std::string_view tool) {
  if (const auto at = tool.rfind("__"); at != std::string_view::npos) tool.remove_prefix(at + 2);
  tool.remove_prefix(tool.find_last_of("./:") + 1);
  std::string name;
  for (const char c : tool) {
    if (is_letter(c) || is_digit(c)) name += lower(c);
  }
  return name;
}

std::string_view string_at(dom::object object, std::string_view key) {
  std::string_view text;
  return object[key].get(text) ? std::string_view() : text;
}

bool call_reads(std::string_view tool, dom::object arguments, int calls_left);

// `command` or `cmd` as a line, as a list of words, or (`commands`) as a list of lines.
bool shows_file_in(dom::element command, bool is_list_of_lines) {
  std::string_view line;
  if (!command.get(line)) return shows_file(line);
  dom::array list;
  if (command.get(list)) return false;
  std::vector<std::string> words;
  for (const dom::element element : list) {
    if (element.get(line)) return false;
    if (is_list_of_lines && shows_file(line)) return true;
    words.emplace_back(line);
  }
  return !is_list_of_lines && shows_file(words);
}

// A call as a member of another's arguments: its tool's name and arguments under the usual keys.
bool inner_call_reads(dom::object call, int calls_left) {
  for (const std::string_view name_key : {"recipient_name", "tool_name", "tool", "name"}) {
    const std::string_view tool = string_at(call, name_key);
    if (tool.empty()) continue;
    for (const std::string_view key : {"parameters", "arguments", "args", "input"}) {
      dom::object arguments;
      if (!call[key].get(arguments) && call_reads(tool, arguments, calls_left)) return true;
    }
  }
  return false;
}

bool any_inner_call_reads(dom::object arguments, int calls_left) {
  if (inner_call_reads(arguments, calls_left)) return true;
  for (const std::string_view key : {"tool_uses", "calls", "invocations"}) {
    dom::array calls;
    if (arguments[key].get(calls)) continue;
    for (const dom::element element : calls) {
      dom::object call;
      if (!element.get(call) && inner_call_reads(call, calls_left)) return true;
    }
  }
  return false;
}

bool call_reads(std::string_view tool, dom::object arguments, int calls_left) {
  if (calls_left == 0) return false;
  const std::string name = plain_name(tool);
  if (is_one_of(name, read_tools)) return true;
  if (is_one_of(name, edit_tools)) return string_at(arguments, "command") == "view";
  for (const std::string_view key : {"command", "cmd", "commands"}) {
    dom::element command;
    if (!arguments[key].get(command) && shows_file_in(command, key == "commands")) return true;
  }
  return any_inner_call_reads(arguments, calls_left - 1);
}

}  // namespace

bool reads_file(std::string_view tool, std::string_view arguments) {
  if (is_one_of(plain_name(tool), read_tools)) return true;
  if (arguments.size() > max_read_arguments_bytes || !arguments.starts_with('{')) return false;
  thread_local dom::parser parser;
  dom::object object;
  return !parser.parse(arguments.data(), arguments.size()).get(object) &&
         call_reads(tool, object, max_calls_within);
}

}  // namespace tare::wire
