#include "harness/manifest.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "common/files.h"
#include "tests/support/json_schema.h"
#include "tests/support/temporary_folder.h"

using namespace tare;
using namespace tare::harness;
using Catch::Contains;
using tare::test::Json;

namespace {

const std::filesystem::path arms = std::filesystem::path(TARE_SOURCE_DIR) / "arms";

// A folder named x with an arm.json and the files an arm may name; removed at the end.
class ArmFolder {
 public:
  ArmFolder() {
    REQUIRE(make_directories(folder()));
    for (const char* file : {"install.sh", "x.conf.in"}) REQUIRE(write_file(folder() / file, "x"));
  }
  std::filesystem::path root() const { return root_.path(); }
  std::filesystem::path folder() const { return root_ / "x"; }
  Result<Manifest> read(const std::string& json) const {
    REQUIRE(std::ofstream(folder() / "arm.json") << json << std::flush);
    return read_manifest(folder());
  }

 private:
  test::TemporaryFolder root_;
};

// Every field of a manifest, once.
Json full() {
  return Json::parse(R"({
    "name": "x", "title": "X", "kind": "compressor", "homepage": "x.example", "licence": "MIT",
    "install": "install.sh", "command": ["{install}/x", "--port={port}", "-c", "{config}"],
    "env": {"HOME": "{state}"}, "forced_env": {"NO_TELEMETRY": "1"}, "config_template": "x.conf.in",
    "ready": {"http": "/health", "within_s": 20}, "base_url": "http://127.0.0.1:{port}",
    "routes": {"responses": "/v1/responses", "chat": null, "messages": null}, "through": "reverse",
    "streams": false, "caches": true, "claims": {"lossless": false}, "decoder": ["{bin}/x", "decode"], "rewrites_replies": true, "expensive": true,
    "retrieve": {"marker": "<<([a-z]+)>>", "get": "/retrieve/{key}"},
    "cost": {"install_minutes": 1, "disk_mb": 2, "memory_mb": 3, "start_s": 4, "request_ms": 5},
    "notes": ["a note"]
  })");
}

// A forward proxy that shares an installation, with what full() leaves out.
Json forward() {
  auto json = full();
  json.erase("install");
  json["installed_with"] = "y";
  json["through"] = "forward";
  json["private_host"] = "llm.bench.test";
  json["retrieve"] = {{"marker", "<<([a-z]+)>>"}, {"command", {"{install}/x", "get", "{key}"}}};
  return json;
}

Json direct() {
  return Json::parse(
      R"({"name": "x", "title": "X", "kind": "direct", "licence": "none", "base_url": "{upstream}",
    "routes": {"responses": "/r"}, "claims": {"lossless": true}})");
}

}  // namespace

TEST_CASE("a manifest's field that stands twice is refused") {
  const ArmFolder folder;
  auto text = full().dump();
  text.insert(1, "\"title\":\"another\",");
  const auto manifest = folder.read(text);
  REQUIRE_FALSE(manifest);
  CHECK_THAT(manifest.error().message, Contains("the field \"title\" stands twice in one object"));
}

TEST_CASE("each field of a manifest is read") {
  const ArmFolder arm;
  const auto m = arm.read(full().dump());
  REQUIRE(m);
  CHECK(m->folder == arm.folder());
  CHECK(m->name == "x");
  CHECK(m->title == "X");
  CHECK(m->kind == ArmKind::compressor);
  CHECK(m->homepage == "x.example");
  CHECK(m->licence == "MIT");
  CHECK(m->install == "install.sh");
  CHECK(m->command.size() == 4);
  CHECK(m->environment == std::map<std::string, std::string>{{"HOME", "{state}"}});
  CHECK(m->forced_environment == std::map<std::string, std::string>{{"NO_TELEMETRY", "1"}});
  CHECK(m->config_template == "x.conf.in");
  CHECK(m->ready.http == "/health");
  CHECK_FALSE(m->ready.tcp);
  CHECK_FALSE(m->ready.stdout_line);
  CHECK(m->ready.within_s == 20);
  CHECK(m->base_url == "http://127.0.0.1:{port}");
  CHECK(m->routes.at("responses") == "/v1/responses");
  CHECK(m->routes.at("chat") == std::nullopt);
  CHECK(m->through == "reverse");
  CHECK_FALSE(m->streams);
  CHECK(m->caches);
  CHECK_FALSE(m->claims_lossless);
  CHECK(m->decoder == std::vector<std::string>{"{bin}/x", "decode"});
  CHECK(m->rewrites_replies);
  CHECK(m->expensive);
  REQUIRE(m->retrieve);
  CHECK(m->retrieve->marker == "<<([a-z]+)>>");
  CHECK(with_key(m->retrieve->get, "abc") == "/retrieve/abc");
  CHECK(m->cost.install_minutes == 1);
  CHECK(m->cost.disk_mb == 2);
  CHECK(m->cost.memory_mb == 3);
  CHECK(m->cost.start_s == 4);
  CHECK(m->cost.request_ms == 5);
  CHECK(m->notes == std::vector<std::string>{"a note"});
}

