// What became of one request: sizes, times and how it ended, never content. Made by the exchange,
// read by counters and ledger.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

namespace tare::server {

// How a request ended.
enum class Ending : std::uint8_t {
  answered,              // the upstream's response was passed on whole
  refused,               // the request was not acceptable
  denied,                // no token, or a foreign Host or Origin
  request_timeout,       // it did not arrive in time
  upstream_unreachable,  // no connection, or it closed without a word
  upstream_timeout,
  upstream_invalid,  // no HTTP
  upstream_cut,      // the response broke off
  client_gone,
  stopped,  // the server stopped before it was done
};
inline constexpr std::size_t ending_count = 10;

std::string_view name_of(Ending ending);

enum class Rewriting : std::uint8_t {
  off,       // not asked for, or nothing that could hold outputs
  done,      // looked at, whatever was found
  shadow,    // looked at; the original was sent
  bypassed,  // the client did not want it
  too_long,  // beyond a limit: it passed unrewritten
};

std::string_view name_of(Rewriting rewriting);

struct RequestRecord {
  using Duration = std::chrono::steady_clock::duration;

  std::string_view format = "other";  // of the body: the wire format's name
  Ending ending = Ending::answered;
  Rewriting rewriting = Rewriting::off;
  unsigned status = 0;  // that the client got; 0: none
  std::uint64_t body_received_bytes = 0;
  std::uint64_t body_sent_bytes = 0;
  std::uint64_t response_body_bytes = 0;
  std::uint64_t outputs_found = 0;
  std::uint64_t outputs_rewritten = 0;
  std::int64_t tokens_received = 0;  // estimated, of the outputs that were rewritten
  std::int64_t tokens_sent = 0;
  Duration rewrite_time{};
  Duration first_byte_time{};  // from the request's head to the response's
  Duration total_time{};
};

}  // namespace tare::server
