// Every file of a run folder, damaged in every way: what reads it must say so, or say the same as
// before; and must end.
#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analysis/compared_runs.h"
#include "analysis/raw_reader.h"
#include "analysis/reporter.h"
#include "analysis/results.h"
#include "analysis/run_sums.h"
#include "analysis/verify.h"
#include "common/files.h"
#include "common/hash.h"
#include "common/zstd_stream.h"
#include "tests/support/run_folder.h"
#include "tests/support/sliced_run.h"
#include "tests/support/temporary_folder.h"

using Catch::Matchers::Contains;
using namespace tare::analysis;
using tare::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

constexpr const char* refused = "refused: ";

// What a reader of the folder gets to read: by format, and of compare and verify.
std::map<std::string, std::string> all_said(const fs::path& folder) {
  std::map<std::string, std::string> said;
  const auto run = read_run(folder);
  if (!run) return {{"all", refused + run.error().message}};
  const auto results = make_results(*run);
  for (const auto* reporter : reporters()) {
    said[std::string(reporter->name())] = reporter->write(results, nullptr);
  }
  const auto compared = compare_runs(*run, *run, "tare");
  said["compare"] = compared ? compared_markdown(*compared) : refused + compared.error().message;
  const auto verified = verify_decoders(folder);
  std::string& text = said["verify"];
  if (!verified) {
    text = refused + verified.error().message;
    return said;
  }
  text = std::to_string(verified->given_back) + " of " + std::to_string(verified->bodies);
  for (const auto& warning : verified->left_out) text += "\n" + warning;
  for (const auto& warning : verified->written_anew) text += "\n" + warning;
  return said;
}

std::string with_flipped_byte(std::string bytes, double share) {
  if (!bytes.empty()) bytes[static_cast<std::size_t>(share * double(bytes.size() - 1))] ^= 1;
  return bytes;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n') + 1);
}

std::string with_crlf(const std::string& text) {
  std::string changed;
  for (const char c : text) changed += c == '\n' ? std::string("\r\n") : std::string(1, c);
  return changed;
}

// Changes the lines of a file, in a zstd frame or not.
void edit(const fs::path& file, const std::function<std::string(std::string)>& change) {
  const bool packed = file.extension() == ".zst";
  const auto text =
      packed ? tare::zstd_read_file(file).value().bytes : tare::read_file(file).value();
  const auto changed = change(text);
  REQUIRE(tare::write_file(file, packed ? tare::zstd_compress(changed) : changed).has_value());
}

void edit_bytes(const fs::path& file, const std::function<std::string(std::string)>& change) {
  REQUIRE(tare::write_file(file, change(tare::read_file(file).value())).has_value());
}

using Damage = std::pair<std::string, std::function<void(const fs::path&)>>;

const std::vector<Damage> damages{
    {"removed", [](const fs::path& file) { fs::remove(file); }},
    {"emptied", [](const fs::path& file) { edit_bytes(file, [](auto) { return ""; }); }},
    {"cut in half",
     [](const fs::path& file) {
       edit_bytes(file, [](const auto& bytes) { return bytes.substr(0, bytes.size() / 2); });
     }},
    {"its first byte flipped",
     [](const fs::path& file) {
       edit_bytes(file, [](const auto& bytes) { return with_flipped_byte(bytes, 0); });
     }},
    {"a byte in the middle flipped",
     [](const fs::path& file) {
       edit_bytes(file, [](const auto& bytes) { return with_flipped_byte(bytes, 0.5); });
     }},
    {"a byte of its rows flipped",
     [](const fs::path& file) {
       edit(file, [](const auto& text) { return with_flipped_byte(text, 0.7); });
     }},
    {"its last row lost",
     [](const fs::path& file) {
       edit(file, [](const auto& text) {
         return text.size() < 2 ? std::string()
                                : text.substr(0, text.rfind('\n', text.size() - 2) + 1);
       });
     }},
    {"a row doubled",
     [](const fs::path& file) {
       edit(file, [](const auto& text) { return text + first_line(text); });
     }},
    {"all rows doubled",
     [](const fs::path& file) { edit(file, [](const auto& text) { return text + text; }); }},
    {"with CRLF", [](const fs::path& file) { edit(file, with_crlf); }},
    {"garbage throughout",
     [](const fs::path& file) {
       edit(file, [](auto) {
         std::string text;
         for (int i = 0; i < 1000; ++i) text += "garbage\n";
         return text;
       });
     }},
    {"a folder",
     [](const fs::path& file) {
       fs::remove(file);
       fs::create_directory(file);
     }},
    {"a link to nothing",
     [](const fs::path& file) {
       fs::remove(file);
       fs::create_symlink("nowhere", file);
     }},
};

