// tare-forwarder-httplib: forwards every request to one upstream and changes nothing.
//
// The second control: a listener (cpp-httplib) and an upstream client (libcurl) that share no code
// with tare-proxy, so that the proxy's transport is not judged by itself alone. One thread serves a
// client connection and keeps an upstream connection of its own. A response is collected before it
// is passed on.
#include <curl/curl.h>
#include <httplib.h>
#include <sys/socket.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace {

constexpr std::size_t threads = 64;

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return (x | 0x20) == (y | 0x20); });
}

// Headers between two neighbours, those the sending library writes itself, and those httplib adds
// to what it received.
bool is_forwarded(std::string_view name, std::string_view connection_header) {
  static constexpr std::array<std::string_view, 16> ours = {"Connection",
                                                            "Keep-Alive",
                                                            "Proxy-Authenticate",
                                                            "Proxy-Authorization",
                                                            "Proxy-Connection",
                                                            "TE",
                                                            "Trailer",
                                                            "Upgrade",
                                                            "Transfer-Encoding",
                                                            "Content-Length",
                                                            "Host",
                                                            "Expect",
                                                            "REMOTE_ADDR",
                                                            "REMOTE_PORT",
                                                            "LOCAL_ADDR",
                                                            "LOCAL_PORT"};
  if (std::ranges::any_of(ours, [&](std::string_view own) { return same_name(own, name); }))
    return false;
  while (!connection_header.empty()) {
    const auto comma = connection_header.find(',');
    auto option = connection_header.substr(0, comma);
    while (option.starts_with(' ')) option.remove_prefix(1);
    while (option.ends_with(' ')) option.remove_suffix(1);
    if (same_name(option, name)) return false;
    connection_header.remove_prefix(comma == std::string_view::npos ? connection_header.size()
                                                                    : comma + 1);
  }
  return true;
}

// One client connection's way to the upstream: a curl handle and what is to be sent with it.
class Upstream {
 public:
  ~Upstream() {
    curl_slist_free_all(headers_);
    curl_easy_cleanup(curl_);
  }

  // Takes the headers over before httplib acts on them: it would undo a content-encoding, take a
  // form apart, cut out a range and compress the response.
  void take_headers(httplib::Request& request) {
    curl_slist_free_all(std::exchange(headers_, nullptr));
    for (const char* unwanted : {"Accept:", "Content-Type:", "Expect:"}) add_header(unwanted);
    const auto connection = request.get_header_value("Connection");
    for (const auto& [name, value] : request.headers) {
      if (is_forwarded(name, connection)) add_header(name + (value.empty() ? ";" : ": " + value));
    }
    for (const char* acted_on : {"Content-Encoding", "Content-Type", "Accept-Encoding"})
      request.headers.erase(acted_on);
    request.ranges.clear();
  }

