#include "proxy/server/exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <cstdio>

#include "proxy/server/header_policy.h"
#include "proxy/server/upstream_connect.h"
#include "proxy/wire/wire.h"

namespace tare::server {

namespace {

constexpr std::string_view continue_reply = "HTTP/1.1 100 Continue\r\n\r\n";
// A connection that can always go on still lets the others run now and then.
constexpr unsigned turns_between_yields = 16;
// Of the length that a client announces, what it gets memory for before it has sent it.
constexpr std::uint64_t trusted_length_bytes = std::uint64_t{1} << 20;

asio::const_buffer piece(std::string_view text) {
  return {text.data(), text.size()};
}

bool has_field(const RequestHead& head, std::string_view name, std::string_view other_than) {
  return std::any_of(head.fields.begin(), head.fields.end(), [&](const Field& field) {
    return equal_names(field.name, name) && !equal_names(field.value, other_than);
  });
}

Framing framing_of(const RequestParser& request) {
  if (request.chunked()) return {Framing::Kind::chunked};
  if (const auto length = request.content_length()) return {Framing::Kind::length, *length};
  return {};
}

// Whether the body is to be collected and rewritten.
bool is_rewritable(const EventLoop& loop, const RequestParser& request) {
  const RequestHead& head = request.head();
  const auto length = request.content_length();
  return !loop.options.forward_only && !request.is_done() &&
         !(length && *length > loop.options.max_body_bytes) &&
         !has_field(head, "content-encoding", "identity") &&
         wire::may_hold_outputs(head.method, head.target);
}

}  // namespace

Exchange::Exchange(EventLoop& loop, Client& client, Waiter& waiter, Deadline& deadline,
                   RequestParser& request)
    : loop_(loop),
      client_(client),
      waiter_(waiter),
      deadline_(deadline),
      request_(request),
      collects_(is_rewritable(loop, request)),
      forward_(request.head(), loop.upstream, loop.access, !collects_),
      client_framing_(framing_of(request)),
      client_http11_(request.head().version >= 11),
      keep_client_(request.keep_alive() && client_http11_),
      head_request_(request.head().method == "HEAD"),
      upstream_inbox_(loop.scratch) {
  if (!collects_) return;
  target_ = request.head().target;
  expects_continue_ = client_http11_ && has_field(request.head(), "expect", "");
}

Exchange::~Exchange() {
  if (upstream_) upstream_->close();
  deadline_.clear();
}

Await<Exchange::End> Exchange::run() {
  if (collects_) co_await collect();
  // A body beyond the limit streams on in its own framing, however much of it has come by then.
  held_ = request_.is_done() && body_.size() <= loop_.options.max_body_bytes;
  head_ = forward_.with(held_ && collects_ ? Framing{Framing::Kind::length, body_.size()}
                                           : client_framing_);
  bool fresh = false;
  while (outcome_ == Outcome::running) {
    co_await find_upstream(fresh);
    if (outcome_ != Outcome::running) break;
    co_await relay();
    if (outcome_ != Outcome::stale) break;
    if (!reused_ || !held_) {
      upstream_failed(502, "upstream_unreachable", "closed the connection without a response");
      break;
    }
    // The upstream closed an idle connection just as it was taken; what was sent can be sent again.
    fresh = true;
    start_over();
  }
  release_upstream();
  const bool goes_on = keep_client_ && request_.is_done();
  switch (outcome_) {
    case Outcome::complete:
      co_return goes_on ? End::keep : End::finish;
    case Outcome::refused:
      co_return co_await reply();
    case Outcome::cut:
      co_return down_.kind == Framing::Kind::until_close ? End::reset : End::cut;
    default:
      co_return End::cut;
  }
}

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
        refuse(400, "bad_request", "the request's body is not framed as its header says");
        co_return;
      }
      for (const auto& part : pieces)
        body_.append(static_cast<const char*>(part.data()), part.size());
      client_.inbox.consume(used);
      if (body_.size() > loop_.options.max_body_bytes) co_return;
      if (request_.is_done()) break;
      if (client_.inbox.bytes().size() > loop_.options.max_header_bytes) {
        refuse(400, "bad_request", "a chunk's header or the trailers are too long");
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
      refuse(408, "request_timeout", "the request's body did not arrive in time");
      co_return;
    }
  }
  auto rewritten = loop_.rewriter.rewrite(target_, body_);
  if (!rewritten.body.empty()) body_ = std::move(rewritten.body);
}

