// TLS towards an upstream: a verified channel over a connected, non-blocking socket.
//
// The certificate must lead to a CA of the system or of --ca-file and be issued for the host's name
// or address; TLS 1.2 at the least. A TlsContext is immutable once made and may be used from
// several threads; a TlsChannel belongs to one.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "common/error.h"

struct ssl_ctx_st;
struct ssl_st;

namespace tare::server {

class TlsContext {
 public:
  // The system's CAs, and those of `ca_file` (PEM) when it is not empty. Error: usage.
  static Result<std::shared_ptr<const TlsContext>> make(const std::string& ca_file);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

 private:
  friend class TlsChannel;
  explicit TlsContext(ssl_ctx_st* context) : context_(context) {}

  ssl_ctx_st* context_;
};

class TlsChannel {
 public:
  enum class State {
    moved,        // bytes moved, or the handshake is complete
    wants_read,   // go on when the socket can be read
    wants_write,  // go on when it can be written
    ended,        // the peer has said that nothing more comes
    failed,
  };
  struct Outcome {
    State state = State::failed;
    std::size_t bytes = 0;
  };

  // `host` is a name, or an address without brackets. The socket stays the caller's.
  TlsChannel(const TlsContext& context, int socket, const std::string& host);
  ~TlsChannel();
  TlsChannel(const TlsChannel&) = delete;
  TlsChannel& operator=(const TlsChannel&) = delete;

  Outcome handshake();
  // Why the handshake failed: of OpenSSL's own words, never the peer's.
  std::string fault() const;

  Outcome read(std::span<char> into);
  // After wants_read or wants_write: again with the same bytes, or more behind them.
  Outcome write(std::string_view bytes);
  // Says to the peer that nothing more comes, if that can be done at once.
  void end_sending();

 private:
  Outcome outcome_of(int result);

  ssl_st* ssl_;
  unsigned long failure_ = 0;  // OpenSSL's code
};

}  // namespace tare::server
