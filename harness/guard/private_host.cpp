#include "harness/guard/private_host.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "common/files.h"

namespace tare::harness {
namespace {

constexpr const char* hosts = "/etc/hosts";

}  // namespace

Result<void> map_to_loopback(const std::string& name) {
  if (::unshare(CLONE_NEWNS) != 0) {
    return fail(Error::missing(
        fmt::format(
            "the name {} for the upstream needs a mount namespace, which only root can make", name),
        "run as root"));
  }
  // Or what is mounted here would be mounted outside too.
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    return fail(Error::io_errno("cannot make the mounts private", errno));
  }
  auto content = read_file(hosts);
  if (!content) return fail(content.error());
  const auto folder = make_temporary_directory("tare-hosts");
  if (!folder) return fail(folder.error());
  const auto file = *folder / "hosts";
  const auto written = write_file(file, fmt::format("{}\n127.0.0.1 {}\n", *content, name));
  const bool mounted = written && ::mount(file.c_str(), hosts, nullptr, MS_BIND, nullptr) == 0;
  const int error_number = errno;
  std::error_code ignored;
  std::filesystem::remove_all(*folder, ignored);  // the mount keeps what it needs
  if (!written) return written;
  if (!mounted) {
    return fail(Error::io_errno(std::string("cannot mount over ") + hosts, error_number));
  }
  return {};
}

}  // namespace tare::harness
