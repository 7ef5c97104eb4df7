// The admin listener: /healthz, /readyz, /metrics and /stats on an address of its own, so that
// nothing of it can meet a path of the API.
//
// A request a connection, at most a few at a time, each with a time limit. Runs on the first event
// loop; used from its thread only.
#pragma once

#include <functional>
#include <memory>

#include "proxy/server/access.h"
#include "proxy/server/asio.h"
#include "proxy/server/listening.h"

namespace tare::server {

class Admin {
 public:
  struct Answers {
    std::function<bool()> is_ready;        // takes new requests
    std::function<std::string()> metrics;  // Prometheus text
    std::function<std::string()> stats;    // JSON
  };

  // Takes the socket. `access` must live as long as the admin.
  Admin(asio::io_context& io, const ListeningSocket& socket, const Access& access, Answers answers);
  ~Admin();

  // Accepts nobody any more; those that are being answered end by themselves.
  void close();

 private:
  class Visit;

  void watch();
  void accept();

  asio::io_context& io_;
  Acceptor acceptor_;
  asio::steady_timer timer_;
  const Access& access_;
  Answers answers_;
  std::size_t open_visits_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

// The response to a request; pure but for what `answers` give.
std::string admin_response(std::string_view head, const Access& access,
                           const Admin::Answers& answers);

}  // namespace tare::server
