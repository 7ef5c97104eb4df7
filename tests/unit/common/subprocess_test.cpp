#include "common/subprocess.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <set>
#include <string>
#include <thread>

#include "tests/support/processes.h"
#include "tests/support/temporary_folder.h"

namespace tare {
namespace {

using namespace std::chrono_literals;
using test::goes_away;
using test::runs;

SubprocessOptions shell(std::string script) {
  SubprocessOptions options;
  options.argv = {"/bin/sh", "-c", std::move(script)};
  return options;
}

Output run(SubprocessOptions options, std::string_view input = {}) {
  auto output = run_to_end(std::move(options), input, 60s);
  REQUIRE(output);
  return *output;
}

pid_t pid_in(const std::filesystem::path& file) {
  for (int i = 0; i < 30'000; ++i) {
    const auto text = read_file(file);
    if (text && text->ends_with('\n')) return static_cast<pid_t>(std::stoi(*text));
    std::this_thread::sleep_for(2ms);
  }
  FAIL("no process wrote its id to " << file);
  return 0;
}

}  // namespace

TEST_CASE("input, output, errors and exit code of a program") {
  const auto output = run(shell("cat; echo err >&2; exit 7"), "text\n");
  CHECK(output.out == "text\n");
  CHECK(output.err == "err\n");
  CHECK(output.status.code == 7);
  CHECK_FALSE(output.status.ok());
  CHECK(output.status.text() == "exit code 7");
}

TEST_CASE("an input larger than any pipe reaches a program that answers as it reads") {
  const std::string text(1 << 20, 'x');
  CHECK(run(shell("cat"), text).out == text);
}

TEST_CASE("a program killed by a signal says by which") {
  const auto output = run(shell("kill -9 $$"));
  CHECK_FALSE(output.status.code);
  CHECK(output.status.signal == SIGKILL);
  CHECK(output.status.text() == "signal 9 (Killed)");
}

TEST_CASE("a missing program is an error that names it, with and without a path") {
  for (const char* program : {"no-such-program-of-ours", "/no/such/program"}) {
    SubprocessOptions options;
    options.argv = {program};
    const auto started = Subprocess::start(options);
    REQUIRE_FALSE(started);
    CHECK(started.error().code == Error::Code::missing);
    CHECK_THAT(started.error().message, Catch::StartsWith(program));
  }
}

TEST_CASE("an empty command is wrong usage") {
  CHECK(Subprocess::start({}).error().code == Error::Code::usage);
}

TEST_CASE("a file that cannot be executed is an error that says so") {
  const test::TemporaryFolder folder;
  REQUIRE(write_file(folder / "text", "just text\n"));
  SubprocessOptions options;
  options.argv = {(folder / "text").string()};
  const auto started = Subprocess::start(options);
  REQUIRE_FALSE(started);
  CHECK(started.error().code == Error::Code::io);
  CHECK_THAT(started.error().message, Catch::EndsWith("cannot be executed: Permission denied"));
}

TEST_CASE("a program is looked up in the PATH of the environment it is given") {
  const test::TemporaryFolder folder;
  REQUIRE(write_file(folder / "ours", "#!/bin/sh\necho found\n"));
  std::filesystem::permissions(folder / "ours", std::filesystem::perms::owner_all);
  SubprocessOptions options;
  options.argv = {"ours"};
  options.environment = {"PATH=/nowhere:" + folder.path().string()};
  CHECK(run(options).out == "found\n");
}

TEST_CASE("the environment is the one given, nothing else") {
  SubprocessOptions options;
  options.argv = {"/usr/bin/env"};
  options.environment = {"A=1", "B=two words"};
  CHECK(run(options).out == "A=1\nB=two words\n");
}

TEST_CASE("each file that cannot be opened, and the working folder, is an error that says which") {
  const test::TemporaryFolder folder;
  const auto none = folder / "no/file";
  auto message_of = [](const SubprocessOptions& options) {
    const auto started = Subprocess::start(options);
    REQUIRE_FALSE(started);
    CHECK(started.error().code == Error::Code::io);
    return started.error().message;
  };
  auto options = shell("true");
  options.stdin_file = none;
  CHECK_THAT(message_of(options), Catch::Contains("input file"));
  options = shell("true");
  options.stdout_file = none;
  CHECK_THAT(message_of(options), Catch::Contains("file for its output"));
  options = shell("true");
  options.stderr_file = none;
  CHECK_THAT(message_of(options), Catch::Contains("file for its errors"));
  options = shell("true");
  options.working_directory = none;
  CHECK_THAT(message_of(options), Catch::Contains("working folder"));
  options = shell("true");
  options.enter_cgroups = {none};
  CHECK_THAT(message_of(options), Catch::Contains("cannot enter its cgroup"));
}

TEST_CASE("output and errors can share a file, in order") {
  const test::TemporaryFolder folder;
  auto options = shell("echo 1; echo 2 >&2; echo 3");
  options.stdout_file = options.stderr_file = folder / "both";
  auto process = Subprocess::start(options);
  REQUIRE(process);
  CHECK(process->wait(60s)->ok());
  CHECK(read_file(folder / "both").value() == "1\n2\n3\n");
}

TEST_CASE("a descriptor can stand for stdin and for stdout") {
  std::array<int, 2> to_child{};
  std::array<int, 2> from_child{};
  REQUIRE(::pipe2(to_child.data(), O_CLOEXEC) == 0);
  REQUIRE(::pipe2(from_child.data(), O_CLOEXEC) == 0);
  auto options = shell("read line; echo got $line");
  options.stdin_fd = to_child[0];
  options.stdout_fd = from_child[1];
  auto process = Subprocess::start(options);
  REQUIRE(process);
  REQUIRE(::write(to_child[1], "word\n", 5) == 5);
  CHECK(process->wait(60s)->ok());
  std::array<char, 64> text{};
  CHECK(::read(from_child[0], text.data(), text.size()) == 9);
  CHECK(std::string(text.data()) == "got word\n");
  for (const int fd : {to_child[0], to_child[1], from_child[0], from_child[1]}) ::close(fd);
}

TEST_CASE("the child has its own working folder, process group and default signals") {
  const test::TemporaryFolder folder;
  auto options = shell(
      "pwd; read -r pid name state parent group rest < /proc/$$/stat; "
      "[ $group = $$ ] && echo leader; grep SigBlk /proc/self/status");
  options.working_directory = folder.path();
  const auto lines = run(options).out;
  CHECK_THAT(lines, Catch::StartsWith(folder.path().string() + "\nleader\n"));
  CHECK_THAT(lines, Catch::Contains("SigBlk:\t0000000000000000"));
}

TEST_CASE("none of our open files reaches the child") {
  const int opened = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const auto output = run(shell("ls /proc/self/fd"));
  ::close(opened);
  // 0, 1, 2 and the one that ls itself reads.
  CHECK(output.out == "0\n1\n2\n3\n");
}

TEST_CASE("starting and ending processes leaves no descriptor of ours open") {
  auto open_count = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  run(shell("true"));
  const auto before = open_count();
  for (int i = 0; i < 20; ++i) {
    run(shell("true"));
    SubprocessOptions missing;
    missing.argv = {"/no/such/program"};
    CHECK_FALSE(Subprocess::start(missing));
  }
  CHECK(open_count() == before);
}

TEST_CASE("waiting with a limit gives nothing while it runs, and the same status once it ended") {
  auto process = Subprocess::start(shell("exec sleep 1000"));
  REQUIRE(process);
  CHECK_FALSE(process->wait(1ms));
  CHECK_FALSE(process->reaped());
  process->signal(SIGINT);
  const auto status = process->wait(60s);
  REQUIRE(status);
  CHECK(status->signal == SIGINT);
  CHECK(process->reaped());
  CHECK(process->wait(0ms)->signal == SIGINT);
  CHECK(process->stop(0ms).signal == SIGINT);
  process->signal(SIGKILL);  // nobody's by now
}

TEST_CASE("the usage of a program holds the CPU it used") {
  const auto output = run(shell("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"));
  const auto& usage = output.status.usage;
  CHECK(usage.ru_utime.tv_sec * 1'000'000 + usage.ru_utime.tv_usec > 0);
}

TEST_CASE("stop asks first: a program that cleans up ends in its own way") {
  const test::TemporaryFolder folder;
  auto options =
      shell("trap 'echo cleaned; exit 5' TERM; echo $$ > ready; while :; do sleep 0.01; done");
  options.working_directory = folder.path();
  options.stdout_file = folder / "out";
  auto process = Subprocess::start(options);
  REQUIRE(process);
  pid_in(folder / "ready");
  CHECK(process->stop(60s).code == 5);
  CHECK(read_file(folder / "out").value() == "cleaned\n");
}

TEST_CASE("stop kills a program that does not listen, and its group with it") {
  const test::TemporaryFolder folder;
  auto options = shell("trap '' TERM; sleep 1000 & echo $! > child; while :; do sleep 1; done");
  options.working_directory = folder.path();
  auto process = Subprocess::start(options);
  REQUIRE(process);
  const pid_t child = pid_in(folder / "child");
  CHECK(process->stop(50ms).signal == SIGKILL);
  CHECK(goes_away(child));
}

TEST_CASE("stop kills what the root leaves in its group although it ended in time") {
  const test::TemporaryFolder folder;
  auto options = shell("sleep 1000 & echo $! > child; wait");
  options.working_directory = folder.path();
  auto process = Subprocess::start(options);
  REQUIRE(process);
  const pid_t child = pid_in(folder / "child");
  CHECK(process->stop(60s).signal == SIGTERM);
  CHECK(goes_away(child));
}

TEST_CASE("a destroyed or replaced process is killed with its group, and reaped") {
  const test::TemporaryFolder folder;
  auto options = shell("sleep 1000 & echo $! > child; wait");
  options.working_directory = folder.path();
  auto process = Subprocess::start(options);
  REQUIRE(process);
  const pid_t root = process->pid();
  const pid_t child = pid_in(folder / "child");
  *process = Subprocess::start(shell("exec sleep 1000")).value();
  CHECK(goes_away(child));
  CHECK(::kill(root, 0) == -1);
  CHECK(errno == ESRCH);
  const pid_t second = process->pid();
  {
    const Subprocess moved = std::move(*process);
  }
  CHECK(::kill(second, 0) == -1);
}

TEST_CASE("running to the end has a limit, and then nothing runs any more") {
  const test::TemporaryFolder folder;
  auto options = shell("echo $$ > pid; exec sleep 1000");
  options.working_directory = folder.path();
  const auto output = run_to_end(options, "", 300ms);
  REQUIRE_FALSE(output);
  CHECK(output.error().code == Error::Code::timed_out);
  CHECK_THAT(output.error().message, Catch::StartsWith("/bin/sh: still running after 0.3 s"));
  if (const auto pid = read_file(folder / "pid")) CHECK_FALSE(runs(std::stoi(*pid)));
}

TEST_CASE("what a program leaves in its group when it ends is killed") {
  const auto output = run(shell("sleep 1000 >&- & echo $!"));
  CHECK(goes_away(static_cast<pid_t>(std::stoi(output.out))));
}

TEST_CASE("a child that is to die with its parent does so") {
  const test::TemporaryFolder folder;
  pid_t child = 0;
  {
    // The parent is the thread that starts it.
    std::optional<Subprocess> process;
    std::thread([&] {
      auto options = shell("exec sleep 1000");
      options.dies_with_parent = true;
      process.emplace(Subprocess::start(options).value());
      child = process->pid();
    }).join();
    CHECK(process->wait(60s)->signal == SIGKILL);
  }
  CHECK(goes_away(child));
}

TEST_CASE("a child may write so many bytes into a file and no more") {
  auto options = shell("exec head -c 4096 /dev/zero");
  options.max_file_bytes = 4096;
  CHECK(run(options).out.size() == 4096);
  options.max_file_bytes = 4095;
  CHECK(run(options).status.signal == SIGXFSZ);
  CHECK(run(options).out.size() == 4095);
}

}  // namespace tare
