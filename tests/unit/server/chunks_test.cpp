#include "proxy/server/chunks.h"

#include <catch2/catch.hpp>

using namespace tare::server;

namespace {

std::string framed(std::vector<std::string> texts, std::size_t first_body, bool last,
                   const std::string& trailers = {}) {
  std::vector<boost::asio::const_buffer> pieces;
  for (const auto& text : texts) pieces.emplace_back(text.data(), text.size());
  ChunkFrame frame;
  frame_chunk(pieces, first_body, frame, last, trailers);
  std::string out;
  for (const auto& piece : pieces) out.append(static_cast<const char*>(piece.data()), piece.size());
  return out;
}

}  // namespace

TEST_CASE("the pieces of a body become one chunk behind what stands before them") {
  CHECK(framed({"HEAD", "0123456789", "abcdef"}, 1, false) == "HEAD10\r\n0123456789abcdef\r\n");
  CHECK(framed({"x"}, 0, false) == "1\r\nx\r\n");
}

TEST_CASE("the last chunk follows the body, with its trailers") {
  CHECK(framed({"x"}, 0, true) == "1\r\nx\r\n0\r\n\r\n");
  CHECK(framed({}, 0, true) == "0\r\n\r\n");
  CHECK(framed({"HEAD"}, 1, true, "A: 1\r\n") == "HEAD0\r\nA: 1\r\n\r\n");
}

TEST_CASE("no body and no end add nothing: an empty chunk would end the body") {
  CHECK(framed({"HEAD"}, 1, false) == "HEAD");
  CHECK(framed({}, 0, false).empty());
}