// What was said is the same as before, or names the file.
void check_said(const std::map<std::string, std::string>& before,
                const std::map<std::string, std::string>& after, const std::string& name) {
  if (after.contains("all")) {
    CHECK_THAT(after.at("all"), Contains(name));
    return;
  }
  for (const auto& [format, text] : before) {
    INFO("said by " << format);
    const std::string& now = after.at(format);
    CHECK((now == text || now.find(name) != std::string::npos));
    CHECK(now.size() < 2 * text.size() + 20'000);
  }
}

void check_folder(const fs::path& whole, bool summed) {
  REQUIRE(verify_decoders(whole).has_value());
  if (summed) REQUIRE(write_run_sums(whole).has_value());
  TemporaryFolder other;
  const auto damaged = other / "run";
  fs::copy(whole, damaged, fs::copy_options::recursive);
  const auto before = all_said(damaged);
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(whole)) {
    if (entry.is_regular_file()) names.push_back(entry.path().filename());
  }
  REQUIRE(names.size() >= 8);
  for (const auto& name : names) {
    for (const auto& [how, damage] : damages) {
      INFO(name << " " << how);
      fs::remove_all(damaged);
      fs::copy(whole, damaged, fs::copy_options::recursive);
      damage(damaged / name);
      const auto after = all_said(damaged);
      // Without sums a run is as good as it looks.
      if (summed && name != "SHA256SUMS") check_said(before, after, name);
    }
  }
}

}  // namespace

TEST_CASE("no damage of a run folder's files is silent, whatever reads them") {
  tare::test::RunFolder folder;
  folder.events.push_back({{"time_ns", 1},
                           {"at", "2026-11-30T00:00:00Z"},
                           {"kind", "warning"},
                           {"arm", "tare"},
                           {"round", 1},
                           {"message", "a word"}});
  folder.write();
  check_folder(folder.path(), true);
}

TEST_CASE("no damage of a sliced run's files is silent") {
  TemporaryFolder other;
  tare::test::SlicedRun run;
  run.rounds = 2;
  run.isolated_rounds = 1;
  run.slice_groups = 2;
  run.isolated_requests = 2;
  run.bodies = 2;
  run.write(other / "whole");
  check_folder(other / "whole", true);
}

TEST_CASE("a folder without sums is read or refused, whatever is damaged") {
  tare::test::RunFolder folder;
  folder.write();
  check_folder(folder.path(), false);
}

TEST_CASE("rows of other bodies, rows that are missing and rows that stand twice are counted") {
  tare::test::RunFolder folder;
  folder.write();
  REQUIRE(verify_decoders(folder.path()).has_value());
  const auto warnings = [&] { return make_results(*read_run(folder.path())).warnings; };
  REQUIRE(warnings().empty());
  const auto name = GENERATE(as<std::string>(), "fidelity.jsonl", "scores.jsonl");
  edit(folder.path() / name, [](std::string text) {
    const auto at = text.find("\"sent_sha256\":\"") + 15;
    text[at] = text[at] == '0' ? '1' : '0';
    return text;
  });
  const auto one = warnings();
  REQUIRE(one.size() == 2);
  CHECK_THAT(one[0], Contains(name + ": rows of bodies that no request names: 1 of "));
  CHECK_THAT(one[1], Contains(name + ": forwarded bodies without a row: 1 of "));
  edit(folder.path() / name, [](const std::string& text) { return text + first_line(text); });
  CHECK_THAT(warnings().at(0), Contains("the same as an earlier line: left out"));
}

TEST_CASE("more faulty rows than are named are counted") {
  tare::test::RunFolder folder;
  folder.write();
  std::string garbage;
  for (int i = 0; i < 120; ++i) garbage += "garbage " + std::to_string(i) + "\n";
  edit(folder.path() / "events.jsonl", [&](auto) { return garbage; });
  const auto run = read_run(folder.path());
  REQUIRE(run->warnings.size() == 11);
  CHECK(run->warnings.back() == "events.jsonl: 120 rows left out in all: the first 10 are named");
}

TEST_CASE("a run without bodies is not verified: what was found of them would be lost") {
  tare::test::RunFolder folder;
  folder.write();
  REQUIRE(verify_decoders(folder.path()).has_value());
  const auto scores = tare::read_file(folder.path() / "scores.jsonl").value();
  fs::remove_all(folder.path() / "bodies");
  const auto verified = verify_decoders(folder.path());
  REQUIRE_FALSE(verified.has_value());
  CHECK_THAT(verified.error().message, Contains("bodies/ is not there"));
  CHECK(tare::read_file(folder.path() / "scores.jsonl").value() == scores);
}
