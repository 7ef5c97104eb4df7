#include "proxy/server/stream.h"

#include <sys/socket.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <cerrno>

namespace tare::server {

namespace {

bool would_block(const error_code& failure) {
  return failure == asio::error::would_block || failure == asio::error::try_again;
}

// Fills `into` with the bytes of the pieces from an offset on; how many there were.
std::size_t copy_from(std::span<const asio::const_buffer> pieces, std::size_t offset,
                      std::span<char> into) {
  std::size_t copied = 0;
  for (const asio::const_buffer& piece : pieces) {
    if (offset >= piece.size()) {
      offset -= piece.size();
      continue;
    }
    copied +=
        asio::buffer_copy(asio::buffer(into.data() + copied, into.size() - copied), piece + offset);
    offset = 0;
  }
  return copied;
}

}  // namespace

Stream::Stream(Socket socket) : socket_(std::move(socket)) {
  error_code ignored;
  socket_.non_blocking(true, ignored);
  socket_.set_option(Tcp::no_delay(true), ignored);
}

Moved Stream::read(std::span<char> into) {
  if (read_armed_) return {};
  if (tls_) return read_tls(into);
  error_code failure;
  const std::size_t bytes = socket_.read_some(asio::buffer(into.data(), into.size()), failure);
  if (would_block(failure)) {
    arm_read();
    return {};
  }
  if (failure) return {failure == asio::error::eof ? Flow::ended : Flow::failed};
  // A short read has taken all there was: another would only be told to wait.
  if (bytes < into.size()) arm_read();
  return {Flow::moved, bytes};
}

Moved Stream::write(std::span<const asio::const_buffer> pieces) {
  if (write_armed_) return {};
  if (tls_) return write_tls(pieces);
  error_code failure;
  const std::size_t bytes = socket_.write_some(pieces, failure);
  if (would_block(failure)) {
    arm_write();
    return {};
  }
  if (failure) return {Flow::failed};
  return {Flow::moved, bytes};
}

void Stream::watch() {
  if (!read_armed_) arm_read();
}

bool Stream::is_silent() {
  char next = 0;
  const auto got = ::recv(socket_.native_handle(), &next, 1, MSG_PEEK | MSG_DONTWAIT);
  if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
  return got > 0 && tls_ && tls_->read({&next, 1}).state == TlsChannel::State::wants_read;
}

void Stream::connect(const Tcp::endpoint& to) {
  connecting_ = true;
  connect_failure_ = 0;
  if (::connect(socket_.native_handle(), to.data(), static_cast<socklen_t>(to.size())) != 0 &&
      errno != EINPROGRESS) {
    connect_failure_ = errno;
    return;
  }
  arm_write();
}

error_code Stream::connect_error() {
  connecting_ = false;
  int failure = connect_failure_;
  socklen_t size = sizeof failure;
  if (failure == 0 &&
      ::getsockopt(socket_.native_handle(), SOL_SOCKET, SO_ERROR, &failure, &size) != 0) {
    failure = errno;
  }
  return {failure, boost::system::system_category()};
}

void Stream::start_tls(const TlsContext& context, const std::string& host) {
  tls_ = std::make_unique<TlsChannel>(context, socket_.native_handle(), host);
}

Flow Stream::handshake() {
  return read_armed_ || write_armed_ ? Flow::blocked : wait_for(tls_->handshake().state);
}

Flow Stream::wait_for(TlsChannel::State state) {
  switch (state) {
    case TlsChannel::State::moved:
      return Flow::moved;
    case TlsChannel::State::wants_read:
      watch();
      return Flow::blocked;
    case TlsChannel::State::wants_write:
      if (!write_armed_) arm_write();
      return Flow::blocked;
    case TlsChannel::State::ended:
      return Flow::ended;
    case TlsChannel::State::failed:
      return Flow::failed;
  }
  return Flow::failed;
}

// Several records at a time, as long as there are some: the channel may hold what the socket does
// not announce any more.
Moved Stream::read_tls(std::span<char> into) {
  std::size_t total = 0;
  while (total < into.size()) {
    const auto outcome = tls_->read(into.subspan(total));
    const Flow flow = wait_for(outcome.state);
    if (flow != Flow::moved) return {total > 0 ? Flow::moved : flow, total};
    total += outcome.bytes;
  }
  return {Flow::moved, total};
}

// In records as large as they may be, so that a head and its body share one.
Moved Stream::write_tls(std::span<const asio::const_buffer> pieces) {
  constexpr std::size_t record_bytes = std::size_t{16} << 10;
  thread_local std::array<char, record_bytes> record;
  std::size_t total = 0;
  const std::size_t all = asio::buffer_size(pieces);
  while (total < all) {
    const std::size_t size = copy_from(pieces, total, record);
    const auto outcome = tls_->write({record.data(), size});
    const Flow flow = wait_for(outcome.state);
    if (flow != Flow::moved) {
      return {total > 0 ? Flow::moved : flow == Flow::ended ? Flow::failed : flow, total};
    }
    total += outcome.bytes;
  }
  return {Flow::moved, total};
}

void Stream::end_sending() {
  if (tls_) tls_->end_sending();
  error_code ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
}

void Stream::close() {
  owner_ = nullptr;
  if (tls_) tls_->end_sending();
  tls_.reset();
  error_code ignored;
  socket_.close(ignored);
}

void Stream::reset() {
  error_code ignored;
  socket_.set_option(Socket::linger(true, 0), ignored);
  tls_.reset();
  close();
}

void Stream::arm_read() {
  read_armed_ = true;
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](error_code) {
    self->read_armed_ = false;
    if (self->owner_ != nullptr) self->owner_->wake();
  });
}

void Stream::arm_write() {
  write_armed_ = true;
  socket_.async_wait(Socket::wait_write, [self = shared_from_this()](error_code) {
    self->write_armed_ = false;
    if (self->owner_ != nullptr) self->owner_->wake();
  });
}

}  // namespace tare::server
