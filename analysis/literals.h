// What of a text a reader can still point at in a shorter one: whole lines, and words that tell one
// thing from another. Both linear in the texts. Pure.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace tare::analysis {

// The words of a text: longest runs of ASCII letters, digits and _ - . / @ +, and of bytes above
// 0x7F, without signs at their ends.
std::vector<std::string_view> words_of(std::string_view text);

// The length of the word that begins at `at`, in bytes; 0 when none begins there.
std::size_t word_length(std::string_view text, std::size_t at);

// The words that occur once or twice, have at least four bytes, and hold a digit, '_', '/' or a
// capital after a small letter: identifiers, paths, numbers, hashes. Each once, in order.
std::vector<std::string_view> distinctive_literals(std::string_view text);

struct KeptCount {
  std::size_t of = 0;
  std::size_t kept = 0;
};

// The distinctive literals of `original`, and how many of them are words of `shorter`.
KeptCount literals_kept(std::string_view original, std::string_view shorter);

// The lines of `original` that are not blank, each as often as it is there, and how many of them
// stand in `shorter` as a line or as all of a line but its first word (which may be a mark).
KeptCount lines_kept(std::string_view original, std::string_view shorter);

}  // namespace tare::analysis
