// The socket on which clients are accepted: bound here, or handed over by the process that started
// this one (systemd's socket activation: LISTEN_FDS, LISTEN_PID), so that a restart loses no
// connection.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/error.h"

namespace tare::server {

// A listening socket that does not block.
struct ListeningSocket {
  int descriptor = -1;
  std::string base_url;  // "http://127.0.0.1:8787"
  std::string address;   // "127.0.0.1", "::1"
  std::uint16_t port = 0;
  bool v6 = false;
  bool loopback = true;
};

// Binds `address` (ADDRESS:PORT, port 0: the system chooses). The caller closes it. `option` names
// the option that gave the address. Errors: usage (the address), io.
Result<ListeningSocket> open_listening_socket(const std::string& address, std::string_view option);

// The same, but a socket that was handed over is taken instead. Error: usage (more than one).
Result<ListeningSocket> take_or_open_listening_socket(const std::string& address,
                                                      std::string_view option);

}  // namespace tare::server
