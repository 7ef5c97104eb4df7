#include "proxy/server/buffers.h"

#include <boost/asio/buffer.hpp>

namespace tare::server {

Inbox::~Inbox() {
  if (scratch_.borrower == this) scratch_.borrower = nullptr;
}

Moved Inbox::fill(Stream& stream) {
  if (bytes_.empty()) {
    settle();
    borrow();
    const Moved moved = stream.read(scratch_.bytes);
    bytes_ = {scratch_.bytes.data(), moved.bytes};
    return moved;
  }
  if (scratch_.borrower == this) keep();
  borrow();
  const Moved moved = stream.read(scratch_.bytes);
  if (moved.flow == Flow::moved) {
    own_.erase(0, own_.size() - bytes_.size());
    own_.append(scratch_.bytes.data(), moved.bytes);
    bytes_ = own_;
  }
  scratch_.borrower = nullptr;
  return moved;
}

void Inbox::settle() {
  if (!bytes_.empty()) return;
  if (scratch_.borrower == this) scratch_.borrower = nullptr;
  std::string().swap(own_);
  bytes_ = {};
}

void Inbox::borrow() {
  if (scratch_.borrower != nullptr && scratch_.borrower != this) scratch_.borrower->keep();
  scratch_.borrower = this;
}

void Inbox::keep() {
  scratch_.borrower = nullptr;
  own_.assign(bytes_);
  bytes_ = own_;
}

Flow Outbox::send(Stream& stream, std::span<const asio::const_buffer> pieces) {
  const Moved moved = stream.write(pieces);
  if (moved.flow == Flow::failed) return moved.flow;
  std::size_t skip = moved.bytes;
  for (const asio::const_buffer& piece : pieces) {
    if (skip < piece.size()) {
      left_.append(static_cast<const char*>(piece.data()) + skip, piece.size() - skip);
      skip = 0;
    } else {
      skip -= piece.size();
    }
  }
  return Flow::moved;
}

Flow Outbox::flush(Stream& stream) {
  while (!empty()) {
    const asio::const_buffer rest(left_.data() + sent_, left_.size() - sent_);
    const Moved moved = stream.write(std::span(&rest, 1));
    if (moved.flow != Flow::moved) return moved.flow;
    sent_ += moved.bytes;
  }
  std::string().swap(left_);
  sent_ = 0;
  return Flow::moved;
}

}  // namespace tare::server
