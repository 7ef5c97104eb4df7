#include "harness/installation.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "common/files.h"
#include "common/hash.h"
#include "tests/support/temporary_folder.h"

using namespace tare;
using namespace tare::harness;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

// A cache folder and an arm of its own, both removed at the end.
class Installation {
 public:
  explicit Installation(const std::string& script = {}) {
    ::setenv("TARE_CACHE", (root_ / "cache").c_str(), 1);
    manifest_.folder = root_ / "x";
    manifest_.name = "x";
    manifest_.command = {"{bin}/x"};
    REQUIRE(make_directories(manifest_.folder));
    if (script.empty()) return;
    manifest_.install = "install.sh";
    REQUIRE(write_file(manifest_.folder / "install.sh", "#!/bin/sh\n" + script));
    fs::permissions(manifest_.folder / "install.sh", fs::perms::owner_all);
  }
  ~Installation() { ::unsetenv("TARE_CACHE"); }
  Manifest& manifest() { return manifest_; }
  fs::path bin() const { return root_ / "bin"; }

 private:
  test::TemporaryFolder root_;
  Manifest manifest_;
};

}  // namespace

TEST_CASE("the cache folder is TARE_CACHE, else XDG_CACHE_HOME/tare, else ~/.cache/tare") {
  const auto keep = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value != nullptr ? value : "");
  };
  const auto home = keep("HOME");
  const auto xdg = keep("XDG_CACHE_HOME");
  ::setenv("HOME", "/h", 1);
  ::setenv("XDG_CACHE_HOME", "/x", 1);
  ::setenv("TARE_CACHE", "here", 1);
  CHECK(cache_folder() == fs::current_path() / "here");
  ::unsetenv("TARE_CACHE");
  CHECK(cache_folder() == "/x/tare");
  ::unsetenv("XDG_CACHE_HOME");
  CHECK(cache_folder() == "/h/.cache/tare");
  ::setenv("HOME", home.c_str(), 1);
  if (!xdg.empty()) ::setenv("XDG_CACHE_HOME", xdg.c_str(), 1);
}

TEST_CASE("what an installer prints last is the arm's identity, kept until it is removed") {
  Installation x(R"sh(
echo chatter
echo more >&2
cp install.sh "$1/installed"
echo '{"version": "2", "degraded": ["without weights"]}'
)sh");
  const auto before = installed(x.manifest(), x.bin());
  REQUIRE_FALSE(before);
  CHECK(before.error().text() == "x: not installed (type: tare arms install x)");
  CHECK(before.error().exit_code() == 3);

  const auto identity = install(x.manifest(), x.bin());
  REQUIRE(identity);
  CHECK(identity->json == R"({"version": "2", "degraded": ["without weights"]})");
  CHECK(identity->degraded == std::vector<std::string>{"without weights"});
  CHECK(fs::exists(install_folder(x.manifest()) / "installed"));
  const auto after = installed(x.manifest(), x.bin());
  REQUIRE(after);
  CHECK(after->json == identity->json);
  CHECK(install(x.manifest(), x.bin()));

  CHECK(harness::remove(x.manifest()) == true);
  CHECK_FALSE(installed(x.manifest(), x.bin()));
  CHECK(harness::remove(x.manifest()) == false);
}

TEST_CASE("what changes beside an installer after the installation is told") {
  Installation x("echo '{}'\n");
  const auto folder = x.manifest().folder;
  x.manifest().config_template = "x.conf.in";
  REQUIRE(make_directories(folder / "part"));
  REQUIRE(write_file(folder / "part" / "a", "1"));
  CHECK_FALSE(change_since_install(x.manifest()));
  REQUIRE(install(x.manifest(), x.bin()));
  for (const char* read_anew : {"arm.json", "x.conf.in", ".a.swp"}) {
    REQUIRE(write_file(folder / read_anew, "new"));
  }
  CHECK_FALSE(change_since_install(x.manifest()));
  REQUIRE(write_file(folder / "part" / "a", "2"));
  CHECK(change_since_install(x.manifest()) ==
        "arms/x changed since it was installed; type: tare arms install x");
  REQUIRE(install(x.manifest(), x.bin()));
  CHECK_FALSE(change_since_install(x.manifest()));
  fs::rename(folder / "part" / "a", folder / "part" / "b");
  CHECK(change_since_install(x.manifest()));
}

