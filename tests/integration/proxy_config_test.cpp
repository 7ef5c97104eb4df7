// Options from the command line, the environment and a file; the installed tree.
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "common/files.h"
#include "common/subprocess.h"
#include "tests/support/temporary_folder.h"

using namespace std::chrono_literals;
using namespace std::string_literals;
using namespace tare;
using namespace tare::test;
using Catch::Matchers::Contains;

namespace {

// What `serve` says with this environment and this file. It never gets as far as serving: the
// listener's address is wrong.
std::string said(std::vector<std::string> environment, const std::string& file,
                 const std::vector<std::string>& arguments = {}) {
  const TemporaryFolder folder;
  REQUIRE(write_file(folder / "proxy.conf", file));
  SubprocessOptions options;
  options.argv = {TARE_BIN_DIR "/tare-proxy", "serve", "--config", folder / "proxy.conf"};
  options.argv.insert(options.argv.end(), arguments.begin(), arguments.end());
  environment.push_back("PATH=/usr/bin:/bin");
  options.environment = std::move(environment);
  const auto output = run_to_end(options, {}, 60s);
  REQUIRE(output);
  CHECK(output->status.code == 2);
  return output->err;
}

}  // namespace

TEST_CASE("options come from the command line, else the environment, else the file") {
  const std::string file =
      "# a comment\nupstream = \"http://127.0.0.1:1\"\nlisten = \"from-file\"\n";
  CHECK_THAT(said({}, file), Contains("from-file"));
  CHECK_THAT(said({"TARE_LISTEN=from-environment"}, file), Contains("from-environment"));
  CHECK_THAT(said({"TARE_LISTEN=from-environment"}, file, {"--listen", "from-arguments"}),
             Contains("from-arguments"));
}

TEST_CASE("lists and switches can stand in the file and in the environment") {
  const std::string file =
      "upstream = \"http://127.0.0.1:1\"\nforward-only = true\nthreads = 2\n"
      "route = [\"/a=http://b\", \"/c=ftp://wrong\"]\nlisten = \"127.0.0.1:0\"\n";
  CHECK_THAT(said({}, file), Contains("--route"));
  CHECK_THAT(said({"TARE_ROUTE=/a=http://b,wrong", "TARE_FORWARD_ONLY=1"},
                  "upstream = \"http://127.0.0.1:1\"\n"),
             Contains("--route"));
}

TEST_CASE("what is wrong in the file or the environment is a usage error that names it") {
  CHECK_THAT(said({}, "upstream = \"http://a\"\nno-such-option = 1\n"), Contains("no-such-option"));
  CHECK_THAT(said({"TARE_THREADS=many"}, "upstream = \"http://a\"\n"), Contains("threads"));
  CHECK_THAT(said({"TARE_TOKEN=short"}, "upstream = \"http://a\"\n"), Contains("TARE_TOKEN"));
  SubprocessOptions options;
  options.argv = {TARE_BIN_DIR "/tare-proxy", "serve", "--config", "/no/such/file"};
  const auto output = run_to_end(options, {}, 60s);
  REQUIRE(output);
  CHECK(output->status.code == 2);
  CHECK_THAT(output->err, Contains("/no/such/file"));
}

TEST_CASE("the proxy can be installed") {
  const TemporaryFolder folder;
  SubprocessOptions install;
  install.argv = {"cmake",       "--install", std::filesystem::path(TARE_BIN_DIR).parent_path(),
                  "--component", "proxy",     "--prefix",
                  folder.path()};
  const auto installed = run_to_end(install, {}, 60s);
  REQUIRE(installed);
  CAPTURE(installed->err);
  REQUIRE(installed->status.ok());
  SubprocessOptions version;
  version.argv = {folder / "bin/tare-proxy", "--version"};
  const auto output = run_to_end(version, {}, 60s);
  REQUIRE(output);
  CHECK_THAT(output->out, Contains("tare-proxy "));
  for (const auto* file :
       {"lib/systemd/system/tare-proxy.service", "lib/systemd/system/tare-proxy.socket",
        "share/doc/tare-proxy/tare-proxy.conf"}) {
    CHECK(std::filesystem::exists(folder / file));
  }
}

TEST_CASE("systemd has nothing to say against the units") {
  const TemporaryFolder folder;
  SubprocessOptions verify;
  verify.argv = {"systemd-analyze", "verify"};
  for (const auto* name : {"tare-proxy.service", "tare-proxy.socket"}) {
    auto unit = read_file(std::string(TARE_SOURCE_DIR "/packaging/") + name);
    REQUIRE(unit);
    const auto program = "/usr/bin/tare-proxy"s;
    if (const auto at = unit->find(program); at != std::string::npos) {
      unit->replace(at, program.size(), TARE_BIN_DIR "/tare-proxy");
    }
    REQUIRE(write_file(folder / name, *unit));
    verify.argv.push_back(folder / name);
  }
  const auto verified = run_to_end(verify, {}, 60s);
  if (!verified) {
    std::cout << "not checked: systemd-analyze is not here\n";
    return;
  }
  CHECK(verified->err.empty());
  CHECK(verified->status.ok());
}
