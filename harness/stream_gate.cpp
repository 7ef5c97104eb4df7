#include "harness/stream_gate.h"

#include <fmt/format.h>
#include <httplib.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "harness/scripted_reply.h"

namespace tare::harness {
namespace {

constexpr std::chrono::seconds patience(5);
constexpr time_t answer_limit_s = 30;

std::string streamed_request(Route route) {
  const std::string_view rest =
      route == Route::responses ? R"("input")" : R"("max_tokens":16,"messages")";
  return fmt::format(
      R"({{"model":"gpt-6-astra","stream":true,{}:[{{"role":"user","content":"Hello"}}]}})", rest);
}

class Gate final : public StreamGate {
 public:
  Gate() {
    server_.Get(".*", [](const httplib::Request&, httplib::Response& response) {
      response.set_content("{}", "application/json");
    });
    server_.Post(".*", [this](const httplib::Request&, httplib::Response& response) {
      response.set_chunked_content_provider(
          "text/event-stream",
          [this](std::size_t, httplib::DataSink& sink) { return send_events(sink); });
    });
  }

  ~Gate() override {
    server_.stop();
    if (listener_.joinable()) listener_.join();
  }

  Result<void> open() {
    const int port = server_.bind_to_any_port("127.0.0.1");
    if (port <= 0) {
      return fail(tare::Error::io("the streaming upstream cannot listen on 127.0.0.1",
                                  "free some ports or descriptors and run again"));
    }
    url_ = fmt::format("http://127.0.0.1:{}", port);
    listener_ = std::thread([this] { server_.listen_after_bind(); });
    return {};
  }

  const std::string& url() const override { return url_; }

  Result<void> pass(const std::string& base_url, const std::string& path,
                    const std::string& proxy) override {
    const Route route = route_of_path(path);
    {
      const std::scoped_lock lock(mutex_);
      events_ = scripted_events(1, route);
      whole_ = fmt::format("{}", fmt::join(events_, ""));
    }
    httplib::Client client(base_url);
    if (!proxy.empty()) {
      const auto port = proxy.rfind(':');
      client.set_proxy(proxy.substr(7, port - 7), std::stoi(proxy.substr(port + 1)));
    }
    client.set_read_timeout(answer_limit_s);
    std::string got;
    httplib::Request request;
    request.method = "POST";
    request.path = path;
    request.headers = {{"Authorization", "Bearer local"}, {"Content-Type", "application/json"}};
    request.body = streamed_request(route);
    request.content_receiver = [&](const char* data, std::size_t size, std::uint64_t,
                                   std::uint64_t) {
      got.append(data, size);
      if (got.size() >= events_.front().size()) let_go();
      return true;
    };
    const auto result = client.send(request);
    if (!result) {
      return fail(
          tare::Error::io("no answer to a request for a stream: " + to_string(result.error())));
    }
    if (result->status != 200) {
      return fail(tare::Error::invalid(
          fmt::format("a request for a stream was answered with status {}", result->status)));
    }
    const std::scoped_lock lock(mutex_);
    if (!came_early_) {
      return fail(tare::Error::timed_out(
          "the first event of a stream was held back until its end",
          "send each part on as it comes, or say \"streams\": false in arm.json"));
    }
    if (got != whole_) {
      return fail(tare::Error::invalid(
          fmt::format("a stream was changed: {} bytes sent, {} other bytes received", whole_.size(),
                      got.size())));
    }
    return {};
  }

 private:
  bool send_events(httplib::DataSink& sink) {
    std::unique_lock lock(mutex_);
    const std::string first = events_.front();
    const std::string rest = whole_.substr(first.size());
    lock.unlock();
    sink.write(first.data(), first.size());
    lock.lock();
    changed_.wait_for(lock, patience, [this] { return came_early_; });
    gave_up_ = !came_early_;
    lock.unlock();
    sink.write(rest.data(), rest.size());
    sink.done();
    return true;
  }

  void let_go() {
    const std::scoped_lock lock(mutex_);
    if (!gave_up_) came_early_ = true;
    changed_.notify_all();
  }

  httplib::Server server_;
  std::thread listener_;
  std::string url_;

  std::mutex mutex_;  // guards what follows
  std::vector<std::string> events_;
  std::string whole_;
  std::condition_variable changed_;
  bool came_early_ = false;  // the first event was with the client while the rest was held back
  bool gave_up_ = false;
};

}  // namespace

Result<std::unique_ptr<StreamGate>> open_stream_gate() {
  auto gate = std::make_unique<Gate>();
  if (auto opened = gate->open(); !opened) return fail(opened.error());
  return gate;
}

}  // namespace tare::harness
