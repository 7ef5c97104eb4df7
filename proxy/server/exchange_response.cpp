// The response on its way down: its heads, its body as it comes, its end.
#include <fmt/format.h>

#include "proxy/server/exchange.h"
#include "proxy/server/header_policy.h"

namespace tare::server {

Exchange::Step Exchange::pull_response() {
  if (!client_.outbox.empty()) {
    const Flow flow = client_.outbox.flush(*client_.stream);
    if (flow == Flow::blocked) return Step::blocked;
    if (flow != Flow::moved) outcome_ = Outcome::client_gone;
    return Step::moved;
  }
  if (answered_ && response_->is_done()) {
    outcome_ = response_->head().status == 101 ? Outcome::switched : Outcome::complete;
    return Step::moved;
  }
  if (upstream_inbox_.bytes().empty() || response_starved_) {
    const Flow flow = upstream_inbox_.fill(*upstream_).flow;
    if (flow == Flow::blocked) return Step::blocked;
    if (flow != Flow::moved) return upstream_ended(flow);
    heard_ = true;
    response_starved_ = false;
  }
  response_head_.clear();
  if (!answered_) read_response_heads();
  if (outcome_ != Outcome::running) return Step::moved;
  auto& pieces = loop_.pieces;
  pieces.clear();
  if (!response_head_.empty()) pieces.push_back(piece(response_head_));
  const std::size_t first_body = pieces.size();
  if (answered_ && !response_->is_done() && !upstream_inbox_.bytes().empty()) {
    std::size_t used = 0;
    bool sound = response_->parse(upstream_inbox_.bytes(), pieces, used);
    if (sound) {
      upstream_inbox_.consume(used);
      response_starved_ = !upstream_inbox_.bytes().empty();
      sound =
          response_->is_done() || upstream_inbox_.bytes().size() <= loop_.options.max_header_bytes;
    }
    if (!sound) {
      outcome_ = Outcome::cut;
      if (!response_head_.empty()) {  // the client has seen nothing of it yet
        upstream_failed(Ending::upstream_invalid, "sent a body not framed as its header says");
      }
      return Step::moved;
    }
    record_.response_body_bytes += total_bytes(pieces, first_body);
  }
  if (answered_ && !response_head_.empty()) upstream_responds();
  if (answered_ && down_.kind == Framing::Kind::chunked) {
    frame_chunk(pieces, first_body, frame_, response_->is_done(), response_->trailers());
  }
  if (!pieces.empty() && client_.outbox.send(*client_.stream, pieces) == Flow::failed) {
    outcome_ = Outcome::client_gone;
  }
  return Step::moved;
}

// Takes interim heads and the final one off the inbox and puts what the client gets of them into
// response_head_.
void Exchange::read_response_heads() {
  while (!answered_) {
    const std::string_view bytes = upstream_inbox_.bytes();
    const HeadScan scan = scan_head(bytes, scanned_);
    if (scan.state == HeadScan::State::incomplete) {
      response_starved_ = true;
      if (bytes.size() >= loop_.options.max_header_bytes) {
        upstream_failed(Ending::upstream_invalid, "sent a header that is too long");
      }
      return;
    }
    scanned_ = 0;
    response_ = &parser_.emplace();
    response_->skip(head_request_);
    std::size_t used = 0;
    loop_.pieces.clear();
    if (scan.state == HeadScan::State::malformed ||
        !response_->parse(bytes.substr(0, scan.length_bytes), loop_.pieces, used) ||
        !response_->is_header_done()) {  // an empty line is no head
      upstream_failed(Ending::upstream_invalid, "sent something that is not an HTTP response");
      return;
    }
    if (const auto fault = response_fault(response_->head(), asks_to_switch_)) {
      upstream_failed(Ending::upstream_invalid, *fault);
      return;
    }
    pass_response_head();
    upstream_inbox_.consume(used);
  }
}

void Exchange::pass_response_head() {
  const ResponseHead& head = response_->head();
  if (head.status < 200 && head.status != 101) {
    if (client_http11_) append_response_head(response_head_, head, {}, false);
    return;
  }
  if (head_request_ || head.status == 101 || head.status == 204 || head.status == 304) {
    down_ = {};
  } else if (const auto length = response_->content_length()) {
    down_ = {Framing::Kind::length, *length};
  } else {
    down_ = {client_http11_ ? Framing::Kind::chunked : Framing::Kind::until_close};
  }
  if (loop_.stopping || down_.kind == Framing::Kind::until_close) keep_client_ = false;
  append_response_head(response_head_, head, down_, !keep_client_);
  answered_ = true;
  record_.first_byte_time = Clock::now() - begun_;
  // A long stream need not hold a request that will not be sent again.
  if (request_done_) {
    std::string().swap(body_);
    share_.clear();
  }
}

// The client gets a response, so an outage is over.
void Exchange::upstream_responds() {
  std::atomic<bool>& reported = to_.upstream.reported;
  if (reported.load(std::memory_order_relaxed) && reported.exchange(false)) {
    loop_.shared.log(LogLevel::info,
                     fmt::format("upstream {}: responds again", to_.url().authority));
  }
}

Exchange::Step Exchange::upstream_ended(Flow flow) {
  if (!heard_) {
    outcome_ = Outcome::stale;
  } else if (!answered_) {
    upstream_failed(Ending::upstream_invalid, "closed the connection within a response's header");
  } else if (flow == Flow::ended && response_->need_eof() && response_->end()) {
    auto& pieces = loop_.pieces;
    pieces.clear();
    if (down_.kind == Framing::Kind::chunked) {
      frame_chunk(pieces, 0, frame_, true, {});
      if (client_.outbox.send(*client_.stream, pieces) == Flow::failed)
        outcome_ = Outcome::client_gone;
    }
  } else {
    outcome_ = Outcome::cut;
  }
  return Step::moved;
}

}  // namespace tare::server
