#include "proxy/server/chunks.h"

#include <fmt/format.h>

namespace tare::server {

void frame_chunk(std::vector<boost::asio::const_buffer>& pieces, std::size_t first_body,
                 ChunkFrame& frame, bool last, const std::string& trailers) {
  const std::size_t size = total_bytes(pieces, first_body);
  std::string_view end;
  if (size > 0) {
    const auto written =
        fmt::format_to_n(frame.size_line.data(), frame.size_line.size(), "{:x}\r\n", size).size;
    pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(first_body),
                  piece({frame.size_line.data(), written}));
    end = last ? "\r\n0\r\n" : "\r\n";
  } else {
    end = last ? "0\r\n" : "";
  }
  if (!end.empty()) pieces.push_back(piece(end));
  if (!last) return;
  if (!trailers.empty()) pieces.push_back(piece(trailers));
  pieces.push_back(piece("\r\n"));
}

}  // namespace tare::server
