#include "harness/manifest.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>
#include <span>

#include "harness/json_reader.h"

namespace tare::harness {
namespace {

constexpr std::string_view remedy = "see docs/adding-an-arm.md";
using Names = std::span<const std::string_view>;
constexpr std::array<std::string_view, 9> start_placeholders{
    "port",   "upstream", "upstream_address", "upstream_host", "upstream_port", "state", "install",
    "config", "bin"};
constexpr std::array<std::string_view, 2> decoder_placeholders{"install", "bin"};
constexpr std::array<std::string_view, 1> get_placeholders{"key"};
constexpr std::array<std::string_view, 4> retrieve_placeholders{"key", "port", "upstream",
                                                                "install"};

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || c == '_';
}

// Calls on_text with what stands between placeholders and on_name with each NAME of "{NAME}", NAME
// being lower-case letters and underscores; other braces are text.
template <typename OnText, typename OnName>
void scan_placeholders(std::string_view text, OnText on_text, OnName on_name) {
  while (!text.empty()) {
    const auto open = text.find('{');
    on_text(text.substr(0, open));
    if (open == text.npos) return;
    text.remove_prefix(open);
    const auto end = std::find_if_not(text.begin() + 1, text.end(), is_word_character);
    const auto length = static_cast<std::size_t>(end - text.begin());
    if (length > 1 && end != text.end() && *end == '}') {
      on_name(text.substr(1, length - 1));
      text.remove_prefix(length + 1);
    } else {
      on_text(text.substr(0, length));
      text.remove_prefix(length);
    }
  }
}

auto with_placeholders(Names known) {
  return text([known](const std::string& value) {
    std::string fault;
    scan_placeholders(
        value, [](std::string_view) {},
        [&](std::string_view name) {
          if (std::ranges::find(known, name) == known.end()) {
            fault = fmt::format("only the placeholders {{{}}}", fmt::join(known, "} {"));
          }
        });
    return fault;
  });
}

std::string fault_of_path(const std::string& value) {
  return value.starts_with('/') ? "" : "a path that starts with '/'";
}

std::string fault_of_variable(const std::string& name) {
  const bool fine =
      !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
      std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  return fine ? "" : "letters, digits and underscores";
}

// A file in the arm's folder, which outlives the reader.
auto file_in(const std::filesystem::path& folder) {
  return text([&folder](const std::string& name) -> std::string {
    if (name.find('/') != name.npos || name.starts_with('.'))
      return "the name of a file beside arm.json";
    std::error_code e;
    return std::filesystem::is_regular_file(folder / name, e)
               ? ""
               : "a file beside arm.json (there is none of this name)";
  });
}

Ready read_ready(const Json& value, const Place& place) {
  Ready ready;
  Fields fields(value, place);
  const auto true_only = [](const Json& found, const Place& where) {
    if (found != true) where.expected("true", found);
    return true;
  };
  const int kinds = fields.has("stdout_line") + fields.has("http") + fields.has("tcp");
  ready.stdout_line = fields.optional("stdout_line", true_only, false);
  const auto http = fields.optional("http", text(fault_of_path), {});
  if (!http.empty()) ready.http = http;
  ready.tcp = fields.optional("tcp", true_only, false);
  ready.within_s = fields.optional("within_s", integer<int>(1, 600), ready.within_s);
  fields.end();
  if (value.is_object() && kinds != 1) {
    place.fault(fmt::format("expected exactly one of stdout_line, http, tcp, found {}", kinds));
  }
  return ready;
}

Cost read_cost(const Json& value, const Place& place) {
  Cost cost;
  Fields fields(value, place);
  cost.install_minutes =
      fields.optional("install_minutes", number_from_zero(), cost.install_minutes);
  cost.disk_mb = fields.optional("disk_mb", number_from_zero(), cost.disk_mb);
  cost.memory_mb = fields.optional("memory_mb", number_from_zero(), cost.memory_mb);
  cost.start_s = fields.optional("start_s", number_from_zero(), cost.start_s);
  cost.request_ms = fields.optional("request_ms", number_from_zero(), cost.request_ms);
  fields.end();
  return cost;
}

std::map<std::string, std::optional<std::string>> read_routes(const Json& value,
                                                              const Place& place) {
  const auto path = nullable(text(fault_of_path));
  std::map<std::string, std::optional<std::string>> routes;
  Fields fields(value, place);
  routes["responses"] = fields.required("responses", path);
  routes["chat"] = fields.optional("chat", path, std::nullopt);
  routes["messages"] = fields.optional("messages", path, std::nullopt);
  fields.end();
  return routes;
}

std::string fault_of_marker(const std::string& expression) {
  constexpr const char* expected = "a regular expression with one group, the key";
  try {
    return std::regex(expression).mark_count() == 1 ? "" : expected;
  } catch (const std::regex_error&) {
    return expected;
  }
}

Retrieve read_retrieve(const Json& value, const Place& place) {
  Retrieve retrieve;
  Fields fields(value, place);
  retrieve.marker = fields.required("marker", text(fault_of_marker));
  retrieve.get = fields.optional("get", with_placeholders(get_placeholders), {});
  retrieve.command =
      fields.optional("command", list_of(with_placeholders(retrieve_placeholders), 1), {});
  fields.end();
  if (value.is_object() && fields.has("get") == fields.has("command")) {
    place.fault("expected exactly one of get, command");
  }
  return retrieve;
}

bool read_claims(const Json& value, const Place& place) {
  Fields fields(value, place);
  const bool lossless = fields.required("lossless", boolean());
  fields.end();
  return lossless;
}

// What the fields of one kind allow or need of others.
void check_kind(const Manifest& manifest, const Fields& fields, const Place& document) {
  if (manifest.kind == ArmKind::direct) {
    for (const char* key : {"install", "installed_with", "command", "env", "forced_env",
                            "config_template", "ready", "private_host", "decoder", "retrieve"}) {
      if (fields.has(key)) document.at(key).fault("not for kind direct, which starts no process");
    }
    return;
  }
  for (const char* key : {"command", "ready"}) {
    if (!fields.has(key)) document.at(key).fault("required, but missing");
  }
  if (manifest.install && manifest.installed_with) {
    document.at("installed_with").fault("not beside install");
  }
  const bool forward = manifest.through == "forward";
  if (forward != fields.has("private_host")) {
    document.at("private_host").fault("needed where through is \"forward\", and only there");
  }
  const auto uses = [&](std::string_view placeholder) {
    return std::ranges::any_of(
        manifest.command, [&](const auto& word) { return word.find(placeholder) != word.npos; });
  };
  const bool uses_config = uses("{config}");
  if (uses("{install}") && !manifest.install && !manifest.installed_with) {
    document.at("command").fault("{install} stands in it, but there is no install");
  }
  if (uses_config && !manifest.config_template) {
    document.at("command").fault("{config} stands in it, but there is no config_template");
  }
}

}  // namespace

