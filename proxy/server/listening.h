// The socket on which clients are accepted: bound here, or handed over by the process that started
// this one (systemd's socket activation: LISTEN_FDS, LISTEN_PID), so that a restart loses no
// connection.
#pragma once

#include <cstdint>
#include <string>

#include "common/error.h"

namespace tare::server {

// A listening socket that does not block.
struct ListeningSocket {
  int descriptor = -1;
  std::string base_url;  // "http://127.0.0.1:8787"
  std::string address;   // "127.0.0.1", "::1"
  std::uint16_t port = 0;
  bool loopback = true;
};

// Takes the socket that was handed over; without one binds `address` (ADDRESS:PORT, port 0: the
// system chooses). The caller closes it. Errors: usage (the address; more than one socket), io.
Result<ListeningSocket> open_listening_socket(const std::string& address);

}  // namespace tare::server
