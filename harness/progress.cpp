#include "harness/progress.h"

#include <fmt/format.h>

#include <algorithm>

namespace tare::harness {
namespace {

constexpr std::int64_t ns_per_s = 1'000'000'000;
constexpr std::int64_t plain_line_every_ns = 15 * ns_per_s;
constexpr std::size_t bar_width = 24;

std::string duration_text(std::int64_t seconds) {
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (seconds < 3600) return fmt::format("{} min", (seconds + 59) / 60);
  return fmt::format("{} h {} min", seconds / 3600, seconds % 3600 / 60);
}

}  // namespace

Progress::Progress(Clock& clock, std::FILE* out, bool terminal, std::vector<std::string> starts,
                   int groups)
    : clock_(clock),
      out_(out),
      terminal_(terminal),
      starts_(std::move(starts)),
      groups_(groups),
      began_ns_(clock.monotonic_ns()),
      drawn_ns_(began_ns_) {}

void Progress::begin_start(int round, const std::string& arm) {
  round_ = round;
  arm_ = arm;
  groups_done_ = 0;
  start_began_ns_ = clock_.monotonic_ns();
  draw(terminal_);
}

void Progress::end_group() {
  ++groups_done_;
  draw(terminal_);
}

void Progress::end_start() {
  Took& took = took_[arm_];
  took.total_ns += clock_.monotonic_ns() - start_began_ns_;
  ++took.starts;
  ++start_;
  groups_done_ = 0;
  start_began_ns_ = clock_.monotonic_ns();
  draw(terminal_);
}

void Progress::again(std::size_t starts) {
  start_ -= std::min(start_, starts);
}

void Progress::note(const std::string& text) {
  if (out_ == nullptr) return;
  fmt::print(out_, "{}{}\n", terminal_ ? "\r\033[K" : "", text);
  std::fflush(out_);
  if (terminal_) draw(true);
}

void Progress::finish() {
  if (out_ != nullptr && terminal_) fmt::print(out_, "\r\033[K");
  out_ = nullptr;
}

std::optional<std::int64_t> Progress::left_s() const {
  if (took_.empty()) return std::nullopt;
  std::int64_t all_ns = 0;
  std::int64_t all_starts = 0;
  for (const auto& [arm, took] : took_) {
    all_ns += took.total_ns;
    all_starts += took.starts;
  }
  const auto estimate_ns = [&](const std::string& arm) {
    const auto known = took_.find(arm);
    return known != took_.end() ? known->second.total_ns / known->second.starts
                                : all_ns / all_starts;
  };
  const std::int64_t elapsed_ns = clock_.monotonic_ns() - start_began_ns_;
  std::int64_t left_ns = 0;
  for (std::size_t i = start_; i < starts_.size(); ++i) {
    const std::int64_t whole_ns = estimate_ns(starts_[i]);
    left_ns += i == start_ ? std::max<std::int64_t>(whole_ns - elapsed_ns, 0) : whole_ns;
  }
  return std::max<std::int64_t>(left_ns / ns_per_s, 1);
}

std::string Progress::status() const {
  const std::size_t planned = starts_.size() * static_cast<std::size_t>(groups_);
  const std::size_t done = std::min(
      planned, start_ * static_cast<std::size_t>(groups_) + static_cast<std::size_t>(groups_done_));
  std::string text = fmt::format("round {}, {}: {} of {} groups", round_, arm_, done, planned);
  if (const auto seconds = left_s()) text += ", " + duration_text(*seconds) + " left";
  if (!terminal_) return text;
  const std::size_t filled = planned == 0 ? 0 : done * bar_width / planned;
  return fmt::format("[{:=<{}}{:{}}] {}", "", filled, "", bar_width - filled, text);
}

void Progress::draw(bool now) {
  if (out_ == nullptr) return;
  const std::int64_t time_ns = clock_.monotonic_ns();
  if (!now && time_ns - drawn_ns_ < plain_line_every_ns) return;
  drawn_ns_ = time_ns;
  fmt::print(out_, "{}{}{}", terminal_ ? "\r\033[K" : "", status(), terminal_ ? "" : "\n");
  std::fflush(out_);
}

}  // namespace tare::harness
