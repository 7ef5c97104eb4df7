// A client's WebSocket frames (RFC 6455) on their way to the upstream.
//
// All frames are passed on byte for byte as they come, but for text messages: those are held until
// they are whole, fragments and all, and then either sent as they came or replaced by one frame
// with another text. Control frames that come within a message go ahead of it. Frames that are not
// as the RFC has them (without a mask, with reserved bits) are not judged here: they are passed on.
// Owned by one connection; does no I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/server/frames.h"

namespace tare::server {

class ClientFrames {
 public:
  // `may_hold` is asked before a message grows to so many bytes of memory; false: what is held of
  // it goes on as it came, and so does the rest.
  explicit ClientFrames(std::function<bool(std::size_t)> may_hold)
      : may_hold_(std::move(may_hold)) {}

  // Takes bytes of the client and appends to `out` what goes on now. Returns how many were taken:
  // all, or those up to the end of a text message, which is_whole() then.
  std::size_t take(std::string_view bytes, std::string& out);

  bool is_whole() const { return whole_; }
  // Nothing of a message is held, and no frame is begun.
  bool is_between() const { return !holding_ && !in_frame_ && header_.bytes().empty(); }
  // The text of the message that is whole.
  std::string text() const;
  // Ends it: appends what goes on for it.
  void send_as_it_came(std::string& out);
  // The same with another text, in one frame, masked with the client's own key.
  void send_instead(std::string_view text, std::string& out);

 private:
  // A payload in held_.
  struct Fragment {
    std::size_t at = 0;
    std::size_t bytes = 0;
    FrameMask mask{};
  };

  void begin_frame(const FrameHeader& header, std::string& out);
  void begin_data(const FrameHeader& header, std::string& out);
  void take_payload(std::string_view bytes, std::string& out);
  void end_frame();
  void let_go(std::string& out);

  std::function<bool(std::size_t)> may_hold_;
  FrameHeaderReader header_;  // of the next frame
  bool in_frame_ = false;
  bool frame_held_ = false;  // the frame is part of a held message
  bool frame_final_ = false;
  std::uint64_t payload_left_ = 0;
  bool holding_ = false;  // a text message is being held
  bool whole_ = false;
  std::string held_;  // its frames as they came
  std::vector<Fragment> fragments_;
};

}  // namespace tare::server
