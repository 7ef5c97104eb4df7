// A home of tare run's with arms and a plan of its own, for tests that run it as a user does.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/subprocess.h"
#include "tests/support/temporary_folder.h"

namespace tare::test {

// With a place for a run. Its path stands in the environment or the command line of everything
// that runs for it.
class Home {
 public:
  Home() {
    std::filesystem::create_directories(plans());
    write_arm("direct", R"({
      "name": "direct", "title": "direct", "kind": "direct", "licence": "none", "base_url": "{upstream}",
      "routes": {"responses": "/v1/responses"}, "claims": {"lossless": true}})");
  }

  std::filesystem::path plans() const { return folder_ / "data" / "plans"; }
  std::filesystem::path run() const { return folder_ / "run"; }
  const std::filesystem::path& path() const { return folder_.path(); }

  void write_arm(const std::string& name, const std::string& manifest) const {
    std::filesystem::create_directories(folder_ / "arms" / name);
    std::ofstream(folder_ / "arms" / name / "arm.json") << manifest;
  }

  // An arm of these words; it carries the home's path in its environment.
  void write_arm(const std::string& name, const nlohmann::json& command,
                 const nlohmann::json& ready) const {
    const nlohmann::json manifest{{"name", name},
                                  {"title", name},
                                  {"kind", "forwarder"},
                                  {"licence", "none"},
                                  {"command", command},
                                  {"env", {{"TARE_TEST_HOME", path().string()}}},
                                  {"ready", ready},
                                  {"base_url", "http://127.0.0.1:{port}"},
                                  {"routes", {{"responses", "/v1/responses"}}},
                                  {"claims", {{"lossless", true}}}};
    write_arm(name, manifest.dump());
  }

  // tare-proxy as a forwarder.
  void write_forwarder(const std::string& name, const std::string& upstream = "{upstream}") const {
    write_arm(name,
              {"{bin}/tare-proxy", "serve", "--listen", "127.0.0.1:{port}", "--upstream", upstream,
               "--forward-only"},
              {{"stdout_line", true}, {"within_s", 30}});
  }

  void write_plan(const std::vector<std::string>& arms, int requests = 3, int rounds = 1,
                  const nlohmann::json& groups = {{{"task", "logs"}, {"mode", "repeated"}},
                                                  {{"task", "json"}, {"mode", "unique"}}}) const {
    const nlohmann::json plan{{"name", "small"},  {"title", "small"},    {"protocol", "published"},
                              {"rounds", rounds}, {"arms", arms},        {"groups", groups},
                              {"warmups", 2},     {"requests", requests}};
    std::ofstream(plans() / "small.json") << plan.dump();
  }

  std::vector<std::string> command(std::vector<std::string> words) const {
    std::vector<std::string> argv{TARE_BIN_DIR "/tare", "--home", path().string(), "run"};
    argv.insert(argv.end(), words.begin(), words.end());
    if (std::ranges::find(words, "--out") == words.end() &&
        std::ranges::find(words, "--resume") == words.end()) {
      argv.insert(argv.end(), {"--out", run().string()});
    }
    return argv;
  }

  Output tare_run(std::vector<std::string> words = {"small"}) const {
    SubprocessOptions options;
    options.argv = command(std::move(words));
    options.working_directory = path();
    auto output = run_to_end(options, "", std::chrono::seconds(300));
    REQUIRE(output);
    INFO(output->err);
    return *output;
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace tare::test
