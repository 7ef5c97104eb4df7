#include "proxy/server/frames.h"

#include <algorithm>
#include <random>

namespace tare::server {

namespace {

constexpr unsigned final_bit = 0x80;
constexpr unsigned reserved_bits = 0x70;
constexpr unsigned mask_bit = 0x80;

unsigned byte_of(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

std::size_t length_bytes(unsigned second) {
  const unsigned length = second & ~mask_bit;
  return length == 127 ? 8 : length == 126 ? 2 : 0;
}

}  // namespace

std::optional<FrameHeader> FrameHeaderReader::take(char byte) {
  bytes_.push_back(byte);
  if (bytes_.size() < 2) return std::nullopt;
  const unsigned first = byte_of(bytes_, 0);
  const unsigned second = byte_of(bytes_, 1);
  FrameHeader header;
  header.masked = (second & mask_bit) != 0;
  if (bytes_.size() < 2 + length_bytes(second) + (header.masked ? 4U : 0U)) return std::nullopt;
  header.opcode = first & 0x0f;
  header.final = (first & final_bit) != 0;
  header.has_reserved_bits = (first & reserved_bits) != 0;
  if (length_bytes(second) == 0) header.payload_bytes = second & ~mask_bit;
  for (std::size_t i = 0; i < length_bytes(second); ++i) {
    header.payload_bytes = header.payload_bytes << 8 | byte_of(bytes_, 2 + i);
  }
  if (header.masked) std::copy_n(bytes_.end() - 4, 4, header.mask.begin());
  return header;
}

std::size_t FrameCursor::advance(std::string_view bytes, bool stop) {
  std::size_t used = 0;
  while (used < bytes.size() && !(stop && is_between())) {
    if (payload_left_ > 0) {
      const auto count =
          static_cast<std::size_t>(std::min<std::uint64_t>(payload_left_, bytes.size() - used));
      payload_left_ -= count;
      used += count;
    } else if (const auto header = header_.take(bytes[used++])) {
      header_.clear();
      payload_left_ = header->payload_bytes;
      if (header->opcode < FrameHeader::first_control) in_message_ = !header->final;
      closed_ |= header->opcode == FrameHeader::close;
    }
  }
  return used;
}

void append_masked(std::string& out, std::string_view bytes, const FrameMask& mask) {
  const std::size_t start = out.size();
  out.append(bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    out[start + i] = static_cast<char>(out[start + i] ^ mask[i % 4]);
  }
}

std::string going_away(bool of_client) {
  constexpr std::string_view payload = "\x03\xe9the proxy is stopping";
  std::string frame(1, static_cast<char>(final_bit | FrameHeader::close));
  if (!of_client) return frame.append(1, static_cast<char>(payload.size())).append(payload);
  std::random_device random;
  FrameMask mask;
  for (char& byte : mask) byte = static_cast<char>(random());
  frame.append(1, static_cast<char>(mask_bit | payload.size())).append(mask.data(), mask.size());
  append_masked(frame, payload, mask);
  return frame;
}

}  // namespace tare::server