TEST_CASE("every fault of a manifest is told at once, a line each, with its place") {
  const ArmFolder arm;
  auto json = full();
  json.erase("title");
  json["kind"] = "proxy";
  json["commnad"] = "x";
  json["install"] = "setup.sh";
  json["command"][1] = "--port={prot}";
  json["env"]["A B"] = "";
  json["ready"] = {{"http", "health"}, {"tcp", true}, {"within_s", 0}};
  json["routes"]["chat"] = "v1";
  json["caches"] = "yes";
  json["cost"]["disk_mb"] = -1;
  const auto m = arm.read(json.dump());
  REQUIRE_FALSE(m);
  CHECK(m.error().exit_code() == 1);
  const auto& message = m.error().message;
  const auto file = (arm.folder() / "arm.json").string() + ": ";
  for (const char* fault :
       {"/title: required, but missing",
        "/kind: expected one of \"forwarder\", \"compressor\", \"direct\", found \"proxy\"",
        "/commnad: unknown field",
        "/install: expected a file beside arm.json (there is none of this name), found "
        "\"setup.sh\"",
        "/command/1: expected only the placeholders {port} {upstream} {upstream_address} "
        "{upstream_host} {upstream_port} {state} {install} {config} {bin}, found \"--port={prot}\"",
        "/env/A B: expected letters, digits and underscores as the name of a field",
        "/env/A B: expected a text that is not empty, found \"\"",
        "/ready/http: expected a path that starts with '/', found \"health\"",
        "/ready/within_s: expected a whole number from 1 to 600, found 0",
        "/ready: expected exactly one of stdout_line, http, tcp, found 2",
        "/routes/chat: expected a path that starts with '/', found \"v1\"",
        "/caches: expected true or false, found \"yes\"",
        "/cost/disk_mb: expected a number from 0, found -1"}) {
    CHECK_THAT(message, Contains(file + fault));
  }
  CHECK(std::count(message.begin(), message.end(), '\n') + 1 == 13);
}

TEST_CASE("what fields mean together is checked") {
  const ArmFolder arm;
  SECTION("a command that needs a config has a template") {
    auto json = full();
    json.erase("config_template");
    CHECK_THAT(arm.read(json.dump()).error().message,
               Contains("/command: {config} stands in it, but there is no config_template"));
  }
  SECTION("{install} takes an installer") {
    auto json = full();
    json.erase("install");
    json["command"][0] = "{install}/x";
    CHECK_THAT(arm.read(json.dump()).error().message,
               Contains("/command: {install} stands in it, but there is no install"));
  }
  SECTION("a name is that of its folder") {
    auto json = full();
    json["name"] = "y";
    CHECK_THAT(arm.read(json.dump()).error().message, Contains("/name: expected \"x\""));
  }
  SECTION("a forward proxy is given a name for the upstream, and only such a one") {
    auto json = forward();
    const auto m = arm.read(json.dump());
    REQUIRE(m);
    CHECK(m->private_host == "llm.bench.test");
    CHECK(m->installed_with == "y");
    json.erase("private_host");
    CHECK_THAT(arm.read(json.dump()).error().message, Contains("/private_host: needed where"));
    json = full();
    json["private_host"] = "llm.bench.test";
    CHECK_THAT(arm.read(json.dump()).error().message, Contains("/private_host: needed where"));
    for (const char* wrong : {"localhost", "127.0.0.1", ".test", "a b.test"}) {
      CHECK_FALSE(fault_of_private_host(wrong).empty());
    }
  }
  SECTION("an installer of its own, or another arm's") {
    auto json = forward();
    json["install"] = "install.sh";
    CHECK_THAT(arm.read(json.dump()).error().message, Contains("/installed_with: not beside"));
  }
  SECTION("a marker has one group, and its key leads somewhere") {
    auto json = full();
    for (const char* wrong : {"<<[a-z]+>>", "((a))", "(", "a"}) {
      json["retrieve"]["marker"] = wrong;
      CHECK_THAT(arm.read(json.dump()).error().message,
                 Contains("/retrieve/marker: expected a regular expression with one group"));
    }
    json["retrieve"] = {{"marker", "(a)"}};
    CHECK_THAT(arm.read(json.dump()).error().message,
               Contains("/retrieve: expected exactly one of get, command"));
  }
  SECTION("direct starts no process") {
    auto json = direct();
    CHECK(arm.read(json.dump()));
    json["command"] = {"x"};
    CHECK_THAT(arm.read(json.dump()).error().message, Contains("/command: not for kind direct"));
  }
  SECTION("all others do") {
    auto json = direct();
    json["kind"] = "forwarder";
    CHECK_THAT(arm.read(json.dump()).error().message, Contains("/command: required, but missing"));
    CHECK_THAT(arm.read(json.dump()).error().message, Contains("/ready: required, but missing"));
  }
}