Await<> Exchange::find_upstream(bool fresh) {
  if (!fresh) upstream_ = loop_.pool.take();
  reused_ = upstream_ != nullptr;
  if (reused_) {
    upstream_->set_owner(&waiter_);
    co_return;
  }
  deadline_.set(loop_.options.connect_timeout);
  Connected connected = co_await connect_upstream(loop_, waiter_, [this] { return waits_on(); });
  upstream_ = std::move(connected.stream);
  if (!upstream_ && outcome_ == Outcome::running) {
    upstream_failed(502, "upstream_unreachable", connected.failure.message());
  }
}

// Whether it is worth while to wait for the connection.
bool Exchange::waits_on() {
  if (loop_.aborting) {
    outcome_ = Outcome::cut;
  } else {
    watch_client();
  }
  if (outcome_ == Outcome::running && deadline_.expired()) {
    upstream_failed(504, "upstream_timeout", "did not accept a connection in time");
  }
  return outcome_ == Outcome::running;
}

Await<> Exchange::relay() {
  for (unsigned turn = 1;; ++turn) {
    const Step up = push_request();
    if (outcome_ != Outcome::running) co_return;
    const Step down = pull_response();
    if (outcome_ != Outcome::running) co_return;
    if (up == Step::moved || down == Step::moved) {
      if (turn % turns_between_yields == 0) co_await asio::post(loop_.io, use_await);
      continue;
    }
    if (request_done_) watch_client();
    if (outcome_ != Outcome::running) co_return;
    const bool awaits_client = !request_done_ && !held_ && up_.empty();
    deadline_.set(awaits_client ? loop_.options.body_timeout : loop_.options.upstream_timeout);
    co_await waiter_.sleep();
    if (loop_.aborting) {
      outcome_ = Outcome::cut;
      co_return;
    }
    if (deadline_.expired()) {
      on_timeout();
      co_return;
    }
  }
}

void Exchange::on_timeout() {
  if (answered_) {
    outcome_ = Outcome::cut;
  } else if (!request_done_ && !held_ && up_.empty()) {
    refuse(408, "request_timeout", "the request's body did not arrive in time");
  } else {
    upstream_failed(504, "upstream_timeout", "did not respond in time");
  }
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
  if (more && !inbox.bytes().empty() && !request_starved_) {
    std::size_t used = 0;
    if (!request_.parse(inbox.bytes(), pieces, used)) {
      refuse(400, "bad_request", "the request's body is not framed as its header says");
      return Step::moved;
    }
    inbox.consume(used);
    request_starved_ = !inbox.bytes().empty();
    if (!request_.is_done() && inbox.bytes().size() > loop_.options.max_header_bytes) {
      refuse(400, "bad_request", "a chunk's header or the trailers are too long");
      return Step::moved;
    }
  }
  if (client_framing_.kind == Framing::Kind::chunked) {
    frame_chunk(pieces, first_body, frame_, request_.is_done(), request_.trailers());
  }
  if (!pieces.empty()) request_broken_ = up_.send(*upstream_, pieces) == Flow::failed;
  head_sent_ = true;
  std::string().swap(body_);
  return Step::moved;
}

Exchange::Step Exchange::pull_response() {
  if (!client_.outbox.empty()) {
    const Flow flow = client_.outbox.flush(*client_.stream);
    if (flow == Flow::blocked) return Step::blocked;
    if (flow != Flow::moved) outcome_ = Outcome::client_gone;
    return Step::moved;
  }
  if (answered_ && response_->is_done()) {
    outcome_ = Outcome::complete;
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
    if (!response_->parse(upstream_inbox_.bytes(), pieces, used)) {
      outcome_ = Outcome::cut;
      if (!response_head_.empty()) {  // the client has seen nothing of it yet
        upstream_failed(502, "upstream_invalid", "sent a body not framed as its header says");
      }
      return Step::moved;
    }
    upstream_inbox_.consume(used);
    response_starved_ = !upstream_inbox_.bytes().empty();
    if (!response_->is_done() && upstream_inbox_.bytes().size() > loop_.options.max_header_bytes) {
      outcome_ = Outcome::cut;
      return Step::moved;
    }
  }
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
        upstream_failed(502, "upstream_invalid", "sent a header that is too long");
      }
      return;
    }
    scanned_ = 0;
    response_ = &parser_.emplace();
    response_->skip(head_request_);
    std::size_t used = 0;
    loop_.pieces.clear();
    if (scan.state == HeadScan::State::malformed ||
        !response_->parse(bytes.substr(0, scan.length_bytes), loop_.pieces, used)) {
      upstream_failed(502, "upstream_invalid", "sent something that is not an HTTP response");
      return;
    }
    if (const auto fault = response_fault(response_->head())) {
      upstream_failed(502, "upstream_invalid", *fault);
      return;
    }
    pass_response_head();
    upstream_inbox_.consume(used);
  }
}