std::string fault_of_name(const std::string& name) {
  const auto fine = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  };
  const bool starts_well = !name.empty() && name[0] != '-' && name[0] != '.';
  return starts_well && std::ranges::all_of(name, fine)
             ? ""
             : "lower-case letters, digits, '-' and '.', starting with a letter or digit";
}

std::optional<std::string> path_of(const Manifest& manifest, Route route) {
  const auto path = manifest.routes.find(std::string(name_of(route)));
  return path != manifest.routes.end() ? path->second : std::nullopt;
}

std::string fault_of_private_host(const std::string& name) {
  const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0; };
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '.'; };
  const auto dot = name.rfind('.');
  const bool fine = std::ranges::all_of(name, fits) && dot != name.npos && dot > 0 &&
                    std::ranges::any_of(name.substr(dot), is_letter);
  return fine ? "" : "the name of a host that holds a dot and is no address";
}

std::string with_key(std::string_view text, std::string_view key) {
  std::string result;
  scan_placeholders(
      text, [&](std::string_view literal) { result += literal; },
      [&](std::string_view name) {
        result += name == "key" ? std::string(key) : fmt::format("{{{}}}", name);
      });
  return result;
}

Result<Manifest> read_manifest(const std::filesystem::path& arm_folder) {
  const auto file = arm_folder / "arm.json";
  const auto document = parse_json_file(file);
  if (!document) return fail(document.error());
  Faults faults(file.string());
  const Place root{"", faults};
  Fields fields(*document, root);
  const auto argv = [](Names known, std::size_t least) {
    return list_of(with_placeholders(known), least);
  };
  const auto variables = map_of(with_placeholders(start_placeholders), fault_of_variable);

  Manifest m;
  m.folder = arm_folder;
  m.name = fields.required("name", text(fault_of_name));
  m.title = fields.required("title", text());
  m.kind = fields.required("kind", one_of<ArmKind>({{"forwarder", ArmKind::forwarder},
                                                    {"compressor", ArmKind::compressor},
                                                    {"direct", ArmKind::direct}}));
  m.homepage = fields.optional("homepage", nullable(text()), std::nullopt);
  m.licence = fields.required("licence", text());
  m.install = fields.optional("install", nullable(file_in(arm_folder)), std::nullopt);
  m.installed_with = fields.optional("installed_with", nullable(text(fault_of_name)), std::nullopt);
  m.expensive = fields.optional("expensive", boolean(), false);
  m.command = fields.optional("command", argv(start_placeholders, 1), {});
  m.environment = fields.optional("env", variables, {});
  m.config_template =
      fields.optional("config_template", nullable(file_in(arm_folder)), std::nullopt);
  m.ready = fields.optional("ready", read_ready, {});
  m.base_url = fields.required("base_url", with_placeholders(start_placeholders));
  m.routes = fields.required("routes", read_routes);
  m.through = fields.optional(
      "through", one_of<std::string>({{"reverse", "reverse"}, {"forward", "forward"}}), m.through);
  m.private_host = fields.optional("private_host", text(fault_of_private_host), {});
  m.forced_environment = fields.optional("forced_env", variables, {});
  m.streams = fields.optional("streams", boolean(), m.streams);
  m.rewrites_replies = fields.optional("rewrites_replies", boolean(), false);
  m.caches = fields.optional("caches", boolean(), m.caches);
  m.claims_lossless = fields.required("claims", read_claims);
  m.decoder = fields.optional("decoder", argv(decoder_placeholders, 1), {});
  m.retrieve = fields.optional("retrieve", nullable(read_retrieve), std::nullopt);
  m.cost = fields.optional("cost", read_cost, {});
  m.notes = fields.optional("notes", list_of(text()), {});
  fields.end();
  if (fields.has("kind")) check_kind(m, fields, root);
  const auto folder_name = std::filesystem::absolute(arm_folder).lexically_normal().filename();
  if (fields.has("name") && fault_of_name(m.name).empty() && m.name != folder_name) {
    root.at("name").fault(fmt::format("expected \"{}\", the name of its folder, found \"{}\"",
                                      folder_name.string(), m.name));
  }
  if (!faults.none()) return fail(faults.error(std::string(remedy)));
  return m;
}

