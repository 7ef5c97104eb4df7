// The words of a text, and those that tell one thing from another. Linear in the text. Pure.
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

}  // namespace tare::analysis
