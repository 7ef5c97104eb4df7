// Texts that many rows share (arms, groups, SHA-256s), kept once: a row holds a view of its text.
// The views live as long as the table. Belongs to one thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace tare::analysis {

class Names {
 public:
  std::string_view keep(std::string_view text) {
    const auto at = kept_.find(text);
    return at == kept_.end() ? std::string_view(*kept_.emplace(text).first) : *at;
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  std::unordered_set<std::string, Hash, std::equal_to<>> kept_;
};

}  // namespace tare::analysis
