// Just enough HTTP/1.1 for a load tool: requests as bytes, and responses read as they come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace tare::load {

// A POST with its length.
std::string post(std::string_view target, std::string_view body);

// The value of a header field in a head; empty when it is not there. Names in any case.
std::string_view field(std::string_view head, std::string_view name);

// Reads one response after the other. Owned by one connection.
class ResponseReader {
 public:
  // `on_body` gets the body's bytes, framing taken off.
  explicit ResponseReader(std::function<void(std::string_view)> on_body)
      : on_body_(std::move(on_body)) {}

  // How many bytes were used: all, or those up to the end of the response, when is_done() is true.
  std::size_t take(std::string_view bytes);
  // For the next response.
  void reset();

  bool is_done() const { return state_ == State::done; }
  bool is_broken() const { return state_ == State::broken; }
  bool closes() const { return closes_; }  // the server said that the connection ends with it
  int status() const { return status_; }

 private:
  enum class State { head, body, chunk_size, chunk_data, chunk_end, trailers, done, broken };

  std::size_t take_line(std::string_view bytes);
  void begin_body();
  void end_line();
  void give_body(std::string_view bytes);

  std::function<void(std::string_view)> on_body_;
  State state_ = State::head;
  std::string line_;  // or the head, as far as it has come
  std::uint64_t left_ = 0;
  int status_ = 0;
  bool closes_ = false;
};

}  // namespace tare::load
