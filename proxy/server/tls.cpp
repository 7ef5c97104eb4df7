#include "proxy/server/tls.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <limits>

namespace tare::server {

namespace {

bool is_address(const std::string& host) {
  in6_addr any;
  return inet_pton(AF_INET, host.c_str(), &any) == 1 ||
         inet_pton(AF_INET6, host.c_str(), &any) == 1;
}

int length_of(std::size_t bytes) {
  return static_cast<int>(std::min<std::size_t>(bytes, std::numeric_limits<int>::max()));
}

}  // namespace

Result<std::shared_ptr<const TlsContext>> TlsContext::make(const std::string& ca_file) {
  SSL_CTX* const context = SSL_CTX_new(TLS_client_method());
  if (context == nullptr) return fail(Error::io("TLS cannot be set up"));
  std::shared_ptr<const TlsContext> result(new TlsContext(context));
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_default_verify_paths(context);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  if (!ca_file.empty() && SSL_CTX_load_verify_locations(context, ca_file.c_str(), nullptr) != 1) {
    ERR_clear_error();
    return fail(Error::usage("--ca-file: \"" + ca_file + "\" holds no certificate that can be read",
                             "give a file of CA certificates in PEM"));
  }
  return result;
}

TlsContext::~TlsContext() {
  SSL_CTX_free(context_);
}

TlsChannel::TlsChannel(const TlsContext& context, int socket, const std::string& host)
    : ssl_(SSL_new(context.context_)) {
  if (ssl_ == nullptr) return;
  SSL_set_fd(ssl_, socket);
  if (is_address(host)) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_), host.c_str());
  } else {
    SSL_set_hostflags(ssl_, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    SSL_set1_host(ssl_, host.c_str());
    // SSL_set_tlsext_host_name() without its cast; the name is copied.
    SSL_ctrl(ssl_, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
             const_cast<char*>(host.c_str()));
  }
  constexpr unsigned char http11[] = "\x08http/1.1";
  SSL_set_alpn_protos(ssl_, http11, sizeof http11 - 1);
  SSL_set_connect_state(ssl_);
}

TlsChannel::~TlsChannel() {
  SSL_free(ssl_);
}

TlsChannel::Outcome TlsChannel::handshake() {
  if (ssl_ == nullptr) return {};
  ERR_clear_error();
  return outcome_of(SSL_do_handshake(ssl_));
}

std::string TlsChannel::fault() const {
  if (ssl_ == nullptr) return "TLS cannot be set up";
  if (const long verified = SSL_get_verify_result(ssl_); verified != X509_V_OK) {
    return std::string("the certificate is refused: ") + X509_verify_cert_error_string(verified);
  }
  const char* reason = ERR_reason_error_string(failure_);
  return std::string("TLS: ") + (reason != nullptr ? reason : "the connection was closed");
}

TlsChannel::Outcome TlsChannel::read(std::span<char> into) {
  ERR_clear_error();
  return outcome_of(SSL_read(ssl_, into.data(), length_of(into.size())));
}

TlsChannel::Outcome TlsChannel::write(std::string_view bytes) {
  ERR_clear_error();
  return outcome_of(SSL_write(ssl_, bytes.data(), length_of(bytes.size())));
}

void TlsChannel::end_sending() {
  if (ssl_ == nullptr || SSL_is_init_finished(ssl_) == 0) return;
  ERR_clear_error();
  SSL_shutdown(ssl_);
  ERR_clear_error();
}

TlsChannel::Outcome TlsChannel::outcome_of(int result) {
  if (result > 0) return {State::moved, static_cast<std::size_t>(result)};
  switch (SSL_get_error(ssl_, result)) {
    case SSL_ERROR_WANT_READ:
      return {State::wants_read};
    case SSL_ERROR_WANT_WRITE:
      return {State::wants_write};
    case SSL_ERROR_ZERO_RETURN:
      return {State::ended};
    default:
      failure_ = ERR_peek_error();
      ERR_clear_error();
      return {};
  }
}

}  // namespace tare::server
