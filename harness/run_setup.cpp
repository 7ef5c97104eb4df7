#include "harness/run_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "harness/installation.h"

namespace tare::harness {
namespace {

std::string kind_text(ArmKind kind) {
  switch (kind) {
    case ArmKind::direct:
      return "direct";
    case ArmKind::forwarder:
      return "forwarder";
    case ArmKind::compressor:
      return "compressor";
  }
  return "forwarder";
}

bool is_credential(std::string_view name) {
  constexpr std::array endings{"_KEY", "_TOKEN", "_SECRET", "_PASSWORD"};
  return std::ranges::any_of(endings, [&](const char* end) { return name.ends_with(end); });
}

ArmRecord record_of(const Manifest& manifest, const std::vector<std::string>& removed_arguments,
                    const Result<Identity>& identity, const std::optional<std::string>& change,
                    const std::filesystem::path& bin) {
  ArmRecord record;
  record.name = manifest.name;
  record.title = manifest.title;
  record.kind = kind_text(manifest.kind);
  record.licence = manifest.licence;
  record.homepage = manifest.homepage;
  record.command = manifest.command;
  std::erase_if(record.command, [&](const std::string& word) {
    return std::ranges::find(removed_arguments, word) != removed_arguments.end();
  });
  for (const auto* variables : {&manifest.environment, &manifest.forced_environment}) {
    for (const auto& [name, value] : *variables) {
      record.environment[name] = is_credential(name) ? "(not recorded)" : value;
    }
  }
  record.claims_lossless = manifest.claims_lossless;
  record.caches = manifest.caches;
  if (!manifest.decoder.empty()) {
    Placeholders values;
    values.bin = bin;
    values.install = install_folder(manifest);
    record.decoder.emplace();
    for (const std::string& word : manifest.decoder) {
      record.decoder->push_back(resolve(word, values));
    }
  }
  record.notes = manifest.notes;
  if (identity) {
    if (!identity->json.empty()) record.identity_json = identity->json;
    record.degraded = identity->degraded;
    if (change) record.degraded.push_back(*change);
  } else {
    record.not_installed = identity.error().text();
  }
  return record;
}

// A second copy of an arm under its own name; all else is the original's.
void add_twin(const Plan& plan, RunSetup& setup) {
  const auto name = twin_name(plan);
  if (!name) return;
  for (std::size_t i = 0; i < plan.arms.size(); ++i) {
    if (plan.arms[i] != plan.slicing.twin_of) continue;
    ArmToRun twin = setup.arms[i];
    twin.twin_of = plan.arms[i];
    twin.manifest.installed_with = twin.manifest.installed_with.value_or(plan.arms[i]);
    twin.manifest.name = *name;
    ArmRecord record = setup.records[i];
    record.twin_of = plan.arms[i];
    record.name = *name;
    setup.arms.push_back(std::move(twin));
    setup.records.push_back(std::move(record));
    return;
  }
}

}  // namespace

Result<Plan> with_arms(Plan plan, const std::vector<std::string>& names) {
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (std::find(names.begin(), name, *name) != name) {
      return fail(Error::usage(fmt::format("--arms: \"{}\" stands twice", *name)));
    }
  }
  const auto chosen = [&](const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  std::vector<std::string> arms;
  const auto rotating_end = plan.arms.begin() + plan.rotate;
  std::copy_if(plan.arms.begin(), rotating_end, std::back_inserter(arms), chosen);
  const int rotate = static_cast<int>(arms.size());
  std::copy_if(rotating_end, plan.arms.end(), std::back_inserter(arms), chosen);
  for (const std::string& name : names) {
    if (std::ranges::find(arms, name) == arms.end()) arms.push_back(name);
  }
  // What speaks of an arm that is not run.
  Slicing& slicing = plan.slicing;
  if (slicing.twin_of && !chosen(*slicing.twin_of)) slicing.twin_of.reset();
  if (slicing.subject && !chosen(*slicing.subject)) slicing.subject.reset();
  std::erase_if(slicing.references,
                [&](const auto& name) { return !slicing.subject || !chosen(name); });
  std::erase_if(plan.removed_arguments, [&](const auto& entry) { return !chosen(entry.first); });
  plan.rotate = rotate;
  plan.arms = std::move(arms);
  return plan;
}

Result<RunSetup> set_up(const Plan& plan, const std::filesystem::path& arms_folder,
                        const std::filesystem::path& bin) {
  RunSetup setup;
  for (const std::string& name : plan.arms) {
    auto manifest = find_manifest(arms_folder, name);
    if (!manifest) return fail(manifest.error());
    const auto identity = installed(*manifest, bin);
    const auto change = identity ? change_since_install(*manifest) : std::nullopt;
    if (change) setup.changes.push_back(name + ": " + *change);
    const auto removed = plan.removed_arguments.find(name);
    setup.records.push_back(record_of(
        *manifest,
        removed != plan.removed_arguments.end() ? removed->second : std::vector<std::string>{},
        identity, change, bin));
    setup.arms.push_back({.manifest = std::move(*manifest),
                          .twin_of = std::nullopt,
                          .not_installed = setup.records.back().not_installed});
  }
  add_twin(plan, setup);
  return setup;
}

}  // namespace tare::harness
