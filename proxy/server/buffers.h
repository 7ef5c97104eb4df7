// Bytes on their way through the proxy: what has been read and not yet parsed, and what has been
// made and not yet taken.
//
// All connections of an event loop read into one large scratch buffer (few system calls, no memory
// for idle connections). An Inbox that still holds unparsed bytes there copies them out only when
// another one needs the scratch. So bytes() and views into it hold until the coroutine sleeps or
// any Inbox is filled, not longer.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "proxy/server/stream.h"

namespace tare::server {

class Inbox;

struct Scratch {
  std::array<char, std::size_t{64} << 10> bytes;
  Inbox* borrower = nullptr;
};

class Inbox {
 public:
  explicit Inbox(Scratch& scratch) : scratch_(scratch) {}
  ~Inbox();
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  std::string_view bytes() const { return bytes_; }
  void consume(std::size_t count) { bytes_.remove_prefix(count); }

  // Reads more behind what is held.
  Moved fill(Stream& stream);
  // Gives memory back when nothing is held.
  void settle();

 private:
  void borrow();
  void keep();

  Scratch& scratch_;
  std::string own_;
  std::string_view bytes_;
};

class Outbox {
 public:
  bool empty() const { return sent_ == left_.size(); }

  // Writes the pieces and keeps a copy of what the stream does not take. Only when empty().
  Flow send(Stream& stream, std::span<const asio::const_buffer> pieces);
  // Goes on with what was kept: moved when that is all gone.
  Flow flush(Stream& stream);

 private:
  std::string left_;
  std::size_t sent_ = 0;
};

}  // namespace tare::server
