#include "raw_http.h"

#include <stdexcept>
#include <utility>

namespace tare::test {

bool RawRequest::has_line(const std::string& line) const {
  return head.find("\r\n" + line + "\r\n") != std::string::npos;
}

RawUpstream::RawUpstream() : acceptor_([this] { accept_all(); }) {}

RawUpstream::~RawUpstream() {
  listener_.shutdown();
  acceptor_.join();
  for (auto& peer : peers_) peer.shutdown();
  for (auto& connection : connections_) connection.join();
}

void RawUpstream::reply_to(const std::string& target, std::string reply) {
  const std::lock_guard lock(mutex_);
  replies_[target] = std::move(reply);
}

std::vector<RawRequest> RawUpstream::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void RawUpstream::accept_all() {
  while (auto accepted = listener_.accept_or_end()) {
    Peer& peer = peers_.emplace_back(std::move(*accepted));
    const int connection = static_cast<int>(peers_.size());
    connections_.emplace_back([this, &peer, connection] { serve(peer, connection); });
  }
}

void RawUpstream::serve(Peer& peer, int connection) try {
  for (;;) {
    std::string head = peer.read_head();
    if (!head.ends_with("\r\n\r\n")) return;
    const std::size_t size = content_length(head);
    std::string body = peer.read_bytes(size);
    if (body.size() < size) return;
    const auto from = head.find(' ') + 1;
    const auto target = head.substr(from, head.find(' ', from) - from);
    std::string reply =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\n{\"ok\":1}";
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back({connection, std::move(head), std::move(body)});
      if (const auto set = replies_.find(target); set != replies_.end()) reply = set->second;
    }
    if (!peer.send(reply)) return;
  }
} catch (const std::runtime_error&) {
  // A long silence: what the test wants of this connection has come or never will.
}

}  // namespace tare::test
