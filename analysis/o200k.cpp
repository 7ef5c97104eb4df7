#include "analysis/o200k.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <queue>

#include "analysis/o200k_pieces.h"
#include "analysis/utf8.h"
#include "common/files.h"
#include "common/hash.h"

namespace tare::analysis {
namespace {

constexpr std::string_view remedy = "type: tare tokens install";

std::optional<unsigned> base64_digit(char c) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto at = digits.find(c);
  if (at == digits.npos) return std::nullopt;
  return static_cast<unsigned>(at);
}

// Appends the bytes; false when the text is not base64.
bool append_base64(std::string_view text, std::vector<char>& bytes) {
  while (text.ends_with('=')) text.remove_suffix(1);
  unsigned bits = 0;
  unsigned held = 0;
  for (const char c : text) {
    const auto digit = base64_digit(c);
    if (!digit) return false;
    bits = ((bits << 6U) | *digit) & 0xFFFFU;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes.push_back(static_cast<char>((bits >> held) & 0xFFU));
  }
  return true;
}

}  // namespace

const std::string_view o200k_sha256 =
    "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d";

// One piece's bytes, joined pair by pair. The parts are a linked list over the piece; the pairs
// stand in a heap by rank, then by place. A pair that has changed since it was put there is known
// by the rank that its left part has now.
class O200k::Merge {
 public:
  explicit Merge(const O200k& vocabulary) : vocabulary_(vocabulary) {}

  std::size_t count(std::string_view piece) {
    if (piece.size() < 2 || vocabulary_.rank_of(piece) != no_rank) return 1;
    piece_ = piece;
    const std::size_t n = piece.size();
    next_.resize(n);
    before_.resize(n);
    pair_rank_.assign(n, no_rank);
    for (std::size_t i = 0; i < n; ++i) {
      next_[i] = i + 1;
      before_[i] = i - 1;
    }
    for (std::size_t i = 0; i < n; ++i) put_pair(i);
    std::size_t parts = n;
    while (!pairs_.empty()) {
      const auto [rank, left] = pairs_.top();
      pairs_.pop();
      if (pair_rank_[left] != rank) continue;
      join(left);
      --parts;
    }
    return parts;
  }

 private:
  struct Pair {
    Rank rank;
    std::size_t left;
    bool operator>(const Pair& other) const {
      return rank != other.rank ? rank > other.rank : left > other.left;
    }
  };

  void put_pair(std::size_t left) {
    pair_rank_[left] = no_rank;
    const std::size_t right = next_[left];
    if (right >= piece_.size()) return;
    const Rank rank = vocabulary_.rank_of(piece_.substr(left, next_[right] - left));
    pair_rank_[left] = rank;
    if (rank != no_rank) pairs_.push({rank, left});
  }

  void join(std::size_t left) {
    const std::size_t right = next_[left];
    next_[left] = next_[right];
    if (next_[left] < piece_.size()) before_[next_[left]] = left;
    pair_rank_[right] = no_rank;
    put_pair(left);
    if (left > 0) put_pair(before_[left]);
  }

  const O200k& vocabulary_;
  std::string_view piece_;
  // By a part's first byte: where the next part and the one before begin, and the rank of the pair
  // of it and the next.
  std::vector<std::size_t> next_;
  std::vector<std::size_t> before_;
  std::vector<Rank> pair_rank_;
  std::priority_queue<Pair, std::vector<Pair>, std::greater<>> pairs_;
};

Result<void> O200k::add(std::string_view line, const std::string& where) {
  const auto fault = [&where] {
    return fail(Error::invalid(where + ": expected \"BASE64 RANK\"", std::string(remedy)));
  };
  const auto blank = line.find(' ');
  if (blank == line.npos) return fault();
  const std::size_t begin = bytes_.size();
  if (!append_base64(line.substr(0, blank), bytes_) || bytes_.size() == begin) return fault();
  Rank rank = 0;
  const char* const end = line.data() + line.size();
  const auto number = std::from_chars(line.data() + blank + 1, end, rank);
  if (number.ec != std::errc() || number.ptr != end || rank == no_rank) return fault();
  const std::string_view token(bytes_.data() + begin, bytes_.size() - begin);
  ranks_.emplace(token, rank);
  longest_ = std::max(longest_, token.size());
  return {};
}

Result<O200k> O200k::parse(std::string_view lines, const std::string& source) {
  O200k made;
  made.bytes_.reserve(lines.size());  // base64 is longer: the tokens stay where they are
  made.ranks_.reserve(static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n')));
  for (std::size_t number = 1; !lines.empty(); ++number) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    auto added = made.add(lines.substr(0, end), fmt::format("{}, line {}", source, number));
    if (!added) return fail(added.error());
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return made;
}

Result<O200k> O200k::read(const std::filesystem::path& file) {
  std::error_code e;
  if (!std::filesystem::exists(file, e)) {
    return fail(Error::missing(file.string() + ": no token ranks here", std::string(remedy)));
  }
  const auto lines = read_file(file);
  if (!lines) return fail(lines.error());
  if (auto right = check(*lines, file.string()); !right) return fail(right.error());
  return parse(*lines, file.string());
}

Result<void> O200k::check(std::string_view content, const std::string& source) {
  if (sha256_hex(content) == o200k_sha256) return {};
  return fail(
      Error::invalid(source + ": these are not the ranks of o200k_base", std::string(remedy)));
}

O200k::Rank O200k::rank_of(std::string_view bytes) const {
  if (bytes.size() > longest_) return no_rank;
  const auto at = ranks_.find(bytes);
  return at == ranks_.end() ? no_rank : at->second;
}

std::size_t O200k::count(std::string_view text) const {
  const std::string whole = well_formed(text);
  Merge merge(*this);
  std::size_t tokens = 0;
  for (std::size_t at = 0; at < whole.size();) {
    const std::size_t end = end_of_piece(whole, at);
    tokens += merge.count(std::string_view(whole).substr(at, end - at));
    at = end;
  }
  return tokens;
}

}  // namespace tare::analysis
