#include "analysis/corpus_score.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "analysis/filter_command.h"
#include "common/files.h"

namespace tare::analysis {
namespace {

namespace fs = std::filesystem;

class Scorer {
 public:
  Scorer(const fs::path& folder, const ScoreOptions& options, const Tokenizer& tokenizer)
      : folder_(folder), options_(options), tokenizer_(tokenizer) {}

  // An error only when a program is missing, which no file can do without.
  Result<void> score(FileScore& score) const {
    const auto original = read_file(folder_ / score.file.name);
    if (!original) return fault(score, original.error());
    const auto shorter = run_filter(options_.command, *original, options_.time_limit);
    if (!shorter) return fault(score, shorter.error());
    if (options_.decoder.empty()) {
      score.kept = sums(*original, *shorter, std::nullopt);
      return {};
    }
    const auto decoded = run_filter(options_.decoder, *shorter, options_.time_limit);
    score.exact = decoded && *decoded == *original;
    score.kept = sums(*original, *shorter, decoded ? std::optional(*decoded) : std::nullopt);
    score.kept.exact = *score.exact ? 1 : 0;
    if (!decoded) return fault(score, decoded.error());
    if (!*score.exact) score.fault = "the decoder gave back another text";
    return {};
  }

 private:
  static Result<void> fault(FileScore& score, const Error& error) {
    if (error.code == Error::Code::missing) return fail(error);
    score.fault = error.message;
    return {};
  }

  KeptSums sums(std::string_view original, std::string_view shorter,
                std::optional<std::string_view> decoded) const {
    return {.files = 1,
            .bytes = original.size(),
            .bytes_kept = shorter.size(),
            .tokens = tokenizer_.count(original),
            .tokens_kept = tokenizer_.count(shorter),
            .said = score_output({.original = original,
                                  .forwarded = shorter,
                                  .decoded = decoded,
                                  .markers = {},
                                  .retrieved = {}}),
            .exact = 0};
  }

  const fs::path& folder_;
  const ScoreOptions& options_;
  const Tokenizer& tokenizer_;
};

// Calls work(i) for each i below n from a few threads; the first error ends it.
template <typename Work>
Result<void> in_parallel(std::size_t n, unsigned jobs, Work work) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  Result<void> outcome;
  {
    std::vector<std::jthread> threads;
    for (unsigned job = 0; job < std::max(1U, jobs); ++job) {
      threads.emplace_back([&] {
        for (std::size_t i = next++; i < n; i = next++) {
          if (auto done = work(i); !done) {
            const std::lock_guard lock(mutex);
            outcome = std::move(done);
            next = n;
          }
        }
      });
    }
  }
  return outcome;
}

double share_kept(const FileScore& score) {
  if (score.kept.tokens == 0) return score.kept.tokens_kept == 0 ? 0 : 1;
  return static_cast<double>(score.kept.tokens_kept) / static_cast<double>(score.kept.tokens);
}

}  // namespace

Result<std::vector<CorpusFile>> list_corpus(const fs::path& folder) {
  std::error_code e;
  if (!fs::is_directory(folder, e)) {
    return fail(
        Error::usage(folder.string() + ": no such folder", "give a folder of tool outputs"));
  }
  std::vector<CorpusFile> files;
  auto at = fs::recursive_directory_iterator(folder, e);
  for (; !e && at != fs::recursive_directory_iterator(); at.increment(e)) {
    const bool hidden = at->path().filename().string().starts_with('.');
    std::error_code gone;
    if (hidden && at->is_directory(gone)) at.disable_recursion_pending();
    if (hidden || !at->is_regular_file(gone)) continue;
    const auto name = at->path().lexically_relative(folder);
    if (name == "index.tsv") continue;
    const bool at_top = name.parent_path().empty();
    files.push_back({name.generic_string(), at_top ? "" : name.begin()->string()});
  }
  if (e) return fail(Error::io_errno(folder.string() + ": cannot list", e.value()));
  if (files.empty()) {
    return fail(
        Error::usage(folder.string() + ": no files in it", "give a folder of tool outputs"));
  }
  std::ranges::sort(files, {}, &CorpusFile::name);
  return files;
}

void KeptSums::add(const KeptSums& other) {
  files += other.files;
  bytes += other.bytes;
  bytes_kept += other.bytes_kept;
  tokens += other.tokens;
  tokens_kept += other.tokens_kept;
  said.add(other.said);
  exact += other.exact;
}

KeptSums CorpusScore::all() const {
  KeptSums sums;
  for (const auto& file : files) sums.add(file.kept);
  return sums;
}

std::vector<std::pair<std::string, KeptSums>> CorpusScore::classes() const {
  std::map<std::string, KeptSums> sums;
  for (const auto& file : files) sums[file.file.class_name].add(file.kept);
  return {sums.begin(), sums.end()};
}

std::vector<const FileScore*> CorpusScore::findings() const {
  std::vector<const FileScore*> found;
  for (const auto& file : files) {
    const bool says_false = file.kept.said.false_lines > 0;
    if (!file.fault.empty() || file.more_tokens() || says_false) found.push_back(&file);
  }
  return found;
}

std::vector<const FileScore*> CorpusScore::worst(std::size_t n) const {
  std::vector<const FileScore*> sorted;
  for (const auto& file : files) {
    if (file.counted()) sorted.push_back(&file);
  }
  std::ranges::sort(sorted, [](const FileScore* a, const FileScore* b) {
    const double share_a = share_kept(*a);
    const double share_b = share_kept(*b);
    if (share_a != share_b) return share_a > share_b;
    if (a->kept.tokens != b->kept.tokens) return a->kept.tokens > b->kept.tokens;
    return a->file.name < b->file.name;
  });
  sorted.resize(std::min(n, sorted.size()));
  return sorted;
}

Result<CorpusScore> score_corpus(const fs::path& folder, const ScoreOptions& options,
                                 const Tokenizer& tokenizer) {
  auto files = list_corpus(folder);
  if (!files) return fail(files.error());
  CorpusScore score;
  score.command = options.command;
  score.has_decoder = !options.decoder.empty();
  score.tokenizer = tokenizer.name();
  for (auto& file : *files) score.files.emplace_back().file = std::move(file);
  const Scorer scorer(folder, options, tokenizer);
  const auto scored = in_parallel(score.files.size(), options.jobs,
                                  [&](std::size_t i) { return scorer.score(score.files[i]); });
  if (!scored) return fail(scored.error());
  return score;
}

}  // namespace tare::analysis
