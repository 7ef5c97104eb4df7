// The lookup of the cgroups a process stands in: proc(5) mountinfo and cgroup.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "common/files.h"
#include "harness/cgroup.h"

namespace tare::harness {
namespace {

namespace fs = std::filesystem;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool contains(const std::vector<std::string_view>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// mountinfo writes blanks, tabs, newlines and backslashes as \ooo.
std::string unescape(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                 (text[i + 3] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

struct Mount {
  std::string root;  // of the hierarchy's folders, the one that is mounted
  std::string point;
  std::string type;  // cgroup2, or cgroup
  std::vector<std::string> controllers;
};

// "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw"; before the "-" there may
// be optional fields.
std::vector<Mount> cgroup_mounts(std::string_view mountinfo) {
  std::vector<Mount> mounts;
  for (const auto line : split(mountinfo, '\n')) {
    const auto words = split(line, ' ');
    const auto dash = std::find(words.begin(), words.end(), "-");
    if (words.size() < 10 || words.end() - dash < 4) continue;
    const std::string type(dash[1]);
    if (type != "cgroup" && type != "cgroup2") continue;
    Mount mount{unescape(words[3]), unescape(words[4]), type, {}};
    for (const auto option : split(dash[3], ',')) mount.controllers.emplace_back(option);
    mounts.push_back(std::move(mount));
  }
  return mounts;
}

// The folder of the cgroup `path` under a mount, when it is visible there.
fs::path folder_of(const Mount& mount, std::string_view path) {
  const std::string_view root = mount.root == "/" ? std::string_view() : mount.root;
  if (!path.starts_with(root) || path.starts_with("/..")) return {};
  path.remove_prefix(root.size());
  if (path.empty() || path == "/") return mount.point;
  return path.starts_with('/') ? fs::path(mount.point + std::string(path)) : fs::path();
}

}  // namespace

CgroupHome find_cgroups(const fs::path& proc_self) {
  CgroupHome home;
  const auto mountinfo = read_file(proc_self / "mountinfo");
  const auto memberships = read_file(proc_self / "cgroup");
  if (!mountinfo || !memberships) return home;
  const auto mounts = cgroup_mounts(*mountinfo);
  // "0::/path" is the v2 hierarchy, "4:memory:/path" a v1 one.
  for (const auto line : split(*memberships, '\n')) {
    const auto first = line.find(':');
    const auto second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const auto controllers = split(line.substr(first + 1, second - first - 1), ',');
    const auto path = line.substr(second + 1);
    for (const auto& mount : mounts) {
      const auto folder = folder_of(mount, path);
      if (folder.empty()) continue;
      auto mounts_controller = [&](std::string_view name) {
        return mount.type == "cgroup" && contains(controllers, name) &&
               std::find(mount.controllers.begin(), mount.controllers.end(), name) !=
                   mount.controllers.end();
      };
      if (mount.type == "cgroup2" && line.starts_with("0::")) home.v2 = folder;
      if (mounts_controller("memory")) home.v1_memory = folder;
      if (mounts_controller("cpuacct")) home.v1_cpuacct = folder;
    }
  }
  if (home.v2.filename() == harness_leaf) home.v2 = home.v2.parent_path();
  return home;
}

}  // namespace tare::harness
