#include "common/zstd_stream.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace tare {
namespace {

// Lines that do not shrink to nothing, so that frames have blocks to damage.
std::string lines(int count, unsigned seed = 1) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    seed = seed * 1'664'525u + 1'013'904'223u;
    text += "{\"row\":" + std::to_string(i) + ",\"value\":" + std::to_string(seed) + "}\n";
  }
  return text;
}

void append_frame(const std::filesystem::path& path, std::string_view bytes) {
  auto appender = ZstdAppender::open(path);
  REQUIRE(appender);
  REQUIRE(appender->write(bytes));
  REQUIRE(appender->end_frame());
}

}  // namespace

TEST_CASE("frames written one after the other, by several appenders too, read as one text") {
  const test::TemporaryFolder folder;
  const auto path = folder / "rows.zst";
  auto appender = ZstdAppender::open(path);
  REQUIRE(appender);
  REQUIRE(appender->write("a\n"));
  REQUIRE(appender->write("b\n"));
  REQUIRE(appender->end_frame());
  REQUIRE(appender->write(lines(20'000)));
  REQUIRE(appender->end_frame());
  append_frame(path, "last\n");
  const auto content = zstd_read_file(path).value();
  CHECK(content.damage.empty());
  CHECK(content.bytes == "a\nb\n" + lines(20'000) + "last\n");
}

TEST_CASE("what was written before the last end of a frame is on disk while the appender lives") {
  const test::TemporaryFolder folder;
  auto appender = ZstdAppender::open(folder / "f");
  REQUIRE(appender);
  REQUIRE(appender->write("whole\n"));
  REQUIRE(appender->end_frame());
  REQUIRE(appender->write("not yet\n"));
  CHECK(zstd_read_file(folder / "f").value().bytes == "whole\n");
}

TEST_CASE("an end without anything written adds nothing") {
  const test::TemporaryFolder folder;
  auto appender = ZstdAppender::open(folder / "f");
  REQUIRE(appender);
  REQUIRE(appender->end_frame());
  CHECK(std::filesystem::file_size(folder / "f") == 0);
  const auto content = zstd_read_file(folder / "f").value();
  CHECK(content.bytes.empty());
  CHECK(content.damage.empty());
}

TEST_CASE("a file cut anywhere gives its whole frames and says that it is cut") {
  const test::TemporaryFolder folder;
  const auto path = folder / "rows.zst";
  append_frame(path, lines(50));
  const auto first = std::filesystem::file_size(path);
  append_frame(path, lines(400, 7));
  const auto whole = read_file(path).value();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    REQUIRE(write_file(folder / "cut", std::string_view(whole).substr(0, length)));
    const auto content = zstd_read_file(folder / "cut").value();
    REQUIRE(content.bytes == (length < first ? "" : lines(50)));
    const bool between_frames = length == 0 || length == first;
    REQUIRE(content.damage.empty() == between_frames);
  }
}

TEST_CASE("a damaged frame gives what is whole before it and says where") {
  const test::TemporaryFolder folder;
  const auto path = folder / "rows.zst";
  append_frame(path, lines(50));
  const auto first = std::filesystem::file_size(path);
  append_frame(path, lines(400, 7));
  auto bytes = read_file(path).value();
  bytes[first] = 'x';
  REQUIRE(write_file(path, bytes));
  const auto content = zstd_read_file(path).value();
  CHECK(content.bytes == lines(50));
  CHECK_THAT(content.damage, Catch::Contains("rows.zst: damaged or cut at byte"));
}

TEST_CASE("a damaged byte within a frame is found by its checksum") {
  const test::TemporaryFolder folder;
  append_frame(folder / "f", lines(400));
  const auto whole = read_file(folder / "f").value();
  for (std::size_t at = 0; at < whole.size(); at += 13) {
    auto bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    REQUIRE(write_file(folder / "damaged", bytes));
    const auto content = zstd_read_file(folder / "damaged").value();
    // Some header bits mean nothing; then the text is whole.
    REQUIRE((content.bytes == lines(400) || content.bytes.empty()));
    REQUIRE(content.damage.empty() == !content.bytes.empty());
  }
}

TEST_CASE("frames are given one by one, and those after a damaged one too") {
  const test::TemporaryFolder folder;
  const auto path = folder / "f";
  std::vector<std::size_t> ends;
  for (unsigned seed = 1; seed <= 3; ++seed) {
    append_frame(path, lines(100, seed));
    ends.push_back(std::filesystem::file_size(path));
  }
  const auto frames = [&] {
    std::vector<std::string> all;
    const auto damages =
        zstd_read_frames(path, [&](std::string_view frame) { all.emplace_back(frame); });
    return std::pair(all, damages.value());
  };
  CHECK(frames().first == std::vector{lines(100, 1), lines(100, 2), lines(100, 3)});
  CHECK(frames().second.empty());
  auto bytes = read_file(path).value();
  const std::size_t middle = (ends[0] + ends[1]) / 2;
  bytes[middle] = static_cast<char>(bytes[middle] ^ 0x10);
  REQUIRE(write_file(path, bytes));
  const auto [left, damages] = frames();
  CHECK(left == std::vector{lines(100, 1), lines(100, 3)});
  REQUIRE(damages.size() == 1);
  CHECK(damages[0].begin == ends[0]);
  CHECK(damages[0].end == ends[1]);
  REQUIRE(write_file(path, std::string_view(bytes).substr(0, ends[0] + 10)));
  CHECK(frames().first == std::vector{lines(100, 1)});
  CHECK(frames().second.at(0).begin == ends[0]);
  CHECK_FALSE(zstd_read_frames(folder / "none", [](std::string_view) {}).has_value());
}

TEST_CASE("whole buffers come back, at any level") {
  const test::TemporaryFolder folder;
  for (const int level : {1, 3, 19}) {
    REQUIRE(write_file(folder / "f", zstd_compress(lines(5'000), level)));
    CHECK(zstd_read_file(folder / "f").value().bytes == lines(5'000));
  }
  REQUIRE(write_file(folder / "f", zstd_compress("")));
  CHECK(zstd_read_file(folder / "f").value().damage.empty());
}

TEST_CASE("a full disk is an error that names the file, at the end of the frame at the latest") {
  if (!std::filesystem::exists("/dev/full")) return;
  auto appender = ZstdAppender::open("/dev/full");
  REQUIRE(appender);
  REQUIRE(appender->write("row\n"));
  const auto ended = appender->end_frame();
  REQUIRE_FALSE(ended);
  CHECK_THAT(ended.error().message, Catch::StartsWith("/dev/full: cannot write: No space left"));
}

TEST_CASE("a file that cannot be opened is an error that names it") {
  const test::TemporaryFolder folder;
  CHECK_THAT(ZstdAppender::open(folder / "no/f").error().message, Catch::Contains("no/f"));
  CHECK_THAT(zstd_read_file(folder / "none").error().message, Catch::Contains("none"));
}

}  // namespace tare
