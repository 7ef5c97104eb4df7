// After the upgrade: bytes both ways, the client's messages rewritten on their way.
#include <fmt/format.h>

#include <array>
#include <boost/asio/post.hpp>

#include "proxy/server/client_frames.h"
#include "proxy/server/exchange.h"
#include "proxy/wire/response_message.h"

namespace tare::server {

// The client's direction: its frames, and the message that is being rewritten.
struct Exchange::Tunnel {
  explicit Tunnel(std::function<bool(std::size_t)> may_hold) : frames(std::move(may_hold)) {}

  ClientFrames frames;
  bool rewrites = false;            // messages are looked into
  std::shared_ptr<RewriteJob> job;  // null: none
  std::string out;                  // of the frames, for the upstream
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
    const Step down = tunnel_down();
    if (outcome_ != Outcome::running) break;
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

Exchange::Step Exchange::tunnel_down() {
  if (!client_.outbox.empty()) {
    const Flow flow = client_.outbox.flush(*client_.stream);
    if (flow == Flow::failed) outcome_ = Outcome::client_gone;
    return flow == Flow::blocked ? Step::blocked : Step::moved;
  }
  if (upstream_inbox_.bytes().empty()) {
    const Flow flow = upstream_inbox_.fill(*upstream_).flow;
    if (flow == Flow::blocked) return Step::blocked;
    if (flow != Flow::moved) {
      outcome_ = flow == Flow::ended ? Outcome::complete : Outcome::cut;
      return Step::moved;
    }
  }
  const auto whole = piece(upstream_inbox_.bytes());
  record_.response_body_bytes += whole.size();
  if (client_.outbox.send(*client_.stream, std::span(&whole, 1)) == Flow::failed) {
    outcome_ = Outcome::client_gone;
  }
  upstream_inbox_.consume(whole.size());
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
