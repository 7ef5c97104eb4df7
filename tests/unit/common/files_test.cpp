#include "common/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <iterator>
#include <string>

#include "tests/support/temporary_folder.h"

namespace tare {
namespace {

std::size_t entries(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

}  // namespace

TEST_CASE("what is written is what is read, whatever bytes it holds") {
  const test::TemporaryFolder folder;
  std::string text("\0\xff\r\n", 4);
  text += std::string(200'000, 'x');
  REQUIRE(write_file(folder / "f", text));
  CHECK(read_file(folder / "f").value() == text);
  REQUIRE(write_file(folder / "f", ""));
  CHECK(read_file(folder / "f").value().empty());
}

TEST_CASE("files that say size 0 are read to their end") {
  CHECK_THAT(read_file("/proc/self/status").value(), Catch::Contains("Pid:"));
}

TEST_CASE("a written file can be read by others, and nothing is left beside it") {
  const test::TemporaryFolder folder;
  REQUIRE(write_file(folder / "f", "text"));
  struct stat facts{};
  REQUIRE(::stat((folder / "f").c_str(), &facts) == 0);
  CHECK((facts.st_mode & 0777) == 0644);
  CHECK(entries(folder.path()) == 1);
}

TEST_CASE("a file that cannot be replaced stays, and nothing is left beside it") {
  const test::TemporaryFolder folder;
  REQUIRE(make_directories(folder / "taken/by/a/folder"));
  const auto written = write_file(folder / "taken", "text");
  REQUIRE_FALSE(written);
  CHECK(written.error().code == Error::Code::io);
  CHECK_THAT(written.error().message, Catch::Contains("taken"));
  CHECK(entries(folder.path()) == 1);
}

TEST_CASE("what is no file is written to, and stays what it is") {
  const test::TemporaryFolder folder;
  const auto device = folder / "device";
  std::filesystem::create_symlink("/dev/full", device);
  const auto written = write_file(device, "text");
  REQUIRE_FALSE(written);
  CHECK_THAT(written.error().message,
             Catch::EndsWith("device: cannot write: No space left on device"));
  CHECK(std::filesystem::is_symlink(device));
  CHECK(std::filesystem::is_character_file("/dev/full"));

  const auto pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  REQUIRE(write_file(pipe, "text"));
  std::string got(10, ' ');
  CHECK(::read(reader, got.data(), got.size()) == 4);
  ::close(reader);
  CHECK(std::filesystem::is_fifo(pipe));
  CHECK(entries(folder.path()) == 2);
}

TEST_CASE("errors of files name the path") {
  const test::TemporaryFolder folder;
  const auto none = read_file(folder / "none");
  REQUIRE_FALSE(none);
  CHECK(none.error().code == Error::Code::io);
  CHECK_THAT(none.error().message, Catch::EndsWith("none: cannot open: No such file or directory"));
  const auto a_folder = read_file(folder.path());
  REQUIRE_FALSE(a_folder);
  CHECK_THAT(a_folder.error().message, Catch::Contains("cannot read: Is a directory"));
  CHECK_FALSE(write_file(folder / "no/such/folder", ""));
}

TEST_CASE("folders are made with those above, and it is no error when they are there") {
  const test::TemporaryFolder folder;
  REQUIRE(make_directories(folder / "a/b"));
  REQUIRE(make_directories(folder / "a/b"));
  CHECK(std::filesystem::is_directory(folder / "a/b"));
  REQUIRE(write_file(folder / "file", ""));
  const auto below_a_file = make_directories(folder / "file/b");
  REQUIRE_FALSE(below_a_file);
  CHECK_THAT(below_a_file.error().message, Catch::Contains("file/b"));
}

TEST_CASE("each temporary folder is a new, empty one") {
  const test::TemporaryFolder one;
  const test::TemporaryFolder other;
  CHECK(one.path() != other.path());
  CHECK(std::filesystem::is_empty(one.path()));
  CHECK_THAT(one.path().filename().string(), Catch::StartsWith("tare-test-"));
}

}  // namespace tare