  // `body` is null for a request without one.
  void forward(const std::string& url, const httplib::Request& request, const std::string* body,
               httplib::Response& response) {
    curl_easy_reset(curl_);
    std::array<char, CURL_ERROR_SIZE> reason{};
    curl_easy_setopt(curl_, CURLOPT_ERRORBUFFER, reason.data());
    curl_easy_setopt(curl_, CURLOPT_URL, (url + request.target).c_str());
    curl_easy_setopt(curl_, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(curl_, CURLOPT_PROXY, "");
    curl_easy_setopt(curl_, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl_, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(curl_, CURLOPT_CUSTOMREQUEST, request.method.c_str());
    if (request.method == "HEAD") curl_easy_setopt(curl_, CURLOPT_NOBODY, 1L);
    if (body != nullptr) {
      curl_easy_setopt(curl_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body->size()));
      curl_easy_setopt(curl_, CURLOPT_POSTFIELDS, body->data());
    }
    curl_easy_setopt(curl_, CURLOPT_HTTPHEADER, headers_);
    curl_easy_setopt(curl_, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(curl_, CURLOPT_HEADERDATA, &response);
    curl_easy_setopt(curl_, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(curl_, CURLOPT_WRITEDATA, &response);
    const CURLcode code = curl_easy_perform(curl_);
    if (code != CURLE_OK)
      return refuse(response, reason[0] != 0 ? reason.data() : curl_easy_strerror(code));
    long status = 0;
    curl_easy_getinfo(curl_, CURLINFO_RESPONSE_CODE, &status);
    response.status = static_cast<int>(status);
  }

 private:
  void add_header(const std::string& line) { headers_ = curl_slist_append(headers_, line.c_str()); }

  static void refuse(httplib::Response& response, std::string_view reason) {
    response = httplib::Response();
    response.status = 502;
    std::string message;
    for (const char c : reason)
      message += c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    response.set_content(
        R"({"error":{"message":"upstream: )" + message + R"(","type":"upstream_error"}})",
        "application/json");
  }

  static std::size_t take_header(char* data, std::size_t, std::size_t size, void* to) {
    auto& response = *static_cast<httplib::Response*>(to);
    std::string_view line(data, size);
    while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with("HTTP/")) response.headers.clear();  // one before was an interim response
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) return size;
    auto value = line.substr(colon + 1);
    while (value.starts_with(' ')) value.remove_prefix(1);
    if (is_forwarded(line.substr(0, colon), {})) {
      response.headers.emplace(line.substr(0, colon), value);
    }
    return size;
  }

  static std::size_t take_body(char* data, std::size_t, std::size_t size, void* to) {
    static_cast<httplib::Response*>(to)->body.append(data, size);
    return size;
  }

  CURL* curl_ = curl_easy_init();
  curl_slist* headers_ = nullptr;
};

class Server : public httplib::Server {
 public:
  explicit Server(std::string upstream) : upstream_(std::move(upstream)) {
    new_task_queue = [] { return new httplib::ThreadPool(threads); };
    set_tcp_nodelay(true);
    set_socket_options([](int listener) {  // httplib's own let two programs share the port
      const int yes = 1;
      setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    set_keep_alive_max_count(std::size_t{1} << 30);
    set_keep_alive_timeout(3600);
    set_read_timeout(60);
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response&) {
      ++in_flight_;
      // The object is httplib's own and not const; only this handler's type says so.
      own().take_headers(const_cast<httplib::Request&>(request));
      return HandlerResponse::Unhandled;
    });
    set_logger([this](const httplib::Request&, const httplib::Response&) { --in_flight_; });
    const auto forward = [this](const httplib::Request& request, httplib::Response& response) {
      own().forward(upstream_, request, nullptr, response);
    };
    const auto forward_body = [this](const httplib::Request& request, httplib::Response& response,
                                     const httplib::ContentReader& reader) {
      std::string body;
      const bool sized =
          request.has_header("Content-Length") || request.has_header("Transfer-Encoding");
      // Without a size httplib would read to the end of the connection.
      if (sized && !reader([&](const char* data, std::size_t size) {
            body.append(data, size);
            return true;
          })) {
        response.status = 400;
        return;
      }
      own().forward(upstream_, request, sized ? &body : nullptr, response);
    };
    Get(".*", forward).Options(".*", forward);
    Post(".*", forward_body)
        .Put(".*", forward_body)
        .Patch(".*", forward_body)
        .Delete(".*", forward_body);
  }

  // The port bound, or -1.
  int bind(const std::string& host, int port) {
    if (port == 0)
      port = bind_to_any_port(host);
    else if (!bind_to_port(host, port))
      port = -1;
    if (port > 0) ::listen(svr_sock_, 1024);  // httplib's own backlog is 5
    return port;
  }

  // Takes no more connections and lets the requests under way end, for five seconds at most.
  void drain() {
    stop();
    for (int i = 0; i < 500 && in_flight_ > 0; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

 private:
  static Upstream& own() {
    thread_local Upstream upstream;
    return upstream;
  }

  std::string upstream_;
  std::atomic<int> in_flight_ = 0;  // requests whose response is not yet written
};

}  // namespace

int main(int argc, char** argv) {
  std::string listen = "127.0.0.1:0";
  std::string upstream;
  CLI::App app("Forwards every request to one upstream and changes nothing.",
               "tare-forwarder-httplib");
  app.add_option("--listen", listen, "HOST:PORT; port 0 asks the system for a free one")
      ->capture_default_str();
  app.add_option("--upstream", upstream, "base URL to which the target of each request is appended")
      ->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  while (upstream.ends_with('/')) upstream.pop_back();

  sigset_t stop_signals;
  sigemptyset(&stop_signals);
  sigaddset(&stop_signals, SIGTERM);
  sigaddset(&stop_signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &stop_signals, nullptr);
  curl_global_init(CURL_GLOBAL_DEFAULT);

  Server server(upstream);
  const auto colon = listen.rfind(':');
  const std::string host = listen.substr(0, colon);
  const int port =
      colon == std::string::npos ? -1 : server.bind(host, std::atoi(listen.c_str() + colon + 1));
  if (port <= 0) {
    std::fprintf(stderr,
                 "tare-forwarder-httplib: cannot listen on %s: pick another address or port 0\n",
                 listen.c_str());
    return 1;
  }
  std::thread([&] {
    if (!server.listen_after_bind()) std::_Exit(1);
  }).detach();
  std::printf("http://%s:%d\n", host.c_str(), port);
  std::fflush(stdout);
  int signal = 0;
  sigwait(&stop_signals, &signal);
  server.drain();
  std::_Exit(0);  // httplib would wait for idle clients to go
}
