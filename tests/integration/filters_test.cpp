// The filters as a user runs them: the built tare-proxy, bytes in, bytes out.
#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "common/subprocess.h"

using namespace std::string_literals;
using namespace tare;

namespace {

Output run(std::vector<std::string> arguments, const std::string& input) {
  arguments.insert(arguments.begin(), TARE_BIN_DIR "/tare-proxy");
  SubprocessOptions options;
  options.argv = std::move(arguments);
  auto output = run_to_end(options, input, std::chrono::seconds(60));
  REQUIRE(output);
  return *output;
}

std::string filtered(std::vector<std::string> arguments, const std::string& input) {
  const auto output = run(std::move(arguments), input);
  CHECK(output.status.ok());
  CHECK(output.err.empty());
  return output.out;
}

std::string heartbeats(int lines) {
  std::string text;
  for (int i = 0; i < lines; ++i) {
    text += "2026-09-15T12:00:00Z INFO env=production heartbeat healthy worker=worker-" +
            std::to_string(i % 3) + "\n";
  }
  return text;
}

std::string json_string(const std::string& text) {
  std::string json = "\"";
  for (const char c : text) json += c == '\n' ? "\\n" : c == '"' ? "\\\"" : std::string(1, c);
  return json + "\"";
}

std::string body_of(const std::string& output) {
  return R"({"model":"m", "n":1.0,"input":[{"type":"function_call_output","output":)" +
         json_string(output) + R"(,"call_id":"c"}],"stream":true})" + "\n";
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n') + 1);
}

}  // namespace

TEST_CASE("compact makes a regular text smaller and expand gives it back") {
  const auto text = heartbeats(200);
  const auto form = filtered({"compact"}, text);
  CHECK(form.size() < text.size() / 10);
  CHECK(filtered({"expand"}, form) == text);
}

TEST_CASE("expand undoes compact for every text, whatever its bytes") {
  const auto form = filtered({"compact"}, heartbeats(50));
  for (const std::string& text :
       {""s, "\n"s, "no newline"s, "nul \0 and \xff\xfe bytes\r\n\r"s, form, form + "\n",
        form.substr(0, form.size() / 2), first_line(form),
        "[~{} compact, lossless, 2 lines]\nfalse\n"s, "\xEF\xBB\xBF" + heartbeats(50)}) {
    INFO(text);
    CHECK(filtered({"expand"}, filtered({"compact"}, text)) == text);
    CHECK(filtered({"expand"}, filtered({"compact", "--min-bytes", "0"}, text)) == text);
  }
}

TEST_CASE("compact leaves a text below --min-bytes as it is") {
  const auto text = heartbeats(20);
  CHECK(filtered({"compact", "--min-bytes", "100000"}, text) == text);
}

TEST_CASE("expand refuses a form with a fault and writes nothing") {
  const auto output = run({"expand"}, first_line(filtered({"compact"}, heartbeats(200))));
  CHECK(output.status.code == 1);
  CHECK(output.out.empty());
  CHECK(output.err.starts_with("tare-proxy: "));
  CHECK(output.err.find('\n') == output.err.size() - 1);
}

TEST_CASE("expand stops at --max-bytes") {
  const auto form = filtered({"compact"}, heartbeats(200));
  const auto output = run({"expand", "--max-bytes", "1000"}, form);
  CHECK(output.status.code == 1);
  CHECK(output.out.empty());
  CHECK_THAT(output.err, Catch::Contains("--max-bytes"));
  CHECK(run({"expand", "--body", "--max-bytes", "1000"}, body_of(form)).status.code == 1);
}

TEST_CASE("expand takes originals that are larger than most") {
  const auto output = filtered({"expand"},
                               "[~{} compact, lossless, 2000000 lines]\n~a = a row of "
                               "some words with its number at the end: {n}\n~a 1-2000000");
  CHECK(output.size() > std::size_t{80} << 20);
  CHECK(output.ends_with("end: 2000000"));
}