Result<std::vector<std::string>> arm_names(const std::filesystem::path& arms_folder) {
  std::error_code e;
  std::vector<std::string> names;
  for (std::filesystem::directory_iterator it(arms_folder, e), end; !e && it != end;
       it.increment(e)) {
    std::error_code absent;
    if (std::filesystem::exists(it->path() / "arm.json", absent)) {
      names.push_back(it->path().filename());
    }
  }
  if (e) {
    return fail(Error::io_errno(arms_folder.string() + ": cannot list the arms", e.value(),
                                "name the folder that holds arms/ with --home"));
  }
  std::ranges::sort(names);
  return names;
}

Result<Manifest> find_manifest(const std::filesystem::path& arms_folder, std::string_view name) {
  const auto names = arm_names(arms_folder);
  if (!names) return fail(names.error());
  if (std::ranges::find(*names, name) == names->end()) {
    return fail(Error::usage(fmt::format("unknown arm \"{}\"", name),
                             fmt::format("the arms are {}", fmt::join(*names, ", "))));
  }
  return read_manifest(arms_folder / name);
}

std::string resolve(std::string_view text, const Placeholders& values) {
  const std::string_view upstream = values.upstream;
  const auto scheme_end = upstream.find("://");
  const auto address = scheme_end == upstream.npos ? upstream : upstream.substr(scheme_end + 3);
  const auto colon = std::min(address.rfind(':'), address.size());
  const std::array<std::pair<std::string_view, std::string>, 9> known{
      {{"port", std::to_string(values.port)},
       {"upstream", values.upstream},
       {"upstream_address", std::string(address)},
       {"upstream_host", std::string(address.substr(0, colon))},
       {"upstream_port", std::string(address.substr(std::min(colon + 1, address.size())))},
       {"state", values.state.string()},
       {"install", values.install.string()},
       {"config", values.config.string()},
       {"bin", values.bin.string()}}};
  std::string result;
  scan_placeholders(
      text, [&](std::string_view literal) { result += literal; },
      [&](std::string_view name) {
        const auto it =
            std::ranges::find(known, name, &std::pair<std::string_view, std::string>::first);
        result += it != known.end() ? it->second : fmt::format("{{{}}}", name);
      });
  return result;
}

}  // namespace tare::harness
