// Puts the pieces of a body into one chunk of the chunked coding, without copying them.
#pragma once

#include <array>
#include <boost/asio/buffer.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tare::server {

// A text as a piece of a write; the length of all pieces from one on.
inline boost::asio::const_buffer piece(std::string_view text) {
  return {text.data(), text.size()};
}

inline std::size_t total_bytes(const std::vector<boost::asio::const_buffer>& pieces,
                               std::size_t from) {
  std::size_t total = 0;
  for (std::size_t i = from; i < pieces.size(); ++i) total += pieces[i].size();
  return total;
}

// Holds what the pieces refer to besides the body: it must live until they are written.
struct ChunkFrame {
  std::array<char, 20> size_line;
};

// The body is pieces[first_body..]; what stands before is left alone. `last`: the body ends here,
// with `trailers` ("name: value CRLF" lines). Adds nothing when there is no body and it does not
// end.
void frame_chunk(std::vector<boost::asio::const_buffer>& pieces, std::size_t first_body,
                 ChunkFrame& frame, bool last, const std::string& trailers);

}  // namespace tare::server
