#include "harness/upstream.h"

#include <fcntl.h>
#include <httplib.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <list>
#include <mutex>
#include <thread>

#include "harness/scripted_reply.h"

namespace tare::harness {
namespace {

// More than any run sends: the server closes no connection of its own accord.
constexpr std::size_t connection_requests = 1'000'000'000;
constexpr time_t connection_idle_s = 86'400;
constexpr int backlog = 1024;  // cpp-httplib has 5, compiled in
constexpr std::uint64_t most_reserved_bytes = 1 << 20;

constexpr std::array headers_of_interest{"content-type",      "content-encoding", "content-length",
                                         "transfer-encoding", "user-agent",       "via"};

// The CPU of a set of threads: that of the living ones from their clocks, that of the ended ones
// kept. Each thread of the set runs inside run().
class ThreadCpu {
 public:
  template <typename Work>
  void run(Work&& work) {
    clockid_t id{};
    pthread_getcpuclockid(pthread_self(), &id);
    const auto place = add(id);
    work();
    const std::scoped_lock lock(mutex_);
    ended_ns_ += read_ns(id);
    living_.erase(place);
  }

  std::int64_t us() const {
    const std::scoped_lock lock(mutex_);
    std::int64_t sum_ns = ended_ns_;
    for (const clockid_t id : living_) sum_ns += read_ns(id);
    return sum_ns / 1000;
  }

 private:
  static std::int64_t read_ns(clockid_t id) {
    timespec t{};
    clock_gettime(id, &t);
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
  }
  std::list<clockid_t>::iterator add(clockid_t id) {
    const std::scoped_lock lock(mutex_);
    return living_.insert(living_.end(), id);
  }

  mutable std::mutex mutex_;
  std::list<clockid_t> living_;
  std::int64_t ended_ns_ = 0;
};

// A thread for each connection, so that connections kept idle never keep a new one waiting.
class ConnectionThreads final : public httplib::TaskQueue {
 public:
  explicit ConnectionThreads(ThreadCpu& cpu) : cpu_(cpu) {}

  void enqueue(std::function<void()> serve) override {
    std::erase_if(threads_, [](Worker& worker) {
      if (!*worker.done) return false;
      worker.thread.join();
      return true;
    });
    auto done = std::make_shared<std::atomic<bool>>(false);
    std::thread thread([this, done, serve = std::move(serve)] {
      cpu_.run(serve);
      *done = true;
    });
    threads_.push_back({std::move(thread), std::move(done)});
  }

  void shutdown() override {
    for (Worker& worker : threads_) worker.thread.join();
    threads_.clear();
  }

