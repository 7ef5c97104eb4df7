#include "analysis/published.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/fields.h"
#include "common/files.h"

namespace tare::analysis {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

Result<json> read_json(const fs::path& path) {
  const auto text = read_file(path);
  if (!text) return fail(text.error());
  try {
    return json::parse(*text);
  } catch (const json::parse_error& e) {
    return fail(Error::invalid(fmt::format("{}: not JSON at byte {}", path.string(), e.byte),
                               "see data/published for the form"));
  }
}

bool holds_figures(const json& root) {
  return root.is_object() && root.contains("groups") && root["groups"].is_array();
}

struct FiguresFile {
  fs::path path;
  json root;
};

Result<FiguresFile> find_figures(const fs::path& file_or_folder) {
  std::error_code ignored;
  if (!fs::exists(file_or_folder, ignored)) {
    return fail(Error::usage(file_or_folder.string() + ": no such file or folder",
                             "give data/published or a file of published figures"));
  }
  std::vector<fs::path> files;
  if (fs::is_directory(file_or_folder, ignored)) {
    for (const auto& entry : fs::directory_iterator(file_or_folder, ignored)) {
      if (entry.path().extension() == ".json") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
  } else {
    files.push_back(file_or_folder);
  }
  for (const auto& path : files) {
    auto root = read_json(path);
    if (!root) return fail(root.error());
    if (holds_figures(*root)) return FiguresFile{path, std::move(*root)};
  }
  return fail(Error::usage(file_or_folder.string() + ": holds no published figures",
                           "it takes a .json file with a list /groups: see data/published"));
}

PublishedCell cell_of(const std::string& arm, Fields fields) {
  PublishedCell cell;
  cell.arm = arm;
  cell.mean_ms = fields.maybe_number("mean_ms");
  cell.median_ms = fields.maybe_number("median_ms");
  cell.p95_ms = fields.maybe_number("p95_ms");
  cell.cpu_ms_per_request = fields.maybe_number("cpu_ms_per_request");
  cell.mean_forwarded_bytes = fields.maybe_number("mean_forwarded_bytes");
  cell.private_bytes = fields.maybe_number("sampled_peak_private_bytes");
  return cell;
}

std::string read_figures(const json& root, Published& published) {
  Fields fields(root);
  published.source = fields.maybe_text("source").value_or("");
  published.host = fields.maybe_text("host").value_or("");
  Fields protocol(fields.object("protocol"), "/protocol");
  published.warmups = protocol.maybe_small_integer("warmup");
  published.requests = protocol.maybe_small_integer("measured");
  fields.blame(protocol.fault());
  for (const auto& item : fields.array("groups")) {
    Fields group_fields(item, "/groups");
    PublishedGroup group;
    group.task = group_fields.text("task");
    group.mode = group_fields.text("mode");
    group.mean_sent_bytes = group_fields.maybe_number("mean_sent_bytes");
    for (const auto& [name, figures] : group_fields.object("arms").items()) {
      group.cells.push_back(cell_of(published.arm(name), Fields(figures, "/groups/arms")));
    }
    published.groups.push_back(std::move(group));
    fields.blame(group_fields.fault());
  }
  return fields.fault();
}

std::string read_claims(const json& root, Published& published) {
  Fields fields(root);
  published.arm_names = fields.text_map("name_map");
  for (const auto& item : fields.array("claims")) {
    Fields claim_fields(item, "/claims");
    Claim claim;
    claim.id = claim_fields.text("id");
    claim.kind = claim_fields.text("kind");
    claim.text = claim_fields.text("text");
    claim.value = claim_fields.maybe_number("value");
    claim.values = claim_fields.number_map("values");
    published.claims.push_back(std::move(claim));
    fields.blame(claim_fields.fault());
  }
  return fields.fault();
}

std::string read_limits(const json& root, Published& published) {
  Fields fields(root);
  published.limits = fields.texts("limits");
  return fields.fault();
}

// A file beside the figures that may be absent.
Result<void> read_beside(const fs::path& path, Published& published,
                         std::string (*read)(const json&, Published&)) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return {};
  const auto root = read_json(path);
  if (!root) return fail(root.error());
  const std::string fault = read(*root, published);
  if (!fault.empty()) return fail(Error::invalid(path.string() + ": " + fault));
  return {};
}

}  // namespace

const PublishedCell* PublishedGroup::find(const std::string& arm) const {
  for (const auto& cell : cells) {
    if (cell.arm == arm) return &cell;
  }
  return nullptr;
}

std::string Published::arm(const std::string& name) const {
  const auto at = arm_names.find(name);
  return at == arm_names.end() ? name : at->second;
}

const PublishedGroup* Published::find(const std::string& task, const std::string& mode) const {
  for (const auto& group : groups) {
    if (group.task == task && group.mode == mode) return &group;
  }
  return nullptr;
}

Result<Published> read_published(const fs::path& file_or_folder) {
  const auto figures = find_figures(file_or_folder);
  if (!figures) return fail(figures.error());
  const fs::path folder = figures->path.parent_path();
  Published published;
  if (auto read = read_beside(folder / "claims.json", published, read_claims); !read) {
    return fail(read.error());
  }
  if (auto read = read_beside(folder / "limits.json", published, read_limits); !read) {
    return fail(read.error());
  }
  const std::string fault = read_figures(figures->root, published);
  if (!fault.empty()) return fail(Error::invalid(figures->path.string() + ": " + fault));
  return published;
}

}  // namespace tare::analysis
