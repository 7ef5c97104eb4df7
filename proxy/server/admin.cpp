#include "proxy/server/admin.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

#include "proxy/server/message_parser.h"
#include "proxy/server/own_reply.h"

namespace tare::server {

namespace {

constexpr std::size_t max_visits = 32;
constexpr std::size_t max_head_bytes = std::size_t{8} << 10;
constexpr std::chrono::seconds visit_timeout{5};

std::string respond(std::string_view status, std::string_view type, std::string_view body,
                    bool with_body) {
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n"
      "Connection: close\r\n\r\n{}",
      status, type, body.size(), with_body ? body : std::string_view{});
}

std::string refuse(const Refusal& refusal, bool with_body) {
  return write_reply(
      {refusal.status, error_type(refusal.status), refusal.code, std::string(refusal.reason)}, true,
      with_body);
}

}  // namespace

std::string admin_response(std::string_view head, const Access& access,
                           const Admin::Answers& answers) {
  RequestParser request;
  std::vector<asio::const_buffer> body;
  std::size_t used = 0;
  if (!request.parse(head, body, used)) {
    return refuse({400, "the request's header is malformed"}, true);
  }
  const RequestHead& asked = request.head();
  const bool with_body = asked.method != "HEAD";
  auto refusal = refuse_request(asked);
  if (!refusal) refusal = access.refuse(asked);
  if (!refusal && asked.method != "GET" && asked.method != "HEAD") {
    refusal = Refusal{405, "only GET and HEAD are answered here"};
  }
  if (refusal) return refuse(*refusal, with_body);
  const std::string_view path = asked.target.substr(0, asked.target.find('?'));
  constexpr std::string_view text = "text/plain; charset=utf-8";
  if (path == "/healthz") return respond("200 OK", text, "ok\n", with_body);
  if (path == "/readyz") {
    return answers.is_ready() ? respond("200 OK", text, "ready\n", with_body)
                              : respond("503 Service Unavailable", text, "stopping\n", with_body);
  }
  if (path == "/metrics") {
    return respond("200 OK", "text/plain; version=0.0.4; charset=utf-8", answers.metrics(),
                   with_body);
  }
  if (path == "/stats") return respond("200 OK", "application/json", answers.stats(), with_body);
  return refuse({404, "there are /healthz, /readyz, /metrics and /stats", "not_found"}, with_body);
}

// One connection, from its first byte to its end. Keeps itself alive by its operations.
class Admin::Visit : public std::enable_shared_from_this<Admin::Visit> {
 public:
  Visit(Admin& admin, Socket socket)
      : admin_(admin),
        admin_alive_(admin.alive_),
        socket_(std::move(socket)),
        timer_(socket_.get_executor()) {
    ++admin_.open_visits_;
  }
  ~Visit() {
    if (*admin_alive_) --admin_.open_visits_;
  }

  void start() {
    timer_.expires_after(visit_timeout);
    timer_.async_wait([self = shared_from_this()](error_code failure) {
      if (!failure) self->end();
    });
    read();
  }

 private:
  void read() {
    socket_.async_read_some(asio::buffer(chunk_),
                            [self = shared_from_this()](error_code failure, std::size_t bytes) {
                              if (failure || !*self->admin_alive_) return self->end();
                              self->text_.append(self->chunk_.data(), bytes);
                              self->look();
                            });
  }

  void look() {
    const HeadScan scan = scan_head(text_, scanned_);
    if (scan.state == HeadScan::State::complete) {
      text_ = admin_response(std::string_view(text_).substr(0, scan.length_bytes), admin_.access_,
                             admin_.answers_);
    } else if (scan.state == HeadScan::State::malformed) {
      text_ = refuse({400, scan.fault}, true);
    } else if (text_.size() >= max_head_bytes) {
      text_ = refuse({431, "the request's header is too long"}, true);
    } else {
      return read();
    }
    asio::async_write(socket_, asio::buffer(text_),
                      [self = shared_from_this()](error_code, std::size_t) { self->end(); });
  }

  void end() {
    timer_.cancel();
    error_code ignored;
    socket_.shutdown(Socket::shutdown_both, ignored);
    socket_.close(ignored);
  }

  Admin& admin_;
  std::shared_ptr<bool> admin_alive_;
  Socket socket_;
  Timer timer_;
  std::array<char, 2048> chunk_;
  std::string text_;  // the request, then the response
  std::size_t scanned_ = 0;
};

Admin::Admin(asio::io_context& io, const ListeningSocket& socket, const Access& access,
             Answers answers)
    : io_(io),
      acceptor_(io.get_executor(), socket.v6 ? Tcp::v6() : Tcp::v4(), socket.descriptor),
      timer_(io),
      access_(access),
      answers_(std::move(answers)) {
  watch();
}

Admin::~Admin() {
  *alive_ = false;
}

void Admin::close() {
  error_code ignored;
  acceptor_.close(ignored);
  timer_.cancel();
}

void Admin::watch() {
  acceptor_.async_wait(Acceptor::wait_read, [this, alive = alive_](error_code failure) {
    if (!failure && *alive) accept();
  });
}

void Admin::accept() {
  for (;;) {
    const int descriptor =
        ::accept4(acceptor_.native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (descriptor < 0 && (errno == EINTR || errno == ECONNABORTED)) continue;
    if (descriptor < 0) {
      // Out of descriptors: another connection will give one back.
      timer_.expires_after(std::chrono::milliseconds(50));
      timer_.async_wait([this, alive = alive_](error_code failure) {
        if (!failure && *alive) accept();
      });
      return;
    }
    if (open_visits_ >= max_visits) {
      ::close(descriptor);
      continue;
    }
    Socket socket(io_.get_executor(), acceptor_.local_endpoint().protocol(), descriptor);
    std::make_shared<Visit>(*this, std::move(socket))->start();
  }
  watch();
}

}  // namespace tare::server
