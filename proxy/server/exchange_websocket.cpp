// After the upgrade: bytes both ways, the client's messages rewritten on their way.
#include <fmt/format.h>

#include <boost/asio/post.hpp>
#include <utility>

#include "proxy/server/client_frames.h"
#include "proxy/server/exchange.h"
#include "proxy/server/frames.h"
#include "proxy/wire/response_message.h"

namespace tare::server {

// The client's direction: its frames, and the message that is being rewritten.
struct Exchange::Tunnel {
  explicit Tunnel(std::function<bool(std::size_t)> may_hold) : frames(std::move(may_hold)) {}

  ClientFrames frames;
  bool rewrites = false;            // messages are looked into
  std::shared_ptr<RewriteJob> job;  // null: none
  std::string out;                  // of the frames, for the upstream
  // Where either direction stands, and whether our close has been put into it: the server stops.
  FrameCursor up, down;
  bool closed_up = false;
  bool closed_down = false;
};

Await<> Exchange::tunnel() {
  Tunnel tunnel([this](std::size_t bytes) {
    return bytes <= loop_.options.max_body_bytes && share_.grow_to(bytes);
  });
  tunnel.rewrites = !loop_.options.forward_only && record_.rewriting != Rewriting::bypassed &&
                    wire::may_hold_outputs("POST", target_);
  outcome_ = Outcome::running;
  for (unsigned turn = 1;; ++turn) {
    const Step up = tunnel_up(tunnel);
    if (outcome_ != Outcome::running) break;
    const Step down = tunnel_down(tunnel);
    if (outcome_ != Outcome::running) break;
    if (tunnel.closed_up && up_.empty() && client_.outbox.empty()) {
      outcome_ = Outcome::complete;
      record_.ending = Ending::stopped;
      break;
    }
    if (up == Step::moved || down == Step::moved) {
      if (turn % turns_between_yields == 0) co_await asio::post(loop_.io, use_await);
      continue;
    }
    deadline_.set(loop_.options.upstream_timeout);
    co_await waiter_.sleep();
    if (loop_.aborting || deadline_.expired()) {
      outcome_ = Outcome::cut;
      break;
    }
  }
  if (tunnel.job) tunnel.job->cancel();
}

Exchange::Step Exchange::tunnel_down(Tunnel& tunnel) {
  if (!client_.outbox.empty()) {
    const Flow flow = client_.outbox.flush(*client_.stream);
    if (flow == Flow::failed) outcome_ = Outcome::client_gone;
    return flow == Flow::blocked ? Step::blocked : Step::moved;
  }
  if (loop_.stopping && tunnel.down.is_between()) return close_down(tunnel);
  if (upstream_inbox_.bytes().empty()) {
    const Flow flow = upstream_inbox_.fill(*upstream_).flow;
    if (flow == Flow::blocked) return Step::blocked;
    if (flow != Flow::moved) {
      outcome_ = flow == Flow::ended ? Outcome::complete : Outcome::cut;
      return Step::moved;
    }
  }
  const std::string_view bytes = upstream_inbox_.bytes();
  const std::size_t used = tunnel.down.advance(bytes, loop_.stopping);
  record_.response_body_bytes += used;
  send_down(bytes.substr(0, used));
  upstream_inbox_.consume(used);
  return Step::moved;
}

void Exchange::send_down(std::string_view frames) {
  const auto whole = piece(frames);
  if (client_.outbox.send(*client_.stream, std::span(&whole, 1)) == Flow::failed) {
    outcome_ = Outcome::client_gone;
  }
}

// The client is told that the server stops, once no message of the upstream is on its way.
Exchange::Step Exchange::close_down(Tunnel& tunnel) {
  if (std::exchange(tunnel.closed_down, true)) return Step::blocked;
  if (!tunnel.down.has_closed()) send_down(going_away(false));
  return Step::moved;
}

Exchange::Step Exchange::tunnel_up(Tunnel& tunnel) {
  if (!up_.empty()) {
    const Flow flow = up_.flush(*upstream_);
    if (flow == Flow::failed) outcome_ = Outcome::cut;
    return flow == Flow::blocked ? Step::blocked : Step::moved;
  }
  if (tunnel.job) {
    if (!tunnel.job->done) {
      watch_client();
      return Step::blocked;
    }
    finish_message(tunnel, tunnel.job->result);
    tunnel.job.reset();
  } else if (tunnel.closed_down && tunnel.up.is_between() && tunnel.frames.is_between()) {
    // The upstream is told after the client, so that it still finishes its message.
    if (std::exchange(tunnel.closed_up, true)) return Step::blocked;
    if (!tunnel.up.has_closed()) tunnel.out = going_away(true);
  } else {
    if (client_.inbox.bytes().empty()) {
      const Flow flow = client_.inbox.fill(*client_.stream).flow;
      if (flow == Flow::blocked) return Step::blocked;
      if (flow != Flow::moved) {
        outcome_ = flow == Flow::ended ? Outcome::complete : Outcome::client_gone;
        return Step::moved;
      }
    }
    take_frames(tunnel);
  }
  if (!tunnel.out.empty()) {
    tunnel.up.advance(tunnel.out, false);
    const auto whole = piece(tunnel.out);
    record_.body_sent_bytes += whole.size();
    if (up_.send(*upstream_, std::span(&whole, 1)) == Flow::failed) outcome_ = Outcome::cut;
    tunnel.out.clear();
  }
  return Step::moved;
}

void Exchange::take_frames(Tunnel& tunnel) {
  const std::string_view bytes = client_.inbox.bytes();
  if (!tunnel.rewrites) {
    tunnel.out.assign(bytes);
    record_.body_received_bytes += bytes.size();
    client_.inbox.consume(bytes.size());
    return;
  }
  const std::size_t used = tunnel.frames.take(bytes, tunnel.out);
  record_.body_received_bytes += used;
  client_.inbox.consume(used);
  if (!tunnel.frames.is_whole()) return;
  std::string text = tunnel.frames.text();
  if (!wire::is_response_create(text)) {
    finish_message(tunnel, {});
  } else if (text.size() <= BodyRewriter::small_body_bytes) {
    const auto rewritten = loop_.rewriter.rewrite_now(target_, wire::Coding::identity, text);
    finish_message(tunnel, rewritten.value_or(wire::Rewritten{}));
  } else {
    tunnel.job = loop_.rewriter.start(target_, wire::Coding::identity, std::move(text),
                                      [this] { waiter_.wake(); });
  }
}

void Exchange::finish_message(Tunnel& tunnel, const wire::Rewritten& rewritten) {
  record_.outputs_found += rewritten.outputs_found;
  record_.outputs_rewritten += rewritten.outputs_rewritten;
  record_.tokens_received += rewritten.tokens_received;
  record_.tokens_sent += rewritten.tokens_sent;
  if (rewritten.outputs_found > 0) {
    record_.rewriting = loop_.options.shadow ? Rewriting::shadow : Rewriting::done;
  }
  if (rewritten.body.empty() || loop_.options.shadow) {
    tunnel.frames.send_as_it_came(tunnel.out);
  } else {
    tunnel.frames.send_instead(rewritten.body, tunnel.out);
  }
  share_.clear();
}

}  // namespace tare::server