TEST_CASE("expand --body restores each output and keeps every other byte") {
  const auto text = heartbeats(200);
  const auto form = filtered({"compact"}, text);
  CHECK(filtered({"expand", "--body"}, body_of(form)) == body_of(text));
}

TEST_CASE("expand --body writes what the proxy does not touch as it is") {
  for (const std::string& body :
       {""s, "not json"s, body_of("short"), "{\"input\":"s, "{\"input\":\"\\ud800\"}"s}) {
    CHECK(filtered({"expand", "--body"}, body) == body);
  }
}

TEST_CASE("expand --body names the place of an output that is no good form") {
  const auto form = filtered({"compact"}, heartbeats(200));
  const auto output = run({"expand", "--body"}, body_of(first_line(form)));
  CHECK(output.status.code == 1);
  CHECK(output.out.empty());
  CHECK_THAT(output.err, Catch::Contains("output at byte "));
}

TEST_CASE("a wrong argument is a usage error") {
  CHECK(run({"compact", "--min-bytes", "many"}, "").status.code == 2);
  const auto negative = run({"compact", "--min-bytes", "-1"}, "");
  CHECK(negative.status.code == 2);
  CHECK_THAT(negative.err, Catch::Contains("--min-bytes: expected a whole number"));
  CHECK(run({"expand", "--max-bytes", "99999999999999999999"}, "").status.code == 2);
  for (const char* option : {"--connect-timeout", "--min-bytes", "--max-connections"}) {
    CHECK(run({"serve", "--upstream", "http://127.0.0.1:9", option, "nan"}, "").status.code == 2);
  }
  CHECK(run({"expand", "--nonsense"}, "").status.code == 2);
  CHECK(run({}, "").status.code == 2);
  CHECK(run({"--help"}, "").status.code == 0);
}

TEST_CASE("compact --body writes the body as the proxy forwards it, and expand --body undoes it") {
  const auto body = body_of(heartbeats(200));
  const auto sent = filtered({"compact", "--body"}, body);
  CHECK(sent.size() < body.size() / 5);
  CHECK(filtered({"expand", "--body"}, sent) == body);
  for (const std::string other : {"", "no JSON", "{\"input\":[]}", "[1]"}) {
    CHECK(filtered({"compact", "--body"}, other) == other);
  }
  CHECK(run({"compact", "--body", "--explain"}, body).status.code == 2);
}

TEST_CASE("compact --body takes every format") {
  const auto text = json_string(heartbeats(200));
  for (
      const std::string& body :
      {R"({"messages":[{"role":"tool","tool_call_id":"c","content":)" + text + "}]}",
       R"({"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":)" +
           text + "}]}]}"}) {
    const auto sent = filtered({"compact", "--body"}, body);
    CHECK(sent.size() < body.size() / 5);
    CHECK(filtered({"expand", "--body"}, sent) == body);
  }
}

TEST_CASE("without references a repeated output is compacted by itself") {
  const auto output = [](const std::string& id) {
    return R"({"type":"function_call_output","call_id":")" + id + R"(","output":)" +
           json_string(heartbeats(200)) + "}";
  };
  const auto body = R"({"input":[)" + output("c1") + "," + output("c2") + "]}";
  const auto with = filtered({"compact", "--body"}, body);
  const auto without = filtered({"compact", "--body", "--no-references"}, body);
  CHECK(with.size() < without.size());
  CHECK(with.find("c1", with.find("c2")) != std::string::npos);
  CHECK(without.find("c1", without.find("c2")) == std::string::npos);
  CHECK(filtered({"expand", "--body"}, without) == body);
}

TEST_CASE("an option of bodies is refused where there is no body") {
  for (const auto& arguments : {std::vector<std::string>{"compact", "--verbatim-tool", "a"},
                                {"compact", "--no-references"},
                                {"expand", "--target", "/v1/responses"}}) {
    const auto output = run(arguments, heartbeats(10));
    CHECK(output.status.code == 2);
    CHECK(output.err.find("--body") != std::string::npos);
    CHECK(output.out.empty());
  }
}