 private:
  struct Worker {
    std::thread thread;
    std::shared_ptr<std::atomic<bool>> done;
  };
  ThreadCpu& cpu_;
  std::list<Worker> threads_;
};

// One accepted connection: buffered reads, and writes that hold a reply's head back until its body
// (or its first chunk) comes, so that head and body leave in one segment.
class Connection final : public httplib::Stream {
 public:
  Connection(socket_t fd, int stop_fd) : fd_(fd), stop_fd_(stop_fd) {
    ::fcntl(fd_, F_SETFD, FD_CLOEXEC);
    const int on = 1;
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  ~Connection() override { ::close(fd_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Whether there is something to read; false once the server stops.
  bool wait() const {
    if (begin_ < end_) return true;
    std::array<pollfd, 2> fds{pollfd{fd_, POLLIN, 0}, pollfd{stop_fd_, POLLIN, 0}};
    while (::poll(fds.data(), fds.size(), -1) < 0) {
      if (errno != EINTR) return false;
    }
    return fds[1].revents == 0;
  }

  bool flush() {
    std::string_view rest = held_;
    while (!rest.empty()) {
      const ssize_t n = ::send(fd_, rest.data(), rest.size(), MSG_NOSIGNAL);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      rest.remove_prefix(static_cast<std::size_t>(n));
    }
    held_.clear();
    return true;
  }

  bool is_readable() const override { return wait(); }
  bool is_writable() const override { return true; }

  ssize_t read(char* to, std::size_t size) override {
    if (begin_ == end_) {
      if (!flush() || !wait()) return -1;
      ssize_t n;
      do {
        n = ::recv(fd_, buffer_.data(), buffer_.size(), 0);
      } while (n < 0 && errno == EINTR);
      if (n <= 0) return n;
      begin_ = 0;
      end_ = static_cast<std::size_t>(n);
    }
    const std::size_t n = std::min(size, end_ - begin_);
    std::copy_n(buffer_.data() + begin_, n, to);
    begin_ += n;
    return static_cast<ssize_t>(n);
  }

  ssize_t write(const char* from, std::size_t size) override {
    const std::string_view text(from, size);
    held_.append(text);
    if (!text.ends_with("\r\n\r\n") && !flush()) return -1;
    return static_cast<ssize_t>(size);
  }

  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return fd_; }

 private:
  socket_t fd_;
  int stop_fd_;
  std::string held_;
  std::array<char, 65536> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

class ScriptedUpstream final : public Upstream, private httplib::Server {
 public:
  ScriptedUpstream(Clock& clock, std::int64_t last_request)
      : clock_(clock), last_request_(last_request) {
    keep_alive_max_count_ = connection_requests;
    keep_alive_timeout_sec_ = connection_idle_s;
    read_timeout_sec_ = connection_idle_s;
    new_task_queue = [this] { return new ConnectionThreads(cpu_); };
    const char* const every_path = R"([\s\S]*)";
    const Handler without_body = [this](const auto& request, auto& response) {
      answer(request, {}, response);
    };
    const HandlerWithContentReader with_body = [this](const auto& request, auto& response,
                                                      const auto& read_content) {
      std::string body;
      body.reserve(std::min(request.template get_header_value<std::uint64_t>("Content-Length"),
                            most_reserved_bytes));
      const bool whole = read_content([&body](const char* data, std::size_t size) {
        body.append(data, size);
        return true;
      });
      if (whole) answer(request, std::move(body), response);
    };
    Get(every_path, without_body);
    Options(every_path, without_body);
    Post(every_path, with_body);
    Put(every_path, with_body);
    Patch(every_path, with_body);
    Delete(every_path, with_body);
    Delete(every_path, without_body);
  }

  ~ScriptedUpstream() override {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto told = ::write(stop_fd_, &one, sizeof one);
    stop();
    if (listener_.joinable()) listener_.join();
    if (stop_fd_ >= 0) ::close(stop_fd_);
  }

  Result<void> start() {
    stop_fd_ = ::eventfd(0, EFD_CLOEXEC);
    if (stop_fd_ < 0) return fail(tare::Error::io_errno("scripted upstream: eventfd", errno));
    const int port = bind_to_any_port("127.0.0.1");
    if (port <= 0 || ::listen(svr_sock_, backlog) != 0) {
      return fail(tare::Error::io_errno("scripted upstream: cannot listen on 127.0.0.1", errno,
                                        "free some ports or descriptors and run again"));
    }
    url_ = "http://127.0.0.1:" + std::to_string(port);
    listener_ = std::thread([this] {
      cpu_.run([this] { listen_after_bind(); });
      ended_ = true;
    });
    while (!is_running() && !ended_) std::this_thread::yield();
    return {};
  }

  const std::string& url() const override { return url_; }

  std::vector<Received> take() override {
    const std::scoped_lock lock(mutex_);
    return std::exchange(received_, {});
  }

  std::int64_t cpu_us() const override { return cpu_.us(); }

  std::optional<std::string> gone() const override {
    if (!ended_ && listens()) return std::nullopt;
    return "the scripted upstream at " + url_ + " stopped taking connections";
  }

 private:
  // The server's thread ends only when all of its connections have; a failed request is not to be
  // taken for its arm's until then.
  bool listens() const {
    int is_listening = 0;
    socklen_t size = sizeof is_listening;
    return ::getsockopt(svr_sock_, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &size) == 0 &&
           is_listening != 0;
  }

  bool process_and_close_socket(socket_t socket) override {
    Connection connection(socket, stop_fd_);
    bool closing = false;
    bool fine = true;
    while (fine && !closing && connection.wait()) {
      fine = process_request(connection, false, closing, &keep_body_as_it_is) && connection.flush();
    }
    return fine;
  }

  // Keeps the headers of interest under names that the library does not act on: it would decode the
  // body, take it apart, or compress the reply.
  static void keep_body_as_it_is(httplib::Request& request) {
    httplib::Headers kept;
    for (const auto& [name, value] : request.headers) {
      std::string lower = name;
      std::transform(lower.begin(), lower.end(), lower.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      if (std::find(headers_of_interest.begin(), headers_of_interest.end(), lower) !=
          headers_of_interest.end()) {
        kept.emplace("kept-" + lower, value);
      }
      if (lower == "content-length" || lower == "transfer-encoding" || lower == "connection" ||
          lower == "expect") {
        kept.emplace(name, value);
      }
    }
    if (!request.has_header("Content-Length") && !request.has_header("Transfer-Encoding")) {
      kept.emplace("Content-Length", "0");
    }
    request.headers = std::move(kept);
    request.ranges.clear();
  }

  void answer(const httplib::Request& request, std::string body, httplib::Response& response) {
    Received received;
    received.time_ns = clock_.monotonic_ns();
    received.method = request.method;
    received.path = request.target;
    for (const char* name : headers_of_interest) {
      const std::string kept = std::string("kept-") + name;
      if (request.has_header(kept)) {
        received.headers.emplace_back(name, request.get_header_value(kept));
      }
    }
    received.body = std::move(body);
    const bool streams = asks_for_stream(received.body);
    const Route route = route_of_path(received.path);

    const std::scoped_lock lock(mutex_);
    received.upstream_request = ++last_request_;
    response.status = received.status;
    if (streams) {
      auto events = scripted_events(received.upstream_request, route);
      for (const auto& event : events) received.reply += event;
      response.set_chunked_content_provider(
          "text/event-stream", [events = std::move(events)](std::size_t, httplib::DataSink& sink) {
            for (const auto& event : events) sink.write(event.data(), event.size());
            sink.done();
            return true;
          });
    } else {
      received.reply = scripted_reply(received.upstream_request, route);
      response.set_content(received.reply, "application/json");
    }
    received_.push_back(std::move(received));
  }

  Clock& clock_;
  std::string url_;
  int stop_fd_ = -1;
  ThreadCpu cpu_;
  std::thread listener_;
  std::atomic<bool> ended_ = false;

  std::mutex mutex_;  // guards what follows
  std::vector<Received> received_;
  std::int64_t last_request_;
};

}  // namespace

Result<std::unique_ptr<Upstream>> start_upstream(Clock& clock, std::int64_t last_request) {
  auto upstream = std::make_unique<ScriptedUpstream>(clock, last_request);
  if (auto started = upstream->start(); !started) return fail(started.error());
  return upstream;
}

}  // namespace tare::harness
