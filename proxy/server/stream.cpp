#include "proxy/server/stream.h"

#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>

namespace tare::server {

namespace {

bool would_block(const error_code& failure) {
  return failure == asio::error::would_block || failure == asio::error::try_again;
}

}  // namespace

Stream::Stream(Socket socket) : socket_(std::move(socket)) {
  error_code ignored;
  socket_.non_blocking(true, ignored);
  socket_.set_option(Tcp::no_delay(true), ignored);
}

Moved Stream::read(std::span<char> into) {
  if (read_armed_) return {};
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

void Stream::end_sending() {
  error_code ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
}

void Stream::close() {
  owner_ = nullptr;
  error_code ignored;
  socket_.close(ignored);
}

void Stream::reset() {
  error_code ignored;
  socket_.set_option(Socket::linger(true, 0), ignored);
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
