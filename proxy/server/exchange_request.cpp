// The request on its way up: collected and rewritten, or streamed.
#include <array>
#include <boost/asio/post.hpp>

#include "proxy/server/exchange.h"

namespace tare::server {

namespace {

constexpr std::string_view continue_reply = "HTTP/1.1 100 Continue\r\n\r\n";
// Of the length that a client announces, what it gets memory for before it has sent it.
constexpr std::uint64_t trusted_length_bytes = std::uint64_t{1} << 20;

}  // namespace

Await<> Exchange::collect() {
  body_.reserve(std::min(client_framing_.length_bytes, trusted_length_bytes));
  if (expects_continue_ && client_.inbox.bytes().empty()) {
    const auto interim = piece(continue_reply);
    client_.outbox.send(*client_.stream, std::span(&interim, 1));
  }
  auto& pieces = loop_.pieces;
  for (unsigned turn = 1;; ++turn) {
    if (turn % turns_between_yields == 0) co_await asio::post(loop_.io, use_await);
    if (!client_.inbox.bytes().empty()) {
      std::size_t used = 0;
      pieces.clear();
      if (!request_.parse(client_.inbox.bytes(), pieces, used)) {
        refuse(Ending::refused, 400, "bad_request",
               "the request's body is not framed as its header says");
        co_return;
      }
      for (const auto& part : pieces)
        body_.append(static_cast<const char*>(part.data()), part.size());
      record_.body_received_bytes = body_.size();
      client_.inbox.consume(used);
      over_limit_ = body_.size() > loop_.options.max_body_bytes || !share_.grow_to(body_.size());
      if (over_limit_) record_.rewriting = Rewriting::too_long;
      if (over_limit_ || request_.is_done()) {
        deadline_.clear();
        co_return;
      }
      if (client_.inbox.bytes().size() > loop_.options.max_header_bytes) {
        refuse(Ending::refused, 400, "bad_request",
               "a chunk's header or the trailers are too long");
        co_return;
      }
    }
    const Flow flow = client_.inbox.fill(*client_.stream).flow;
    if (flow == Flow::moved) continue;
    if (flow != Flow::blocked) {
      outcome_ = Outcome::client_gone;
      co_return;
    }
    deadline_.set(loop_.options.body_timeout);
    co_await waiter_.sleep();
    if (loop_.aborting) {
      outcome_ = Outcome::cut;
      co_return;
    }
    if (deadline_.expired()) {
      refuse(Ending::request_timeout, 408, "request_timeout",
             "the request's body did not arrive in time");
      co_return;
    }
  }
}

Await<> Exchange::rewrite_body() {
  const auto begun = Clock::now();
  std::optional<wire::Rewritten> rewritten;
  if (body_.size() <= BodyRewriter::small_body_bytes) {
    rewritten = loop_.rewriter.rewrite_now(target_, coding_, body_);
  }
  if (!rewritten) {
    const auto job = loop_.rewriter.start(std::move(target_), coding_, std::move(body_),
                                          [this] { waiter_.wake(); });
    while (!job->done) {
      watch_client();
      if (loop_.aborting) outcome_ = Outcome::cut;
      if (outcome_ != Outcome::running) {
        job->cancel();
        co_return;
      }
      co_await waiter_.sleep();
    }
    body_ = std::move(job->body);
    rewritten = std::move(job->result);
  }
  record_.rewrite_time = Clock::now() - begun;
  take_rewritten(std::move(*rewritten));
}

void Exchange::take_rewritten(wire::Rewritten rewritten) {
  record_.outputs_found = rewritten.outputs_found;
  record_.outputs_rewritten = rewritten.outputs_rewritten;
  record_.tokens_received = rewritten.tokens_received;
  record_.tokens_sent = rewritten.tokens_sent;
  record_.rewriting = loop_.options.shadow ? Rewriting::shadow : Rewriting::done;
  if (!rewritten.body.empty() && !loop_.options.shadow) body_ = std::move(rewritten.body);
  record_.body_sent_bytes = body_.size();
}

Exchange::Step Exchange::push_request() {
  if (request_done_) return Step::blocked;
  return held_ ? push_held() : push_streamed();
}

Exchange::Step Exchange::push_held() {
  const std::size_t total = head_.size() + body_.size();
  while (held_sent_ < total) {
    const std::size_t from_head = std::min(held_sent_, head_.size());
    const std::array<asio::const_buffer, 2> rest = {
        piece(std::string_view(head_).substr(from_head)),
        piece(std::string_view(body_).substr(held_sent_ - from_head))};
    const Moved moved = upstream_->write(rest);
    if (moved.flow == Flow::blocked) return Step::blocked;
    if (moved.flow == Flow::failed) {
      // It may have answered before it closed: that is for pull_response() to see.
      request_broken_ = true;
      break;
    }
    held_sent_ += moved.bytes;
  }
  request_done_ = true;
  return Step::moved;
}

Exchange::Step Exchange::push_streamed() {
  if (!up_.empty()) {
    const Flow flow = up_.flush(*upstream_);
    if (flow == Flow::blocked) return Step::blocked;
    request_broken_ = flow == Flow::failed;
  }
  if (request_broken_ || (head_sent_ && request_.is_done())) {
    request_done_ = true;
    return Step::moved;
  }
  Inbox& inbox = client_.inbox;
  const bool more = !request_.is_done();  // else what follows is the next request
  if (more && (inbox.bytes().empty() || request_starved_)) {
    const Flow flow = inbox.fill(*client_.stream).flow;
    if (flow == Flow::ended || flow == Flow::failed) {
      outcome_ = Outcome::client_gone;
      return Step::moved;
    }
    if (flow == Flow::blocked && head_sent_) return Step::blocked;
    request_starved_ = flow == Flow::blocked;
  }
  auto& pieces = loop_.pieces;
  pieces.clear();
  if (!head_sent_) pieces.push_back(piece(head_));
  const std::size_t first_body = pieces.size();
  if (!head_sent_ && !body_.empty()) pieces.push_back(piece(body_));
  const std::size_t first_stream = pieces.size();
  if (more && !inbox.bytes().empty() && !request_starved_) {
    std::size_t used = 0;
    if (!request_.parse(inbox.bytes(), pieces, used)) {
      refuse(Ending::refused, 400, "bad_request",
             "the request's body is not framed as its header says");
      return Step::moved;
    }
    inbox.consume(used);
    record_.body_received_bytes += total_bytes(pieces, first_stream);
    request_starved_ = !inbox.bytes().empty();
    if (!request_.is_done() && inbox.bytes().size() > loop_.options.max_header_bytes) {
      refuse(Ending::refused, 400, "bad_request", "a chunk's header or the trailers are too long");
      return Step::moved;
    }
  }
  record_.body_sent_bytes += total_bytes(pieces, first_body);
  if (client_framing_.kind == Framing::Kind::chunked) {
    frame_chunk(pieces, first_body, frame_, request_.is_done(), request_.trailers());
  }
  if (!pieces.empty()) request_broken_ = up_.send(*upstream_, pieces) == Flow::failed;
  head_sent_ = true;
  std::string().swap(body_);
  share_.clear();
  return Step::moved;
}

}  // namespace tare::server
