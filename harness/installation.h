// Installing an arm into the cache folder, and what its installer said of it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/manifest.h"

namespace tare::harness {

// ${TARE_CACHE:-${XDG_CACHE_HOME:-~/.cache}/tare}, an absolute path; arms stand in its folder
// arms/NAME.
std::filesystem::path cache_folder();

// Where an arm's installer puts it, and what {install} stands for.
std::filesystem::path install_folder(const Manifest& manifest);

struct Identity {
  std::string json;  // what the installer printed on its last line, as it is: version, files, ...
  std::vector<std::string> degraded;  // "without Kompress weights"
};

// The identity kept at install time, or the reason why the arm cannot run: "not installed: type
// tare arms install X". An arm without an installer is always there (its program is looked up and
// hashed).
Result<Identity> installed(const Manifest& manifest, const std::filesystem::path& bin);

// Runs the arm's script (idempotent; its output goes to the terminal as it comes) and keeps its
// identity.
Result<Identity> install(const Manifest& manifest, const std::filesystem::path& bin);

// The same for whoever was not asked to install this very arm: an expensive one that is not there
// yet is an error (missing).
Result<Identity> install_unasked(const Manifest& manifest, const std::filesystem::path& bin);

// When the files that the installer takes from arms/NAME are not those it was last run with, what
// to say and to type; a run measures the copy that is installed. arm.json and the config template
// do not count: each run reads them anew. Nothing where that is not known.
std::optional<std::string> change_since_install(const Manifest& manifest);

// Removes the arm's folder in the cache; returns whether there was one.
Result<bool> remove(const Manifest& manifest);

}  // namespace tare::harness
