#include "proxy/server/client_frames.h"

#include <algorithm>
#include <limits>

namespace tare::server {

namespace {

constexpr unsigned continuation = 0;
constexpr unsigned text_opcode = 1;
constexpr unsigned first_control = 8;

constexpr unsigned final_bit = 0x80;
constexpr unsigned reserved_bits = 0x70;
constexpr unsigned mask_bit = 0x80;

unsigned byte_of(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

// Applies a mask, or takes it off.
void append_masked(std::string& out, std::string_view bytes, const std::array<char, 4>& mask) {
  const std::size_t start = out.size();
  out.append(bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    out[start + i] = static_cast<char>(out[start + i] ^ mask[i % 4]);
  }
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
      header_.push_back(bytes[used++]);
      if (header_.size() >= 2 && header_.size() == header_bytes()) begin_frame(out);
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

// By the first two bytes.
std::size_t ClientFrames::header_bytes() const {
  const unsigned second = byte_of(header_, 1);
  const unsigned length = second & ~mask_bit;
  return 2 + (length == 127 ? 8U : length == 126 ? 2U : 0U) + ((second & mask_bit) != 0 ? 4U : 0U);
}

void ClientFrames::begin_frame(std::string& out) {
  Header header;
  const unsigned first = byte_of(header_, 0);
  const unsigned second = byte_of(header_, 1);
  header.opcode = first & 0x0f;
  header.final = (first & final_bit) != 0;
  header.plain = (first & reserved_bits) == 0 && (second & mask_bit) != 0;
  const std::size_t length_bytes = (second & ~mask_bit) == 127   ? 8
                                   : (second & ~mask_bit) == 126 ? 2
                                                                 : 0;
  if (length_bytes == 0) header.payload_bytes = second & ~mask_bit;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    header.payload_bytes = header.payload_bytes << 8 | byte_of(header_, 2 + i);
  }
  if (header.plain) std::copy_n(header_.end() - 4, 4, header.mask.begin());
  in_frame_ = true;
  frame_final_ = header.final;
  payload_left_ = header.payload_bytes;
  if (header.opcode >= first_control) {
    frame_held_ = false;
    out += header_;
  } else {
    begin_data(header, out);
  }
  header_.clear();
}

void ClientFrames::begin_data(const Header& header, std::string& out) {
  if (header.opcode == text_opcode && header.plain && !holding_) holding_ = true;
  const bool belongs = header.plain && (header.opcode == continuation ||
                                        (header.opcode == text_opcode && held_.empty()));
  const std::uint64_t size = held_.size() + header_.size() + header.payload_bytes;
  if (holding_ && (!belongs || size < header.payload_bytes ||
                   size > std::numeric_limits<std::size_t>::max() / 2 ||
                   !may_hold_(static_cast<std::size_t>(size)))) {
    let_go(out);
  }
  frame_held_ = holding_;
  if (!frame_held_) {
    out += header_;
    return;
  }
  held_ += header_;
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
  const Mask mask = fragments_.front().mask;
  out.push_back(static_cast<char>(final_bit | text_opcode));
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
