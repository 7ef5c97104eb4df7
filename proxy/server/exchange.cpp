#include "proxy/server/exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/post.hpp>

#include "proxy/server/upstream_connect.h"
#include "proxy/wire/format.h"
#include "proxy/wire/wire.h"

namespace tare::server {

namespace {

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

// The content coding of the body. Nothing when there are several or one that is not known: such a
// body is not touched.
std::optional<wire::Coding> coding_of(const RequestHead& head) {
  std::optional<wire::Coding> found = wire::Coding::identity;
  int codings = 0;
  for (const Field& field : head.fields) {
    if (!equal_names(field.name, "content-encoding")) continue;
    for_each_token(field.value, [&](std::string_view name) {
      found = wire::coding_named(name);
      ++codings;
    });
  }
  return codings > 1 ? std::nullopt : found;
}

// Whether the head says something of the body's bytes that would not hold for others.
bool is_signed(const RequestHead& head) {
  return std::any_of(head.fields.begin(), head.fields.end(), [](const Field& field) {
    return equal_names(field.name, "content-digest") || equal_names(field.name, "repr-digest") ||
           equal_names(field.name, "digest") || equal_names(field.name, "content-md5") ||
           equal_names(field.name, "x-amz-content-sha256");
  });
}

// The client does not want this request rewritten.
bool bypasses(const RequestHead& head) {
  return has_field(head, "x-tare-bypass", "0");
}

// Whether the body is to be collected and rewritten.
bool is_rewritable(const EventLoop& loop, const RequestParser& request) {
  const RequestHead& head = request.head();
  const auto length = request.content_length();
  return !loop.options.forward_only && !request.is_done() &&
         !(length && *length > loop.options.max_body_bytes) &&
         wire::may_hold_outputs(head.method, head.target) && !bypasses(head) && coding_of(head) &&
         !is_signed(head);
}

}  // namespace

Exchange::Exchange(EventLoop& loop, Client& client, Waiter& waiter, Deadline& deadline,
                   RequestParser& request)
    : loop_(loop),
      to_(loop.destination_of(request.head().target)),
      client_(client),
      waiter_(waiter),
      deadline_(deadline),
      request_(request),
      collects_(is_rewritable(loop, request)),
      asks_to_switch_(asks_for_websocket(request.head())),
      forward_(request.head(), to_.url(), loop.access, {!collects_, asks_to_switch_}),
      client_framing_(framing_of(request)),
      client_http11_(request.head().version >= 11),
      keep_client_(request.keep_alive() && client_http11_),
      head_request_(request.head().method == "HEAD"),
      share_(loop.shared.held_bytes),
      upstream_inbox_(loop.scratch) {
  ++loop_.metrics.open_requests;
  if (const wire::Format* format = wire::format_of(request.head().target)) {
    record_.format = format->name();
  }
  if (bypasses(request.head())) record_.rewriting = Rewriting::bypassed;
  if (collects_ || asks_to_switch_) target_ = request.head().target;
  if (!collects_) return;
  coding_ = coding_of(request.head()).value_or(wire::Coding::identity);
  expects_continue_ = client_http11_ && has_field(request.head(), "expect", "");
}

Exchange::~Exchange() {
  if (upstream_) upstream_->close();
  deadline_.clear();
}

Await<Exchange::End> Exchange::run() {
  if (collects_) co_await collect();
  // A body beyond a limit streams on in its own framing, however much of it has come by then.
  held_ = request_.is_done() && !over_limit_;
  if (collects_ && held_ && outcome_ == Outcome::running) co_await rewrite_body();
  head_ = forward_.with(held_ && collects_ ? Framing{Framing::Kind::length, body_.size()}
                                           : client_framing_);
  bool fresh = false;
  while (outcome_ == Outcome::running) {
    co_await find_upstream(fresh);
    if (outcome_ != Outcome::running) break;
    co_await relay();
    if (outcome_ != Outcome::stale) break;
    if (!reused_ || !held_) {
      upstream_failed(Ending::upstream_unreachable, "closed the connection without a response");
      break;
    }
    // The upstream closed an idle connection just as it was taken; what was sent can be sent again.
    fresh = true;
    start_over();
  }
  const bool switched = outcome_ == Outcome::switched;
  if (switched) {
    co_await tunnel();
    keep_client_ = false;
  }
  release_upstream(!switched);
  note_end();
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

Await<> Exchange::find_upstream(bool fresh) {
  if (!fresh) upstream_ = to_.pool.take();
  reused_ = upstream_ != nullptr;
  if (reused_) {
    upstream_->set_owner(&waiter_);
    co_return;
  }
  deadline_.set(loop_.options.connect_timeout);
  Connected connected =
      co_await connect_upstream(loop_, to_.upstream, waiter_, [this] { return waits_on(); });
  upstream_ = std::move(connected.stream);
  if (!upstream_ && outcome_ == Outcome::running) {
    upstream_failed(Ending::upstream_unreachable, connected.fault);
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
    upstream_failed(Ending::upstream_timeout, "did not accept a connection in time");
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
    refuse(Ending::request_timeout, 408, "request_timeout",
           "the request's body did not arrive in time");
  } else {
    upstream_failed(Ending::upstream_timeout, "did not respond in time");
  }
}

// While nothing is expected of the client: notices that it has gone, and keeps what it sends ahead
// (its next request).
void Exchange::watch_client() {
  if (client_.inbox.bytes().size() >= loop_.options.max_header_bytes) return;
  const Flow flow = client_.inbox.fill(*client_.stream).flow;
  if (flow == Flow::ended || flow == Flow::failed) outcome_ = Outcome::client_gone;
}

void Exchange::refuse(Ending ending, unsigned status, std::string_view code, std::string message) {
  outcome_ = answered_ ? Outcome::cut : Outcome::refused;
  record_.ending = ending;
  reply_ = {status, "invalid_request_error", code, std::move(message)};
}

void Exchange::upstream_failed(Ending ending, std::string_view what) {
  outcome_ = Outcome::refused;
  record_.ending = ending;
  reply_ = {ending == Ending::upstream_timeout ? 504U : 502U, "upstream_error", name_of(ending),
            fmt::format("upstream {}: {}", to_.url().authority, what)};
  // Once, not for every request of an outage.
  if (!to_.upstream.reported.exchange(true)) {
    loop_.shared.log(LogLevel::error, reply_.message);
  }
}

// How it went, for the counters.
void Exchange::note_end() {
  if (outcome_ == Outcome::client_gone) {
    record_.ending = Ending::client_gone;
  } else if (outcome_ == Outcome::cut && record_.ending == Ending::answered) {
    record_.ending = loop_.aborting ? Ending::stopped : Ending::upstream_cut;
  }
  record_.status = outcome_ == Outcome::refused ? reply_.status
                   : answered_                  ? response_->head().status
                                                : 0;
  record_.total_time = Clock::now() - begun_;
  --loop_.metrics.open_requests;
  loop_.count(record_);
}

void Exchange::start_over() {
  upstream_->close();
  upstream_.reset();
  outcome_ = Outcome::running;
  held_sent_ = 0;
  request_done_ = false;
  request_broken_ = false;
}

void Exchange::release_upstream(bool may_reuse) {
  if (!upstream_) return;
  const bool reusable = may_reuse && outcome_ == Outcome::complete && request_done_ &&
                        !request_broken_ && response_->keep_alive() &&
                        upstream_inbox_.bytes().empty() && !loop_.stopping;
  if (reusable) {
    to_.pool.give_back(std::move(upstream_));
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
