#include "harness/installation.h"

#include <fmt/format.h>
#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <system_error>

#include "common/files.h"
#include "common/hash.h"
#include "common/held_signals.h"
#include "common/programs.h"
#include "common/subprocess.h"
#include "common/version.h"
#include "harness/arm_command.h"
#include "harness/json_reader.h"

namespace tare::harness {
namespace {

constexpr std::string_view identity_file = "identity.json";
constexpr std::string_view sources_file = "sources.sha256";
constexpr int exit_missing = 3;
constexpr std::chrono::milliseconds poll_interval{100};

// The arm with the installer that serves this one too.
Result<Manifest> holder_of(const Manifest& manifest) {
  const auto arms_folder = std::filesystem::absolute(manifest.folder).parent_path();
  auto holder = find_manifest(arms_folder, manifest.installed_with.value_or(""));
  if (!holder) return holder;
  const auto& other = holder->installed_with;
  if (!other) return holder;
  return fail(Error::invalid(fmt::format("{}: is installed with {}, which is installed with {}",
                                         manifest.name, holder->name, *other),
                             "name the arm that has the installer"));
}

std::string how_to_install(const Manifest& manifest) {
  return "type: tare arms install " + manifest.name;
}

// Reads an installer's identity: a JSON object; its "degraded", when there, is a list of texts.
Result<Identity> read_identity(const std::string& json, const std::string& source) {
  Faults faults(source);
  const auto parsed = parse_json(json, source);
  const Place root{"", faults};
  Identity identity{.json = json, .degraded = {}};
  if (!parsed) {
    root.fault("expected the identity as one JSON object on the last line of stdout");
  } else {
    Fields fields(*parsed, root);
    identity.degraded = fields.optional("degraded", list_of(text()), {});
  }
  if (!faults.none()) return fail(faults.error("see docs/adding-an-arm.md, section install"));
  return identity;
}

// An arm without an installer: its program's own hash; a program built from this tree has its
// version.
Result<Identity> identity_of_program(const Manifest& manifest, const std::filesystem::path& bin) {
  if (manifest.kind == ArmKind::direct) return Identity{.json = "{}", .degraded = {}};
  Placeholders values;
  values.bin = bin;
  const auto program = resolve(manifest.command.front(), values);
  const auto path = find_program(program);
  if (!path) {
    return fail(Error::missing(fmt::format("{}: {}: no such program", manifest.name, program),
                               "build it or install it: see docs/adding-an-arm.md"));
  }
  const auto hash = sha256_hex_of_file(*path);
  if (!hash) return fail(hash.error());
  Json identity = {{"files", {{path->filename().string(), *hash}}}};
  if (path->parent_path() == bin) identity["version"] = version();
  return Identity{.json = identity.dump(), .degraded = {}};
}

// One hash of the names and contents of what the installer may take. Hidden files are editors' and
// other tools'.
Result<std::string> hash_of_sources(const Manifest& manifest) {
  std::map<std::string, std::string> files;
  std::error_code e;
  auto at = std::filesystem::recursive_directory_iterator(manifest.folder, e);
  for (; !e && at != std::filesystem::recursive_directory_iterator(); at.increment(e)) {
    const auto name = at->path().lexically_relative(manifest.folder).generic_string();
    const auto own = at->path().filename().string();
    if (own.starts_with('.') || own == "__pycache__") {
      at.disable_recursion_pending();
      continue;
    }
    std::error_code gone;
    if (!at->is_regular_file(gone) || name == "arm.json" || name == manifest.config_template) {
      continue;
    }
    auto hash = sha256_hex_of_file(at->path());
    if (!hash) return hash;
    files.emplace(name, std::move(*hash));
  }
  if (e) {
    return fail(Error::io_errno(manifest.folder.string() + ": cannot be listed", e.value()));
  }
  std::string all;
  for (const auto& [name, hash] : files) all += hash + " " + name + "\n";
  return sha256_hex(all);
}

// After the installer, which may leave files beside itself.
Result<void> keep_hash_of_sources(const Manifest& manifest) {
  const auto hash = hash_of_sources(manifest);
  if (!hash) return fail(hash.error());
  return write_file(install_folder(manifest) / sources_file, *hash + "\n");
}

std::string last_line(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  const auto begin = text.rfind('\n');
  return std::string(begin == text.npos ? text : text.substr(begin + 1));
}

// Copies what a growing file has gained since the last call to stderr.
class Follower {
 public:
  explicit Follower(const std::filesystem::path& file) : file_(file, std::ios::binary) {}
  void copy() {
    std::array<char, 4096> buffer;
    do {
      file_.clear();
      file_.read(buffer.data(), buffer.size());
      std::fwrite(buffer.data(), 1, static_cast<std::size_t>(file_.gcount()), stderr);
    } while (file_.gcount() > 0);
    std::fflush(stderr);
  }

