#include "analysis/bodies.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "analysis/tokens.h"
#include "common/hash.h"
#include "common/zstd_stream.h"

namespace tare::analysis {

std::string body_path(std::string_view sha256) {
  return fmt::format("bodies/{}/{}.zst", sha256.substr(0, 2), sha256);
}

StoredBody parse_body(std::string bytes) {
  StoredBody body;
  body.bytes = std::move(bytes);
  body.readable = nlohmann::json::accept(body.bytes);
  if (!body.readable) return body;
  body.outputs = find_outputs(body.bytes);
  for (const auto& output : body.outputs) body.output_tokens += estimate_tokens(output.text);
  return body;
}

bool Bodies::kept() {
  std::error_code ignored;
  if (!kept_) kept_ = std::filesystem::is_directory(folder_ / "bodies", ignored);
  return *kept_;
}

const StoredBody* Bodies::find(std::string_view sha256) {
  if (!kept()) return nullptr;
  auto at = slots_.find(sha256);
  if (at == slots_.end()) {
    const std::string name(sha256);
    at = slots_.emplace(name, load(name)).first;
  }
  return at->second.there ? &at->second.body : nullptr;
}

std::optional<double> Bodies::output_tokens(std::string_view sha256) {
  if (const auto counted = counted_.find(sha256); counted != counted_.end()) return counted->second;
  const StoredBody* body = find(sha256);
  return body == nullptr ? std::nullopt : std::optional(body->output_tokens);
}

Bodies::Slot Bodies::load(const std::string& sha256) {
  if (sha256.size() != 64 || sha256.find_first_not_of("0123456789abcdef") != std::string::npos) {
    warnings_.push_back(fmt::format("bodies: \"{}\" is not a SHA-256", sha256.substr(0, 64)));
    return {};
  }
  const std::string name = body_path(sha256);
  auto content = zstd_read_file(folder_ / name);
  if (!content) {
    warnings_.push_back(name + ": it is not there or cannot be read");
    return {};
  }
  if (!content->damage.empty() || sha256_hex(content->bytes) != sha256) {
    warnings_.push_back(name + ": damaged: its content does not have this SHA-256");
    return {};
  }
  return {true, parse_body(std::move(content->bytes))};
}

}  // namespace tare::analysis
