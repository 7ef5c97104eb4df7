#include "tests/load/http.h"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <charconv>

namespace tare::load {

std::string post(std::string_view target, std::string_view body) {
  return fmt::format(
      "POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Content-Length: {}\r\n\r\n{}",
      target, body.size(), body);
}

std::string_view field(std::string_view head, std::string_view name) {
  for (std::size_t at = head.find("\r\n"); at != std::string_view::npos;
       at = head.find("\r\n", at)) {
    at += 2;
    const std::string_view line = head.substr(at, head.find("\r\n", at) - at);
    if (line.size() <= name.size() || line[name.size()] != ':' ||
        ::strncasecmp(line.data(), name.data(), name.size()) != 0) {
      continue;
    }
    const auto first = line.find_first_not_of(' ', name.size() + 1);
    return first == std::string_view::npos ? std::string_view{} : line.substr(first);
  }
  return {};
}

void ResponseReader::reset() {
  state_ = State::head;
  line_.clear();
  left_ = 0;
  status_ = 0;
  closes_ = false;
}

std::size_t ResponseReader::take(std::string_view bytes) {
  std::size_t used = 0;
  while (used < bytes.size() && !is_done() && !is_broken()) {
    const std::string_view rest = bytes.substr(used);
    if (state_ == State::body || state_ == State::chunk_data) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, rest.size()));
      give_body(rest.substr(0, count));
      used += count;
    } else {
      used += take_line(rest);
    }
  }
  return used;
}

void ResponseReader::give_body(std::string_view bytes) {
  on_body_(bytes);
  left_ -= bytes.size();
  if (left_ == 0) state_ = state_ == State::body ? State::done : State::chunk_end;
}

// Up to the end of a line, or of the head.
std::size_t ResponseReader::take_line(std::string_view bytes) {
  const auto end = bytes.find('\n');
  const std::size_t count = end == std::string_view::npos ? bytes.size() : end + 1;
  line_.append(bytes.substr(0, count));
  if (line_.ends_with('\n')) end_line();
  return count;
}

void ResponseReader::end_line() {
  if (state_ == State::head) {
    if (!line_.ends_with("\r\n\r\n")) return;
    begin_body();
  } else if (state_ == State::chunk_size) {
    const auto parsed = std::from_chars(line_.data(), line_.data() + line_.size(), left_, 16);
    state_ = parsed.ec != std::errc{} ? State::broken
             : left_ == 0             ? State::trailers
                                      : State::chunk_data;
  } else if (state_ == State::chunk_end) {
    state_ = line_ == "\r\n" ? State::chunk_size : State::broken;
  } else if (line_ == "\r\n") {
    state_ = State::done;
  }
  line_.clear();
}

void ResponseReader::begin_body() {
  const std::string_view head = line_;
  if (!head.starts_with("HTTP/1.1 ") || head.size() < 12) {
    state_ = State::broken;
    return;
  }
  std::from_chars(head.data() + 9, head.data() + 12, status_);
  closes_ = field(head, "connection") == "close";
  const std::string_view length = field(head, "content-length");
  std::from_chars(length.data(), length.data() + length.size(), left_);
  if (field(head, "transfer-encoding") == "chunked") {
    state_ = State::chunk_size;
  } else {
    state_ = left_ > 0 ? State::body : State::done;
  }
}

}  // namespace tare::load