 private:
  std::ifstream file_;
};

// Runs the installer with its stderr shown as it comes; its stdout.
Result<std::string> run_installer(const Manifest& manifest, const std::filesystem::path& folder,
                                  const std::filesystem::path& bin) {
  const auto script = std::filesystem::absolute(manifest.folder / manifest.install.value_or(""));
  const auto out = folder / "install.out";
  const auto log = folder / "install.log";
  SubprocessOptions options;
  options.argv = {script.string(), folder.string(), bin.string()};
  options.working_directory = std::filesystem::absolute(manifest.folder);
  options.stdout_file = out;
  options.stderr_file = log;
  options.dies_with_parent = true;
  if (auto created = write_file(log, ""); !created) return fail(created.error());

  const HeldSignals held;
  auto process = Subprocess::start(options);
  if (!process) {
    auto error = process.error();
    if (error.remedy.empty())
      error.remedy = "it has to begin with #! and to be executable: chmod +x";
    return fail(std::move(error));
  }
  Follower follower(log);
  std::optional<ExitStatus> status;
  while (!(status = process->wait(poll_interval))) {
    follower.copy();
    if (HeldSignals::came()) {
      process->signal_group(SIGTERM);
      process->stop(std::chrono::seconds(5));
      return fail(Error::crashed(manifest.name + ": its installation was interrupted",
                                 how_to_install(manifest)));
    }
  }
  follower.copy();
  if (!status->ok()) {
    const auto content = read_file(log);
    const auto reason = fmt::format("{}: {} ended with {}: {}", manifest.name, script.string(),
                                    status->text(), content ? last_line(*content) : "");
    const auto remedy = "the whole output is in " + log.string();
    return fail(status->code == exit_missing ? Error::missing(reason, remedy)
                                             : Error::crashed(reason, remedy));
  }
  return read_file(out);
}

}  // namespace

std::filesystem::path cache_folder() {
  const auto variable = [](const char* name) -> std::filesystem::path {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
  };
  if (const auto chosen = variable("TARE_CACHE"); !chosen.empty()) return absolute(chosen);
  if (const auto base = variable("XDG_CACHE_HOME"); !base.empty()) return absolute(base / "tare");
  return absolute(variable("HOME") / ".cache" / "tare");
}

std::filesystem::path install_folder(const Manifest& manifest) {
  return cache_folder() / "arms" / manifest.installed_with.value_or(manifest.name);
}

Result<Identity> installed(const Manifest& manifest, const std::filesystem::path& bin) {
  if (manifest.installed_with) {
    const auto holder = holder_of(manifest);
    return holder ? installed(*holder, bin) : fail(holder.error());
  }
  if (!manifest.install) return identity_of_program(manifest, bin);
  const auto file = install_folder(manifest) / identity_file;
  std::error_code e;
  if (!std::filesystem::exists(file, e)) {
    return fail(Error::missing(manifest.name + ": not installed", how_to_install(manifest)));
  }
  const auto json = read_file(file);
  if (!json) return fail(json.error());
  return read_identity(last_line(*json), file.string());
}

Result<Identity> install(const Manifest& manifest, const std::filesystem::path& bin) {
  if (manifest.installed_with) {
    const auto holder = holder_of(manifest);
    return holder ? install(*holder, bin) : fail(holder.error());
  }
  if (!manifest.install) return identity_of_program(manifest, bin);
  const auto folder = install_folder(manifest);
  if (auto made = make_directories(folder); !made) return fail(made.error());
  std::error_code e;
  // Until the installer has ended well, the arm counts as not installed.
  std::filesystem::remove(folder / identity_file, e);
  const auto out = run_installer(manifest, folder, bin);
  if (!out) return fail(out.error());
  auto identity = read_identity(last_line(*out), manifest.name + ": " + *manifest.install);
  if (!identity) return fail(identity.error());
  if (auto kept = write_file(folder / identity_file, identity->json + "\n"); !kept) {
    return fail(kept.error());
  }
  if (auto kept = keep_hash_of_sources(manifest); !kept) return fail(kept.error());
  return identity;
}

Result<Identity> install_unasked(const Manifest& manifest, const std::filesystem::path& bin) {
  auto already = installed(manifest, bin);
  if (already || !manifest.expensive) return install(manifest, bin);
  return fail(Error::missing(
      fmt::format("{}: expensive (about {} MB, {} minutes), so it is installed only by its name",
                  manifest.name, manifest.cost.disk_mb, manifest.cost.install_minutes),
      how_to_install(manifest)));
}

std::optional<std::string> change_since_install(const Manifest& manifest) {
  if (manifest.installed_with) {
    const auto holder = holder_of(manifest);
    return holder ? change_since_install(*holder) : std::nullopt;
  }
  if (!manifest.install) return std::nullopt;
  const auto kept = read_file(install_folder(manifest) / sources_file);
  const auto now = hash_of_sources(manifest);
  if (!kept || !now || last_line(*kept) == *now) return std::nullopt;
  return fmt::format("arms/{} changed since it was installed; {}", manifest.name,
                     how_to_install(manifest));
}

Result<bool> remove(const Manifest& manifest) {
  if (manifest.installed_with) return false;
  std::error_code e;
  const auto folder = install_folder(manifest);
  const auto removed = std::filesystem::remove_all(folder, e);
  if (e) return fail(Error::io_errno(folder.string() + ": cannot remove", e.value()));
  return removed > 0;
}

}  // namespace tare::harness