void Exchange::pass_response_head() {
  const ResponseHead& head = response_->head();
  if (head.status < 200) {
    if (client_http11_) append_response_head(response_head_, head, {}, false);
    return;
  }
  if (head_request_ || head.status == 204 || head.status == 304) {
    down_ = {};
  } else if (const auto length = response_->content_length()) {
    down_ = {Framing::Kind::length, *length};
  } else {
    down_ = {client_http11_ ? Framing::Kind::chunked : Framing::Kind::until_close};
  }
  if (loop_.stopping || down_.kind == Framing::Kind::until_close) keep_client_ = false;
  append_response_head(response_head_, head, down_, !keep_client_);
  answered_ = true;
  loop_.upstream_reported = false;
  // A long stream need not hold a request that will not be sent again.
  if (request_done_) std::string().swap(body_);
}

Exchange::Step Exchange::upstream_ended(Flow flow) {
  if (!heard_) {
    outcome_ = Outcome::stale;
  } else if (!answered_) {
    upstream_failed(502, "upstream_invalid", "closed the connection within a response's header");
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

// While nothing is expected of the client: notices that it has gone, and keeps what it sends ahead
// (its next request).
void Exchange::watch_client() {
  if (client_.inbox.bytes().size() >= loop_.options.max_header_bytes) return;
  const Flow flow = client_.inbox.fill(*client_.stream).flow;
  if (flow == Flow::ended || flow == Flow::failed) outcome_ = Outcome::client_gone;
}

void Exchange::refuse(unsigned status, std::string_view code, std::string message) {
  outcome_ = answered_ ? Outcome::cut : Outcome::refused;
  reply_ = {status, "invalid_request_error", code, std::move(message)};
}

void Exchange::upstream_failed(unsigned status, std::string_view code, std::string_view what) {
  outcome_ = Outcome::refused;
  reply_ = {status, "upstream_error", code,
            fmt::format("upstream {}: {}", loop_.upstream.authority, what)};
  // Once, not for every request of an outage.
  if (!loop_.upstream_reported) fmt::print(stderr, "tare-proxy: {}\n", reply_.message);
  loop_.upstream_reported = true;
}

void Exchange::start_over() {
  upstream_->close();
  upstream_.reset();
  outcome_ = Outcome::running;
  held_sent_ = 0;
  request_done_ = false;
  request_broken_ = false;
}

void Exchange::release_upstream() {
  if (!upstream_) return;
  const bool reusable = outcome_ == Outcome::complete && request_done_ && !request_broken_ &&
                        response_->keep_alive() && upstream_inbox_.bytes().empty() &&
                        !loop_.stopping;
  if (reusable) {
    loop_.pool.give_back(std::move(upstream_));
  } else {
    upstream_->close();
  }
  upstream_.reset();
}

Await<bool> Exchange::flush_client() {
  deadline_.set(loop_.options.body_timeout);
  while (!client_.outbox.empty()) {
    const Flow flow = client_.outbox.flush(*client_.stream);
    if (flow == Flow::moved) break;
    if (flow != Flow::blocked) co_return false;
    co_await waiter_.sleep();
    if (loop_.aborting || deadline_.expired()) co_return false;
  }
  co_return true;
}

Await<Exchange::End> Exchange::reply() {
  if (!request_.is_done() || loop_.stopping) keep_client_ = false;
  const bool ready = co_await flush_client();
  if (!ready) co_return End::cut;
  const std::string text = write_reply(reply_, !keep_client_, !head_request_);
  const auto whole = piece(text);
  if (client_.outbox.send(*client_.stream, std::span(&whole, 1)) == Flow::failed)
    co_return End::cut;
  const bool sent = co_await flush_client();
  if (!sent) co_return End::cut;
  co_return keep_client_ ? End::keep : End::finish;
}

}  // namespace tare::server
