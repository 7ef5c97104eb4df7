// A TLS server in front of a plain one on loopback, with certificates made for the test, so that a
// test goes on speaking with bare sockets.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/sockets.h"

namespace tare::test {

// A key and a certificate, as PEM.
struct Identity {
  std::string key;
  std::string certificate;
};

// A CA of one test.
class TestAuthority {
 public:
  TestAuthority();
  ~TestAuthority();
  TestAuthority(const TestAuthority&) = delete;
  TestAuthority& operator=(const TestAuthority&) = delete;

  const std::string& certificate() const { return pem_; }
  // For a server: `names` as in a certificate, "DNS:localhost,IP:127.0.0.1". `expired`: it was
  // valid until yesterday.
  Identity issue(const std::string& names, bool expired = false) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::string pem_;
};

// Takes TLS connections on a free port and passes their bytes to and from the plain server.
class TlsFront {
 public:
  TlsFront(const Identity& identity, std::string plain_url);
  ~TlsFront();
  TlsFront(const TlsFront&) = delete;
  TlsFront& operator=(const TlsFront&) = delete;

  // "https://HOST:PORT"
  std::string url(const std::string& host) const;

 private:
  struct Context;
  void serve();

  std::unique_ptr<Context> context_;
  std::string plain_url_;
  Listener listener_;
  int stop_ = -1;  // an eventfd
  std::vector<std::thread> connections_;
  std::thread acceptor_;
};

}  // namespace tare::test
