// One request and its response, from the parsed head to the last byte.
//
// The request goes up held (collected, perhaps rewritten; it can be sent again) or streamed, while
// the response goes down; both directions move in one coroutine, each as far as its two sockets
// allow, so a slow side stops the other and nothing piles up. Ends as soon as the client goes.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "proxy/server/chunks.h"
#include "proxy/server/event_loop.h"
#include "proxy/server/forward_head.h"
#include "proxy/server/message_parser.h"
#include "proxy/server/own_reply.h"

namespace tare::server {

// The client's side of a connection.
struct Client {
  std::shared_ptr<Stream> stream;
  Inbox inbox;
  Outbox outbox;
};

class Exchange {
 public:
  // How the client's connection goes on.
  enum class End {
    keep,    // to the next request
    finish,  // ends in order; bytes of the request may be unread
    cut,     // ends at once, short of the announced length
    reset,   // ends at once and visibly broken: an orderly end would look like the end of the body
  };

  // `request` has parsed the head, whose bytes are still held by the inbox: they are read here and
  // not later.
  Exchange(EventLoop& loop, Client& client, Waiter& waiter, Deadline& deadline,
           RequestParser& request);
  ~Exchange();

  Await<End> run();

 private:
  enum class Outcome {
    running,
    switched,  // the upstream has agreed to speak WebSocket
    complete,  // the response has been passed on whole
    stale,     // the upstream closed the connection before it said anything
    refused,   // no response: reply_ says why
    cut,       // the response broke off
    client_gone,
  };
  enum class Step { moved, blocked };
  // A connection that can always go on still lets the others run now and then.
  static constexpr unsigned turns_between_yields = 16;

  Await<> collect();
  Await<> rewrite_body();
  void take_rewritten(wire::Rewritten rewritten);
  Await<> find_upstream(bool fresh);
  Await<> relay();
  Await<End> reply();
  Await<bool> flush_client();

  bool waits_on();
  Step push_request();
  Step push_held();
  Step push_streamed();
  Step pull_response();
  void read_response_heads();
  void pass_response_head();
  void upstream_responds();
  Step upstream_ended(Flow flow);
  struct Tunnel;
  Await<> tunnel();
  Step tunnel_up(Tunnel& tunnel);
  Step tunnel_down(Tunnel& tunnel);
  void send_down(std::string_view frames);
  Step close_down(Tunnel& tunnel);
  void take_frames(Tunnel& tunnel);
  void finish_message(Tunnel& tunnel, const wire::Rewritten& rewritten);

  void watch_client();
  void on_timeout();

  void refuse(Ending ending, unsigned status, std::string_view code, std::string message);
  void upstream_failed(Ending ending, std::string_view what);
  void start_over();
  void release_upstream(bool may_reuse);
  void note_end();

  EventLoop& loop_;
  Destination& to_;
  Client& client_;
  Waiter& waiter_;
  Deadline& deadline_;
  RequestParser& request_;

  // What is needed of the client's head once its bytes are gone.
  bool collects_;
  bool asks_to_switch_;
  ForwardHead forward_;
  Framing client_framing_;
  bool client_http11_;
  bool keep_client_;
  bool head_request_;
  bool expects_continue_ = false;
  std::string target_;
  wire::Coding coding_ = wire::Coding::identity;  // of the body

  // The request on its way up.
  std::string head_;
  std::string body_;           // held, or what was collected before the limit was passed
  HeldShare share_;            // for body_
  bool over_limit_ = false;    // the body is too long to be held
  bool held_ = false;          // all of it is in head_ and body_, and can be sent again
  std::size_t held_sent_ = 0;  // of head_ and body_
  bool head_sent_ = false;
  bool request_starved_ = false;  // the inbox ends in the middle of something
  bool request_done_ = false;     // nothing more goes up
  bool request_broken_ = false;   // the upstream does not take it
  ChunkFrame frame_;
  Outbox up_;

  // The response on its way down.
  std::shared_ptr<Stream> upstream_;
  Inbox upstream_inbox_;
  bool reused_ = false;
  bool heard_ = false;  // the upstream has said something
  std::size_t scanned_ = 0;
  std::optional<ResponseParser> parser_;  // of the last head: interim heads have one each
  ResponseParser* response_ = nullptr;    // in parser_
  bool response_starved_ = false;
  bool answered_ = false;  // the final head has been passed on
  Framing down_;
  std::string response_head_;

  Outcome outcome_ = Outcome::running;
  OwnReply reply_;
  Clock::time_point begun_ = Clock::now();
  RequestRecord record_;
};

}  // namespace tare::server
