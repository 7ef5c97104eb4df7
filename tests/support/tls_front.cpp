#include "tests/support/tls_front.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>

namespace tare::test {

namespace {

constexpr long day_s = 24 * 3600;

template <typename Write>
std::string pem(Write write) {
  BIO* const out = BIO_new(BIO_s_mem());
  write(out);
  char* data = nullptr;
  const long size = BIO_get_mem_data(out, &data);
  std::string text(data, static_cast<std::size_t>(size));
  BIO_free(out);
  return text;
}

void extend(X509* certificate, int what, const std::string& value) {
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, nullptr, what, value.c_str());
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

X509* make_certificate(EVP_PKEY* key, const std::string& name, long from_s, long until_s) {
  static long serial = 0;
  X509* const certificate = X509_new();
  X509_set_version(certificate, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate), from_s);
  X509_gmtime_adj(X509_getm_notAfter(certificate), until_s);
  X509_set_pubkey(certificate, key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  return certificate;
}

int connect_plain(const std::string& url) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))));
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    ::close(socket);
    return -1;
  }
  return socket;
}

bool send_all(int socket, const char* bytes, std::size_t size) {
  while (size > 0) {
    const auto sent = ::send(socket, bytes, size, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

// Passes bytes both ways until one side ends or `stop` can be read.
void pump(SSL* tls, int encrypted, int plain, int stop) {
  char bytes[16384];
  for (;;) {
    pollfd waiting[3] = {{encrypted, POLLIN, 0}, {plain, POLLIN, 0}, {stop, POLLIN, 0}};
    if (SSL_pending(tls) == 0 && ::poll(waiting, 3, -1) < 0) return;
    if (waiting[2].revents != 0) return;
    if (SSL_pending(tls) > 0 || waiting[0].revents != 0) {
      const int got = SSL_read(tls, bytes, sizeof bytes);
      if (got <= 0 || !send_all(plain, bytes, static_cast<std::size_t>(got))) return;
    }
    if (waiting[1].revents != 0) {
      const auto got = ::recv(plain, bytes, sizeof bytes, 0);
      if (got <= 0) {
        if (got == 0) SSL_shutdown(tls);
        return;
      }
      if (SSL_write(tls, bytes, static_cast<int>(got)) <= 0) return;
    }
  }
}

}  // namespace

struct TestAuthority::State {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* certificate = make_certificate(key, "Test CA", -day_s, day_s);

  ~State() {
    X509_free(certificate);
    EVP_PKEY_free(key);
  }
};

TestAuthority::TestAuthority() : state_(std::make_unique<State>()) {
  X509* const own = state_->certificate;
  X509_set_issuer_name(own, X509_get_subject_name(own));
  extend(own, NID_basic_constraints, "critical,CA:TRUE");
  X509_sign(own, state_->key, EVP_sha256());
  pem_ = pem([&](BIO* out) { PEM_write_bio_X509(out, own); });
}

TestAuthority::~TestAuthority() = default;

Identity TestAuthority::issue(const std::string& names, bool expired) const {
  EVP_PKEY* const key = EVP_EC_gen("P-256");
  X509* const certificate =
      make_certificate(key, "Test server", expired ? -2 * day_s : -day_s, expired ? -day_s : day_s);
  X509_set_issuer_name(certificate, X509_get_subject_name(state_->certificate));
  extend(certificate, NID_subject_alt_name, names);
  X509_sign(certificate, state_->key, EVP_sha256());
  Identity made;
  made.key = pem(
      [&](BIO* out) { PEM_write_bio_PrivateKey(out, key, nullptr, nullptr, 0, nullptr, nullptr); });
  made.certificate = pem([&](BIO* out) { PEM_write_bio_X509(out, certificate); });
  X509_free(certificate);
  EVP_PKEY_free(key);
  return made;
}

struct TlsFront::Context {
  SSL_CTX* tls = SSL_CTX_new(TLS_server_method());
  ~Context() { SSL_CTX_free(tls); }
};

TlsFront::TlsFront(const Identity& identity, std::string plain_url)
    : context_(std::make_unique<Context>()),
      plain_url_(std::move(plain_url)),
      stop_(::eventfd(0, EFD_CLOEXEC)) {
  BIO* const key_text = BIO_new_mem_buf(identity.key.data(), static_cast<int>(identity.key.size()));
  EVP_PKEY* const key = PEM_read_bio_PrivateKey(key_text, nullptr, nullptr, nullptr);
  BIO* const text =
      BIO_new_mem_buf(identity.certificate.data(), static_cast<int>(identity.certificate.size()));
  X509* const certificate = PEM_read_bio_X509(text, nullptr, nullptr, nullptr);
  if (SSL_CTX_use_certificate(context_->tls, certificate) != 1 ||
      SSL_CTX_use_PrivateKey(context_->tls, key) != 1) {
    throw std::runtime_error("the test's certificate cannot be used");
  }
  X509_free(certificate);
  EVP_PKEY_free(key);
  BIO_free(text);
  BIO_free(key_text);
  acceptor_ = std::thread([this] { serve(); });
}

TlsFront::~TlsFront() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(stop_, &one, sizeof one);
  acceptor_.join();
  for (auto& connection : connections_) connection.join();
  ::close(stop_);
}

std::string TlsFront::url(const std::string& host) const {
  return "https://" + host + listener_.url().substr(listener_.url().rfind(':'));
}

void TlsFront::serve() {
  for (;;) {
    pollfd waiting[2] = {{listener_.descriptor(), POLLIN, 0}, {stop_, POLLIN, 0}};
    if (::poll(waiting, 2, -1) < 0 || waiting[1].revents != 0) return;
    const int encrypted = ::accept4(listener_.descriptor(), nullptr, nullptr, SOCK_CLOEXEC);
    if (encrypted < 0) continue;
    connections_.emplace_back([this, encrypted] {
      // A client that never speaks must not keep the test.
      const timeval limit{60, 0};
      ::setsockopt(encrypted, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
      SSL* const tls = SSL_new(context_->tls);
      SSL_set_fd(tls, encrypted);
      if (SSL_accept(tls) == 1) {
        const int plain = connect_plain(plain_url_);
        if (plain >= 0) {
          pump(tls, encrypted, plain, stop_);
          ::close(plain);
        }
      }
      SSL_free(tls);
      ::close(encrypted);
    });
  }
}

}  // namespace tare::test
