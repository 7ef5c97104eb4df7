#include "proxy/server/client_frames.h"

#include <algorithm>
#include <limits>

namespace tare::server {

namespace {

constexpr unsigned final_text = 0x80 | FrameHeader::text;
constexpr unsigned mask_bit = 0x80;

// As a client may send it, so that it can be read.
bool is_plain(const FrameHeader& header) {
  return header.masked && !header.has_reserved_bits;
}

// The length in the network's order.
void append_number(std::string& out, std::uint64_t number, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) out.push_back(static_cast<char>(number >> (8 * i) & 0xff));
}

}  // namespace

std::size_t ClientFrames::take(std::string_view bytes, std::string& out) {
  std::size_t used = 0;
  while (used < bytes.size() && !whole_) {
    if (!in_frame_) {
      if (const auto header = header_.take(bytes[used++])) begin_frame(*header, out);
    } else {
      const auto count =
          static_cast<std::size_t>(std::min<std::uint64_t>(payload_left_, bytes.size() - used));
      take_payload(bytes.substr(used, count), out);
      used += count;
    }
    if (in_frame_ && payload_left_ == 0) end_frame();
  }
  return used;
}

void ClientFrames::begin_frame(const FrameHeader& header, std::string& out) {
  in_frame_ = true;
  frame_final_ = header.final;
  payload_left_ = header.payload_bytes;
  if (header.opcode >= FrameHeader::first_control) {
    frame_held_ = false;
    out += header_.bytes();
  } else {
    begin_data(header, out);
  }
  header_.clear();
}

void ClientFrames::begin_data(const FrameHeader& header, std::string& out) {
  if (header.opcode == FrameHeader::text && is_plain(header) && !holding_) holding_ = true;
  const bool belongs = is_plain(header) && (header.opcode == FrameHeader::continuation ||
                                            (header.opcode == FrameHeader::text && held_.empty()));
  // Fragments may be empty, so what is kept of each counts too.
  const std::uint64_t size = held_.size() + header_.bytes().size() +
                             (fragments_.size() + 1) * sizeof(Fragment) + header.payload_bytes;
  if (holding_ && (!belongs || size < header.payload_bytes ||
                   size > std::numeric_limits<std::size_t>::max() / 2 ||
                   !may_hold_(static_cast<std::size_t>(size)))) {
    let_go(out);
  }
  frame_held_ = holding_;
  if (!frame_held_) {
    out += header_.bytes();
    return;
  }
  held_ += header_.bytes();
  fragments_.push_back({held_.size(), static_cast<std::size_t>(header.payload_bytes), header.mask});
}

void ClientFrames::take_payload(std::string_view bytes, std::string& out) {
  (frame_held_ ? held_ : out).append(bytes);
  payload_left_ -= bytes.size();
}

void ClientFrames::end_frame() {
  in_frame_ = false;
  whole_ = frame_held_ && frame_final_;
}

// The message goes on as it came, from here on too.
void ClientFrames::let_go(std::string& out) {
  out += held_;
  std::string().swap(held_);
  fragments_.clear();
  holding_ = false;
}

std::string ClientFrames::text() const {
  std::string text;
  text.reserve(held_.size());
  for (const Fragment& fragment : fragments_) {
    append_masked(text, std::string_view(held_).substr(fragment.at, fragment.bytes), fragment.mask);
  }
  return text;
}

void ClientFrames::send_as_it_came(std::string& out) {
  let_go(out);
  whole_ = false;
}

void ClientFrames::send_instead(std::string_view text, std::string& out) {
  const FrameMask mask = fragments_.front().mask;
  out.push_back(static_cast<char>(final_text));
  if (text.size() < 126) {
    out.push_back(static_cast<char>(mask_bit | text.size()));
  } else if (text.size() <= 0xffff) {
    out.push_back(static_cast<char>(mask_bit | 126));
    append_number(out, text.size(), 2);
  } else {
    out.push_back(static_cast<char>(mask_bit | 127));
    append_number(out, text.size(), 8);
  }
  out.append(mask.data(), mask.size());
  append_masked(out, text, mask);
  std::string dropped;
  let_go(dropped);
  whole_ = false;
}

}  // namespace tare::server
