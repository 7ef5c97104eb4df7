// What one forwarded tool output keeps of the original, line by line and literal by literal, and
// what it says that is false. The classes and rules are in docs/fidelity.md. Pure; linear in the
// texts, but for a logarithm.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tare::analysis {

// Of lines, literals or facts. Each is in one class: of = kept + derivable + recoverable + lost.
struct Standing {
  std::size_t of = 0;
  std::size_t kept = 0;         // literally there
  std::size_t derivable = 0;    // the arm's own decoder made it again
  std::size_t recoverable = 0;  // behind a marker that the arm resolved
  std::size_t lost = 0;

  void add(const Standing& other);
  bool operator==(const Standing&) const = default;
};

// An output as it was sent and forwarded, and what else is known of it.
struct Evidence {
  std::string_view original;
  std::string_view forwarded;
  std::optional<std::string_view> decoded;      // what the arm's decoder made of it; it has none
  std::span<const std::string> markers;         // the arm's own, in any output: they are not judged
  std::span<const std::string_view> retrieved;  // what came back for those in this output
};

struct OutputScore {
  Standing lines;             // not blank, each as often as it stands there
  std::size_t respelled = 0;  // lost lines whose tokens stand in one forwarded line all the same
  std::size_t moved = 0;      // kept lines that do not stand in the original's order
  std::size_t extra = 0;      // forwarded lines that the original has, but not so often
  Standing literals;          // distinctive ones, each once
  bool exact = false;         // the forwarded text, or what was decoded from it, is the original
  std::size_t own_lines = 0;  // markers, legends, statements of omission
  std::size_t rearranged_lines = 0;     // of JSON: never stood so, but one record says all of it
  std::size_t false_lines = 0;          // unmarked, and never stood in the original
  std::size_t false_numbers = 0;        // in these: numbers that never stood between these words
  std::vector<std::string> lost;        // the first few lost lines
  std::vector<std::string> false_said;  // the first few false lines, whole

  void add(const OutputScore& other);
};

inline constexpr std::size_t most_examples = 5;

OutputScore score_output(const Evidence& evidence);

}  // namespace tare::analysis
