// Scores a compactor on a folder of tool outputs: what it keeps of each, and whether its decoder
// gives each back. The compactor is a command, text on stdin, shorter text on stdout: any proxy's,
// measured in the same way; no code is shared with ours.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/output_score.h"
#include "analysis/tokenizer.h"
#include "common/error.h"

namespace tare::analysis {

struct CorpusFile {
  std::string name;        // relative to the folder, '/' between its parts
  std::string class_name;  // the first folder of the name; empty for a file at the top
};

// The regular files below `folder`, by name. Left out: what begins with '.', and an index.tsv at
// the top, which describes the others. Errors: usage (no such folder, or no file in it), io.
Result<std::vector<CorpusFile>> list_corpus(const std::filesystem::path& folder);

struct ScoreOptions {
  std::vector<std::string> command;
  std::vector<std::string> decoder;  // empty: it has none, and exactness cannot be told
  std::chrono::milliseconds time_limit = std::chrono::seconds(60);  // of one process
  unsigned jobs = 2;                                                // files at a time
};

// Sums over files; the shares that reports give are of these.
struct KeptSums {
  std::size_t files = 0;
  std::size_t bytes = 0;
  std::size_t bytes_kept = 0;
  std::size_t tokens = 0;
  std::size_t tokens_kept = 0;
  OutputScore said;       // lines, literals and what is false; its `exact` is not summed
  std::size_t exact = 0;  // files that the decoder gave back byte for byte

  void add(const KeptSums& other);
};

struct FileScore {
  CorpusFile file;
  KeptSums kept;              // of this file; zero unless the compactor answered
  std::optional<bool> exact;  // absent: no decoder
  std::string fault;          // why it has no figures, or is not exact

  bool counted() const { return kept.files > 0; }
  bool more_tokens() const { return kept.tokens_kept > kept.tokens; }
};

struct CorpusScore {
  std::vector<std::string> command;
  bool has_decoder = false;
  std::string_view tokenizer;  // "o200k_base" or "estimate"
  std::vector<FileScore> files;

  // Over the files that were counted.
  KeptSums all() const;
  // By class, in the order of their names.
  std::vector<std::pair<std::string, KeptSums>> classes() const;
  // Files without figures, that did not come back exactly, that have more tokens than before, or
  // of which something false is said.
  std::vector<const FileScore*> findings() const;
  // The n files of which most tokens are kept, in share, then in number.
  std::vector<const FileScore*> worst(std::size_t n) const;
};

// Errors: those of list_corpus(); missing when the command or the decoder is not there. A file that
// cannot be read, a command that fails, crashes or runs out of time is that file's fault.
Result<CorpusScore> score_corpus(const std::filesystem::path& folder, const ScoreOptions& options,
                                 const Tokenizer& tokenizer);

}  // namespace tare::analysis
