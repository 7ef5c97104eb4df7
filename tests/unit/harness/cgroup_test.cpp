// Cgroups of other machines than this one, as trees of plain files. That the kernel's own behave so
// is shown by tests/integration/sampler_shapes_test.cpp.
#include "harness/cgroup.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <initializer_list>
#include <string>

#include "common/subprocess.h"
#include "tests/support/temporary_folder.h"

namespace tare::harness {
namespace {

namespace fs = std::filesystem;

// /proc/self of another machine.
struct Machine {
  test::TemporaryFolder proc_self;

  Machine(std::string_view mountinfo, std::string_view cgroup) {
    REQUIRE(write_file(proc_self / "mountinfo", mountinfo));
    REQUIRE(write_file(proc_self / "cgroup", cgroup));
  }
  CgroupHome find() const { return find_cgroups(proc_self.path()); }
};

// A folder that looks like a cgroup.
fs::path fake_cgroup(const test::TemporaryFolder& folder, std::string_view name,
                     std::initializer_list<std::pair<const char*, const char*>> files) {
  const fs::path path = folder / name;
  REQUIRE(make_directories(path));
  for (const auto& [file, text] : files) REQUIRE(write_file(path / file, text));
  return path;
}

constexpr pid_t self = 4242;

}  // namespace

TEST_CASE("pure v2: everything stands in one folder") {
  const Machine machine(
      "24 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
      "35 24 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n",
      "0::/user.slice/user-1000.slice/user@1000.service/run-r1.scope\n");
  const auto home = machine.find();
  CHECK(home.v2 == "/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/run-r1.scope");
  CHECK(home.v1_memory.empty());
  CHECK(home.v1_cpuacct.empty());
}

TEST_CASE("hybrid: CPU in the v2 tree, memory in a v1 tree with another path") {
  const Machine machine(
      "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
      "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
      "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
      "40 31 0:37 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,name=systemd\n"
      "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n",
      "9:name=systemd:/init\n4:memory:/jobs/7\n2:cpu,cpuacct:/\n0::/\n");
  const auto home = machine.find();
  CHECK(home.v2 == "/sys/fs/cgroup/unified");
  CHECK(home.v1_memory == "/sys/fs/cgroup/memory/jobs/7");
  CHECK(home.v1_cpuacct == "/sys/fs/cgroup/cpu,cpuacct");
}

TEST_CASE("a container that sees a part of the hierarchy: the mount's root is taken off") {
  const Machine machine(
      "600 590 0:31 /docker/abc /sys/fs/cgroup/memory ro,nosuid - cgroup cgroup rw,memory\n"
      "601 590 0:32 /docker/other /sys/fs/cgroup/cpuacct ro - cgroup cgroup rw,cpuacct\n",
      "7:memory:/docker/abc\n6:cpuacct:/docker/abc\n0::/\n");
  const auto home = machine.find();
  CHECK(home.v1_memory == "/sys/fs/cgroup/memory");
  CHECK(home.v1_cpuacct.empty());
  CHECK(home.v2.empty());
}

TEST_CASE("a cgroup outside of what a namespace shows is not found") {
  const Machine machine("35 24 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "0::/../other\n");
  CHECK(machine.find().v2.empty());
}

TEST_CASE("blanks in a mount point are read") {
  const Machine machine("35 24 0:30 / /mnt/c\\040group rw - cgroup2 cgroup2 rw\n", "0::/a b\n");
  CHECK(machine.find().v2 == "/mnt/c group/a b");
}

TEST_CASE("a process of ours that moved into its leaf stands in the folder above") {
  const Machine machine("35 24 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
                        fmt::format("0::/scope/{}\n", harness_leaf));
  CHECK(machine.find().v2 == "/sys/fs/cgroup/scope");
}

TEST_CASE("without cgroups, or with files that are not what they should be, there is no home") {
  const Machine machine("35 24 /sys\n\n- - -\n", "0\n::\nx:y\n");
  CHECK(machine.find().v2.empty());
  CHECK(find_cgroups("/no/such/proc").v2.empty());
  const auto parents = prepare_cgroups({}, self);
  CHECK(parents.cpu.empty());
  CHECK(parents.memory.empty());
  REQUIRE(parents.limits.size() == 2);
  CHECK_THAT(parents.limits[0], Catch::StartsWith("CPU of short-lived children cannot be seen"));
  CHECK_THAT(parents.limits[0], Catch::Contains("systemd-run"));
  CHECK_THAT(parents.limits[1], Catch::StartsWith("memory is summed from /proc"));
  CHECK_THAT(parents.limits[1], Catch::Contains("-p Delegate=yes tare run"));
}

TEST_CASE("a place where no cgroup appears is not used, and nothing is left there") {
  const test::TemporaryFolder folder;
  CgroupHome home;
  home.v2 =
      fake_cgroup(folder, "v2",
                  {{"cgroup.controllers", "cpu memory\n"}, {"cgroup.subtree_control", "memory\n"}});
  home.v1_memory = fake_cgroup(folder, "memory", {});
  const auto parents = prepare_cgroups(home, self);
  CHECK(parents.cpu.empty());
  CHECK(parents.memory.empty());
  CHECK(parents.limits.size() == 2);
  CHECK_FALSE(fs::exists(home.v2 / "tare-probe-4242"));
  CHECK_FALSE(fs::exists(home.v1_memory / "tare-probe-4242"));
}

TEST_CASE("readings of a v2 cgroup") {
  const test::TemporaryFolder folder;
  CgroupParents places;
  places.cpu = places.memory =
      fake_cgroup(folder, "arm",
                  {{"cpu.stat", "usage_usec 123456\nuser_usec 100000\nsystem_usec 23456\n"},
                   {"memory.stat", "anon 1048576\nfile 4096\nanon_thp 7\n"},
                   {"memory.peak", "2097152\n"},
                   {"cgroup.procs", "12\n7\n"}});
  places.cpu_is_v2 = places.memory_is_v2 = true;
  auto cgroup = Cgroup::open(places);
  REQUIRE(cgroup);
  CHECK(cgroup->cpu_us() == 123'456);
  CHECK(cgroup->anon_bytes() == 1'048'576);
  CHECK(cgroup->peak_bytes() == 2'097'152);
  CHECK(cgroup->processes() == std::vector<pid_t>{7, 12});
  CHECK(cgroup->folders() == std::vector<fs::path>{places.cpu});
}

TEST_CASE("readings of v1 cgroups: nanoseconds of CPU, memory with that of cgroups below") {
  const test::TemporaryFolder folder;
  CgroupParents places;
  places.cpu = fake_cgroup(folder, "cpuacct", {{"cpuacct.usage", "5000999\n"}});
  places.memory = fake_cgroup(folder, "memory",
                              {{"memory.stat", "rss 1\nrss_huge 2\ntotal_rss 8192\n"},
                               {"memory.max_usage_in_bytes", "16384\n"},
                               {"cgroup.procs", "7\n"}});
  auto cgroup = Cgroup::open(places);
  REQUIRE(cgroup);
  CHECK(cgroup->cpu_us() == 5'000);
  CHECK(cgroup->anon_bytes() == 8'192);
  CHECK(cgroup->peak_bytes() == 16'384);
  CHECK(cgroup->folders().size() == 2);
}

TEST_CASE("the files stay open: a reading follows what changes in them") {
  const test::TemporaryFolder folder;
  CgroupParents places;
  places.cpu = fake_cgroup(folder, "cpuacct", {{"cpuacct.usage", "1000\n"}});
  auto opened = Cgroup::open(places);
  REQUIRE(opened);
  const Cgroup cgroup = std::move(*opened);
  CHECK(cgroup.cpu_us() == 1);
  std::FILE* file = std::fopen((places.cpu / "cpuacct.usage").c_str(), "r+");
  std::fputs("2000\n", file);
  std::fclose(file);
  CHECK(cgroup.cpu_us() == 2);
}

TEST_CASE("a kernel without a peak gives none; an empty place nothing at all") {
  const test::TemporaryFolder folder;
  CgroupParents places;
  places.memory = fake_cgroup(folder, "v2", {{"memory.stat", "anon 4096\n"}});
  places.memory_is_v2 = true;
  auto cgroup = Cgroup::open(places);
  REQUIRE(cgroup);
  CHECK(cgroup->anon_bytes() == 4'096);
  CHECK_FALSE(cgroup->peak_bytes());
  CHECK_FALSE(cgroup->reset_peak());
  CHECK_FALSE(cgroup->cpu_us());
  const auto none = Cgroup::open({});
  REQUIRE(none);
  CHECK(none->folders().empty());
  CHECK_FALSE(none->anon_bytes());
}

TEST_CASE("a cgroup that is there already, or cannot be read, is an error that names it") {
  const test::TemporaryFolder folder;
  CgroupParents parents;
  parents.cpu = folder.path();
  fake_cgroup(folder, "taken", {});
  const auto taken = Cgroup::make(parents, "taken");
  REQUIRE_FALSE(taken);
  CHECK_THAT(taken.error().message, Catch::Contains("taken: cannot make the cgroup: File exists"));
  const auto unreadable = Cgroup::make(parents, "new");
  REQUIRE_FALSE(unreadable);
  CHECK_THAT(unreadable.error().message, Catch::Contains("new: cannot read its CPU"));
}

TEST_CASE("all that a cgroup names is killed, and a folder in use is not removed") {
  SubprocessOptions options;
  options.argv = {"/bin/sleep", "1000"};
  auto process = Subprocess::start(options);
  REQUIRE(process);
  const test::TemporaryFolder folder;
  CgroupParents places;
  places.memory = fake_cgroup(folder, "v1", {{"memory.stat", "total_rss 0\n"}});
  REQUIRE(write_file(places.memory / "cgroup.procs", fmt::format("{}\n", process->pid())));
  auto cgroup = Cgroup::open(places);
  REQUIRE(cgroup);
  cgroup->kill();
  CHECK(process->wait(std::chrono::seconds(60))->signal == SIGKILL);
  const auto removed = cgroup->remove();
  REQUIRE_FALSE(removed);
  CHECK_THAT(removed.error().message, Catch::Contains("v1: cannot remove the cgroup"));
}

TEST_CASE("a real cgroup can be made, and is gone once removed") {
  const auto& parents = own_cgroups();
  if (parents.cpu.empty() && parents.memory.empty()) {
    for (const auto& limit : parents.limits) WARN("not checked: " << limit);
    return;
  }
  auto cgroup = Cgroup::make(parents, fmt::format("tare-{}-test", ::getpid()));
  REQUIRE(cgroup);
  for (const auto& folder : cgroup->folders()) CHECK(fs::is_directory(folder));
  CHECK(cgroup->processes().empty());
  if (!parents.cpu.empty()) CHECK(cgroup->cpu_us() == 0);
  REQUIRE(cgroup->remove());
  for (const auto& folder : cgroup->folders()) CHECK_FALSE(fs::exists(folder));
  CHECK(cgroup->remove());
}

}  // namespace tare::harness