TEST_CASE("a file that is no JSON is refused with the line") {
  const ArmFolder arm;
  CHECK_THAT(arm.read("{\n  \"name\": \n}").error().message,
             Contains("arm.json: not JSON: parse error at line 3"));
  CHECK_THAT(arm.read("[]").error().message, Contains("arm.json: expected an object, found []"));
}

TEST_CASE("the schema and the reader of manifests refuse the same documents") {
  const ArmFolder arm;
  const auto schema = test::schema("arm");
  for (const auto& document : {full(), forward(), direct()}) {
    REQUIRE(test::takes(schema, document, schema));
    test::for_each_damage(document, [&](const Json& damaged, const std::string& pointer) {
      const auto m = arm.read(damaged.dump());
      CAPTURE(pointer, damaged.dump());
      if (test::takes(schema, damaged, schema)) {
        // The schema cannot know of files, of the folder's name, of {config} and {install}.
        if (!m)
          CHECK_THAT(m.error().message,
                     Contains("there is none of this name") || Contains("the name of its folder") ||
                         Contains("no config_template") || Contains("there is no install") ||
                         Contains("a regular expression with one group"));
      } else {
        REQUIRE_FALSE(m);
        CHECK_THAT(m.error().message, Contains("arm.json: " + pointer));
      }
    });
  }
}

TEST_CASE("the arms there are pass the schema and the reader") {
  const auto schema = test::schema("arm");
  const auto names = arm_names(arms);
  REQUIRE(names);
  CHECK(names->size() >= 5);
  for (const auto& name : *names) {
    CAPTURE(name);
    const auto m = read_manifest(arms / name);
    REQUIRE(m);
    CHECK(test::takes(schema, Json::parse(*read_file(m->folder / "arm.json")), schema));
    CHECK((path_of(*m, Route::responses) || path_of(*m, Route::chat)));
  }
}

TEST_CASE("an unknown arm is refused with the names there are") {
  const ArmFolder arm;
  REQUIRE(arm.read(full().dump()));
  CHECK(find_manifest(arm.root(), "x"));
  const auto unknown = find_manifest(arm.root(), "z");
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().exit_code() == 2);
  CHECK(unknown.error().text() == "unknown arm \"z\" (the arms are x)");
  CHECK_FALSE(find_manifest(arm.root() / "nowhere", "x"));
}

TEST_CASE("placeholders are replaced, other braces stay") {
  const Placeholders values{.port = 8080,
                            .upstream = "http://127.0.0.1:9",
                            .state = "/s",
                            .install = "/i",
                            .config = "/c",
                            .bin = "/b"};
  CHECK(resolve("{port} {upstream} {upstream_address} {state} {install} {config} {bin}", values) ==
        "8080 http://127.0.0.1:9 127.0.0.1:9 /s /i /c /b");
  CHECK(resolve("{upstream_host} {upstream_port}", values) == "127.0.0.1 9");
  CHECK(resolve("events { {nothing} {} {{port}} ${x} {", values) ==
        "events { {nothing} {} {8080} ${x} {");
}

TEST_CASE("docs/adding-an-arm.md has a row for every field of a manifest") {
  const auto docs = read_file(std::filesystem::path(TARE_SOURCE_DIR) / "docs/adding-an-arm.md");
  REQUIRE(docs);
  const Json properties = test::schema("arm")["properties"];
  REQUIRE_FALSE(properties.empty());
  for (const auto& [field, schema] : properties.items()) {
    CHECK_THAT(*docs, Contains("\n| `" + field + "` |"));
  }
}