TEST_CASE("an installer that fails leaves the arm not installed, and its last words are told") {
  Installation x(
      "echo starting >&2\ntest -e fine && echo '{}' && exit 0\necho no room >&2\nexit 5\n");
  REQUIRE(write_file(x.manifest().folder / "fine", ""));
  REQUIRE(install(x.manifest(), x.bin()));
  fs::remove(x.manifest().folder / "fine");
  const auto identity = install(x.manifest(), x.bin());
  REQUIRE_FALSE(identity);
  CHECK(identity.error().exit_code() == 1);
  CHECK_THAT(identity.error().text(),
             Contains("x: ") && Contains("exit code 5: no room") && Contains("install.log"));
  CHECK_FALSE(installed(x.manifest(), x.bin()));
}

TEST_CASE("an installer's exit code 3 says that a needed thing is missing") {
  Installation x("echo 'y is not here; type: get y' >&2\nexit 3\n");
  const auto identity = install(x.manifest(), x.bin());
  REQUIRE_FALSE(identity);
  CHECK(identity.error().exit_code() == 3);
  CHECK_THAT(identity.error().text(), Contains("y is not here; type: get y"));
}

TEST_CASE("an installer must print its identity") {
  const auto script =
      GENERATE("true\n", "echo done\n", "echo '[]'\n", "echo '{\"degraded\": 1}'\n");
  Installation x(script);
  const auto identity = install(x.manifest(), x.bin());
  REQUIRE_FALSE(identity);
  CHECK(identity.error().code == Error::Code::invalid);
  CHECK_THAT(identity.error().text(), Contains("x: install.sh"));
}

TEST_CASE("an arm without an installer is its program: looked up, hashed, or missing") {
  Installation x;
  const auto before = installed(x.manifest(), x.bin());
  REQUIRE_FALSE(before);
  CHECK(before.error().exit_code() == 3);
  CHECK_THAT(before.error().text(), Contains("no such program"));
  REQUIRE(make_directories(x.bin()));
  REQUIRE(write_file(x.bin() / "x", "program"));
  CHECK_FALSE(installed(x.manifest(), x.bin()));  // not a program while nobody may execute it
  std::filesystem::permissions(x.bin() / "x", std::filesystem::perms::owner_all);
  const auto identity = installed(x.manifest(), x.bin());
  REQUIRE(identity);
  CHECK_THAT(identity->json, Contains("\"files\":{\"x\":\"" + sha256_hex("program") + "\"}") &&
                                 Contains("\"version\""));
  x.manifest().command = {"sh", "-c", "true"};
  const auto found = installed(x.manifest(), x.bin());
  REQUIRE(found);
  CHECK_THAT(found->json, Contains("\"sh\"") && !Contains("version"));
}

TEST_CASE("an arm that is installed with another has that one's folder, identity and installer") {
  Installation installation("echo called >> \"$1/calls\"; echo '{\"version\": \"1\"}'\n");
  Manifest shared;
  shared.name = "shared";
  shared.folder = installation.manifest().folder.parent_path() / "shared";
  shared.installed_with = "x";
  REQUIRE(write_file(installation.manifest().folder / "arm.json", R"({
    "name": "x", "title": "x", "kind": "forwarder", "licence": "MIT", "install": "install.sh",
    "command": ["x"], "ready": {"tcp": true}, "base_url": "http://127.0.0.1:{port}",
    "routes": {"responses": "/r"}, "claims": {"lossless": true}})"));
  CHECK_FALSE(installed(shared, installation.bin()));
  const auto identity = install(shared, installation.bin());
  REQUIRE(identity);
  CHECK(identity->json == R"({"version": "1"})");
  CHECK(installed(shared, installation.bin())->json == identity->json);
  CHECK(installed(installation.manifest(), installation.bin()));
  CHECK(install_folder(shared) == install_folder(installation.manifest()));
  CHECK_FALSE(remove(shared).value());
  CHECK(fs::exists(install_folder(shared) / "calls"));
  shared.installed_with = "nothing";
  CHECK_THAT(install(shared, installation.bin()).error().message, Contains("unknown arm"));
}
