// Exact o200k_base token counts: the pieces of o200k_pieces.h, each merged byte pair by byte pair
// in the order of the vocabulary's ranks. The ranks (200,000 byte strings) are no part of this
// tree: `tare tokens install` makes the file. A counter is made once and may then be used from
// several threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/error.h"

namespace tare::analysis {

class O200k {
 public:
  // Of the vocabulary's file, whose SHA-256 must be o200k_sha256. Errors: missing, io, invalid.
  static Result<O200k> read(const std::filesystem::path& file);

  // Whether a file's content has o200k_sha256. Errors: invalid, naming `source`.
  static Result<void> check(std::string_view content, const std::string& source);

  // Of any ranks, for tests: lines of "BASE64 RANK", no rank twice. `source` is named in errors.
  static Result<O200k> parse(std::string_view lines, const std::string& source);

  // What is not UTF-8 counts as the U+FFFD that a client's decoder makes of it. Words that stand
  // for control tokens ("<|endoftext|>") are text. A byte that has no rank of its own is a token.
  // Time: n log n in the longest piece, linear in the text.
  std::size_t count(std::string_view text) const;

 private:
  using Rank = std::uint32_t;
  static constexpr Rank no_rank = ~Rank{0};
  class Merge;

  O200k() = default;
  Rank rank_of(std::string_view bytes) const;
  Result<void> add(std::string_view line, const std::string& where);

  std::vector<char> bytes_;  // the tokens' bytes, one after the other
  std::unordered_map<std::string_view, Rank> ranks_;
  std::size_t longest_ = 0;
};

extern const std::string_view o200k_sha256;

}  // namespace tare::analysis
