#include "analysis/o200k_pieces.h"

#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <vector>

using tare::analysis::end_of_piece;

namespace {

std::vector<std::string> pieces(std::string_view text) {
  std::vector<std::string> found;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = end_of_piece(text, at);
    REQUIRE(end > at);
    found.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return found;
}

using Pieces = std::vector<std::string>;

}  // namespace

TEST_CASE("words take one sign or blank in front, and are cut where small letters end") {
  CHECK(pieces("hello world") == Pieces{"hello", " world"});
  CHECK(pieces("HTTPServer") == Pieces{"HTTPServer"});
  CHECK(pieces("getHTTPServerName") == Pieces{"get", "HTTPServer", "Name"});
  CHECK(pieces("snake_case(x)") == Pieces{"snake", "_case", "(x", ")"});
  CHECK(pieces("\tint x") == Pieces{"\tint", " x"});
  CHECK(pieces("ERROR: no") == Pieces{"ERROR", ":", " no"});
  CHECK(pieces("ǅungla ǅUNGLA") == Pieces{"ǅungla", " ǅUNGLA"});
}

TEST_CASE("contractions stay with the word, in any case") {
  CHECK(pieces("don't I'LL we've x'S") == Pieces{"don't", " I'LL", " we've", " x'S"});
  CHECK(pieces("a'\xC5\xBFz") == Pieces{"a'\xC5\xBF", "z"});  // the long s is an s
  CHECK(pieces("don'x 'tis") == Pieces{"don", "'x", " '", "tis"});
  CHECK(pieces("a'resting") == Pieces{"a're", "sting"});
}

TEST_CASE("letters without case and marks go with both cases") {
  CHECK(pieces("日本AB") == Pieces{"日本", "AB"});
  CHECK(pieces("AB日本cd") == Pieces{"AB日本cd"});
  CHECK(pieces("e\u0301t\u0301") == Pieces{"e\u0301t\u0301"});
  CHECK(pieces("\u0301") == Pieces{"\u0301"});
  CHECK(pieces("\u0301AB c") == Pieces{"\u0301", "AB", " c"});
}

TEST_CASE("digits are cut in threes") {
  CHECK(pieces("1234567") == Pieces{"123", "456", "7"});
  CHECK(pieces("a1b") == Pieces{"a", "1", "b"});
  CHECK(pieces("٣٤²½") == Pieces{"٣٤²", "½"});
}

TEST_CASE("signs take a blank in front, and line ends and slashes behind") {
  CHECK(pieces("a {\n\n  b") == Pieces{"a", " {\n\n", " ", " b"});
  CHECK(pieces("http://x") == Pieces{"http", "://", "x"});
  CHECK(pieces("=//\n/x") == Pieces{"=//\n/", "x"});
  CHECK(pieces("a  ==") == Pieces{"a", " ", " =="});
  CHECK(pieces("\u0001\u0002 \u0003") == Pieces{"\u0001\u0002", " \u0003"});
}

TEST_CASE("blanks go up to the last line end, else leave one to what follows") {
  CHECK(pieces("a\n\n    b") == Pieces{"a", "\n\n", "   ", " b"});
  CHECK(pieces("a  \n \n  ") == Pieces{"a", "  \n \n", "  "});
  CHECK(pieces("a   1") == Pieces{"a", "  ", " ", "1"});
  CHECK(pieces("\r\nb") == Pieces{"\r\n", "b"});
  CHECK(pieces("a\u3000\u3000b") == Pieces{"a", "\u3000", "\u3000b"});
  CHECK(pieces("a\u00A0 1") == Pieces{"a", "\u00A0", " ", "1"});
  CHECK(pieces("\x1C b") == Pieces{"\x1C", " b"});  // no blank to the pattern
}

TEST_CASE("a long run is one piece") {
  CHECK(pieces(std::string(1 << 20, 'a')).size() == 1);
  CHECK(pieces(std::string(1 << 20, ' ')).size() == 1);
  CHECK(pieces(std::string(1 << 20, '=')).size() == 1);
  std::string capitals = "日";
  capitals += std::string(1 << 20, 'A');
  CHECK(pieces(capitals).size() == 2);
}
