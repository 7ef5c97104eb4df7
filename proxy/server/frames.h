// What both directions of a WebSocket know of frames (RFC 6455): their headers, where a message
// ends, and the frame that closes. Pure; each value belongs to one connection.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tare::server {

using FrameMask = std::array<char, 4>;

struct FrameHeader {
  static constexpr unsigned continuation = 0;
  static constexpr unsigned text = 1;
  static constexpr unsigned first_control = 8;
  static constexpr unsigned close = 8;

  unsigned opcode = 0;
  bool final = false;
  bool masked = false;
  bool has_reserved_bits = false;
  std::uint64_t payload_bytes = 0;
  FrameMask mask{};
};

// Puts a frame's header together, a byte at a time.
class FrameHeaderReader {
 public:
  // The header, once its last byte is given.
  std::optional<FrameHeader> take(char byte);
  // What has come of it.
  const std::string& bytes() const { return bytes_; }
  // For the next one.
  void clear() { bytes_.clear(); }

 private:
  std::string bytes_;
};

// Where a direction's bytes stand between messages.
class FrameCursor {
 public:
  // Follows the bytes; with `stop` only up to the first point where no message is begun. How many.
  std::size_t advance(std::string_view bytes, bool stop);
  // No frame and no fragmented message is begun.
  bool is_between() const { return !in_message_ && payload_left_ == 0 && header_.bytes().empty(); }
  bool has_closed() const { return closed_; }  // a close frame has gone by

 private:
  FrameHeaderReader header_;
  std::uint64_t payload_left_ = 0;
  bool in_message_ = false;
  bool closed_ = false;
};

// Applies a mask, or takes it off.
void append_masked(std::string& out, std::string_view bytes, const FrameMask& mask);

// "Going away" (1001). Of a client, masked; of a server, not.
std::string going_away(bool of_client);

}  // namespace tare::server
