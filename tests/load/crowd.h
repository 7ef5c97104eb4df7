// Many clients on one thread: connections to one URL, each with one request in flight at a time.
//
// A connection that the server ends in order between two requests is opened anew; all else that is
// no whole answer with status 200 is a failure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tare::load {

class Crowd {
 public:
  struct Events {
    // The next request of a client; nothing: it stays idle until run() is called again. The text
    // must live until it is answered.
    std::function<std::optional<std::string_view>(std::size_t client)> next;
    // The clients begin one after the other, evenly over this time.
    std::int64_t spread_ns = 0;
    std::function<void(std::size_t client, std::string_view bytes)> on_body = [](auto, auto) {};
    // A whole answer, `took_ns` after its request was begun.
    std::function<void(std::size_t client, std::int64_t took_ns)> on_answer = [](auto, auto) {};
  };

  Crowd(const std::string& url, std::size_t clients);
  ~Crowd();
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

  // Until every client is idle, or `give_up_ns` of the monotonic clock: then what is in flight is a
  // failure.
  void run(const Events& events, std::int64_t give_up_ns);

  // How many connections are there and not ended by the server.
  std::size_t open() const;
  std::uint64_t answered() const { return answered_; }
  std::uint64_t failed() const { return failed_; }
  // Of the first failure.
  const std::string& fault() const { return fault_; }
  std::int64_t begun_ns(std::size_t client) const;

 private:
  struct Client;

  std::size_t begin_due(std::size_t begun, std::int64_t since_ns);
  void connect(Client& client);
  void disconnect(Client& client);
  void begin(Client& client);
  void write(Client& client);
  void read(Client& client);
  void fail(Client& client, std::string_view why);
  void finish(Client& client);

  std::uint16_t port_;
  int epoll_;
  std::vector<std::unique_ptr<Client>> clients_;
  const Events* events_ = nullptr;
  std::size_t busy_ = 0;
  std::uint64_t answered_ = 0;
  std::uint64_t failed_ = 0;
  std::string fault_;
  std::vector<char> buffer_;
};

}  // namespace tare::load
