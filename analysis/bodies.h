// The stored request bodies of a run, and the tool outputs in them. A body is read from disk at
// most once, checked against its SHA-256, and kept: memory grows with the distinct bodies. Belongs
// to one thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/output_locator.h"

namespace tare::analysis {

struct StoredBody {
  std::string bytes;
  bool readable = false;  // it is JSON as this reader takes it (valid UTF-8, no lone surrogates)
  std::vector<ToolOutput> outputs;
  double output_tokens = 0;  // of all outputs: an estimate
};

// Where it stands in a run's folder.
std::string body_path(std::string_view sha256);

// A text that is not JSON gives a body that is not readable, without outputs.
StoredBody parse_body(std::string bytes);

class Bodies {
 public:
  // `counted`: exact o200k_base tokens of outputs, by body.
  explicit Bodies(std::filesystem::path run_folder,
                  std::map<std::string, double, std::less<>> counted = {})
      : folder_(std::move(run_folder)), counted_(std::move(counted)) {}

  // nullptr when the body is not there or damaged; then warnings() says why, once.
  const StoredBody* find(std::string_view sha256);
  // Of its tool outputs; nothing when it is neither counted nor stored.
  std::optional<double> output_tokens(std::string_view sha256);
  // Whether tokens are exact counts; else they are estimates.
  bool counted() const { return !counted_.empty(); }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  struct Slot {
    bool there = false;
    StoredBody body;
  };
  Slot load(const std::string& sha256);
  bool kept();  // a run may be made without bodies

  std::filesystem::path folder_;
  std::map<std::string, double, std::less<>> counted_;
  std::map<std::string, Slot, std::less<>> slots_;
  std::optional<bool> kept_;
  std::vector<std::string> warnings_;
};

}  // namespace tare::analysis
