// An arm's manifest: arms/NAME/arm.json, read into a struct. The arms are data: adding one needs no
// C++. Schema: data/schemas/arm.schema.json; how to write one: docs/adding-an-arm.md.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "harness/request_body.h"

namespace tare::harness {

enum class ArmKind { direct, forwarder, compressor };

// How the harness knows that a started arm takes requests; exactly one of the first three is set.
struct Ready {
  bool stdout_line = false;         // its first line on stdout is its base URL
  std::optional<std::string> http;  // GET of this path gives a status below 500
  bool tcp = false;                 // a connection is accepted
  int within_s = 30;
};

// Rough figures, to say before anything is installed or run what it will take.
struct Cost {
  double install_minutes = 0;
  double disk_mb = 0;
  double memory_mb = 10;
  double start_s = 1;
  double request_ms = 1;
};

// How a model gets back what the arm took out: by a marker in the forwarded text, whose key is put
// into a path of the arm (a GET), or into a command's arguments, which prints it.
struct Retrieve {
  std::string marker;                // regular expression with one group, the key
  std::string get;                   // "/retrieve/{key}"; empty: see command
  std::vector<std::string> command;  // {"{install}/x", "get", "{key}"}; empty: see get
};

// argv and environment values may hold {port} {upstream} {upstream_address} {upstream_host}
// {upstream_port} {state} {install} {config} {bin}: see resolve().
struct Manifest {
  std::filesystem::path folder;  // where arm.json stands
  std::string name;
  std::string title;
  ArmKind kind = ArmKind::forwarder;
  std::optional<std::string> homepage;
  std::string licence;
  std::optional<std::string> install;              // script in `folder`
  std::optional<std::string> installed_with;       // another arm, whose installer serves both
  bool expensive = false;                          // installed only when asked for by its name
  std::vector<std::string> command;                // empty for kind direct
  std::map<std::string, std::string> environment;  // "env": the whole environment besides PATH
  std::optional<std::string> config_template;  // file in `folder`, filled in and given as {config}
  Ready ready;
  std::string base_url;  // "http://127.0.0.1:{port}"; direct: "{upstream}"
  std::map<std::string, std::optional<std::string>> routes;  // responses, chat, messages -> path
  std::string through =
      "reverse";             // or "forward": a forward proxy, asked with absolute-form targets
  std::string private_host;  // forward: the name it is given for the upstream
  std::map<std::string, std::string> forced_environment;  // telemetry off and the like
  bool streams = true;                                    // passes a streamed reply on as it comes
  bool rewrites_replies = false;  // a reply counts as the upstream's when it holds its id
  bool caches = false;
  bool claims_lossless = true;
  std::vector<std::string>
      decoder;  // argv: forwarded body on stdin -> body with the original outputs
  std::optional<Retrieve> retrieve;
  Cost cost;
  std::vector<std::string> notes;
};

// Errors: every fault of the manifest, a line each, with its JSON pointer.
Result<Manifest> read_manifest(const std::filesystem::path& arm_folder);

// The sorted names of the subfolders that hold an arm.json. Errors: io.
Result<std::vector<std::string>> arm_names(const std::filesystem::path& arms_folder);

// The manifest of one arm. Errors: usage when there is none of this name (with the names there
// are), invalid as above.
Result<Manifest> find_manifest(const std::filesystem::path& arms_folder, std::string_view name);

// "" when the text can be the name of an arm or a plan, else what is expected of one.
std::string fault_of_name(const std::string& name);

// Its path for an API; nothing where it has none.
std::optional<std::string> path_of(const Manifest& manifest, Route route);

// What the placeholders stand for in one start.
struct Placeholders {
  int port = 0;
  std::string upstream;           // "http://127.0.0.1:PORT"; {upstream_address}: without "http://",
                                  // {upstream_host} and {upstream_port}: the parts of that
  std::filesystem::path state;    // the start's own, or the arm's where the plan keeps state
  std::filesystem::path install;  // where its installer put it
  std::filesystem::path config;   // the filled-in template
  std::filesystem::path bin;      // the programs built from this tree
};
// Replaces {name} by its value; other braces stay as they are.
std::string resolve(std::string_view text, const Placeholders& values);

// Puts the key of a marker in the place of {key}.
std::string with_key(std::string_view text, std::string_view key);

// "" for the name of a host that a forward proxy takes for one of the outside world: it holds a dot
// and is no address. Else what is expected.
std::string fault_of_private_host(const std::string& name);

}  // namespace tare::harness
