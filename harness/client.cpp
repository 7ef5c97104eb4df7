#include "harness/client.h"

#include <curl/curl.h>

#include <array>

namespace tare::harness {
namespace {

constexpr std::size_t longest_reply_bytes = 64'000'000;

// Where a request's callbacks put what comes.
struct Arrival {
  const Clock& clock;
  Exchange& exchange;
  bool too_long = false;

  void stamp() const {
    const std::int64_t now_ns = clock.monotonic_ns();
    if (!exchange.first_byte_ns) exchange.first_byte_ns = now_ns;
    exchange.last_byte_ns = now_ns;
  }
};

std::size_t on_header(char*, std::size_t size, std::size_t count, void* arrival) {
  static_cast<Arrival*>(arrival)->stamp();
  return size * count;
}

std::size_t on_body(char* data, std::size_t size, std::size_t count, void* arrival) {
  auto& to = *static_cast<Arrival*>(arrival);
  to.stamp();
  // Else an arm whose reply never ends takes the memory of the machine until the time limit.
  to.too_long = to.exchange.reply.size() + size * count > longest_reply_bytes;
  if (to.too_long) return 0;
  to.exchange.reply.append(data, size * count);
  return size * count;
}

int on_progress(void* interrupt, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<const std::atomic<int>*>(interrupt)->load(std::memory_order_relaxed) != 0;
}

class CurlClient final : public Client {
 public:
  CurlClient(Clock& clock, const std::atomic<int>& interrupt,
             const std::vector<std::string>& headers)
      : clock_(clock) {
    static const CURLcode global = curl_global_init(CURL_GLOBAL_DEFAULT);
    static_cast<void>(global);
    curl_ = curl_easy_init();
    // An empty Expect: or libcurl asks before it sends more than 1 MB.
    for (const char* header : {"content-type: application/json", "Expect:"}) {
      headers_ = curl_slist_append(headers_, header);
    }
    for (const auto& header : headers) headers_ = curl_slist_append(headers_, header.c_str());
    set(CURLOPT_HTTPHEADER, headers_);
    set(CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_1_1});
    set(CURLOPT_TCP_NODELAY, 1L);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_PROXY, "");  // whatever the environment says
    set(CURLOPT_HEADERFUNCTION, &on_header);
    set(CURLOPT_WRITEFUNCTION, &on_body);
    set(CURLOPT_XFERINFOFUNCTION, &on_progress);
    set(CURLOPT_XFERINFODATA, &interrupt);
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_ERRORBUFFER, error_text_.data());
  }
  ~CurlClient() override {
    curl_easy_cleanup(curl_);
    curl_slist_free_all(headers_);
  }
  CurlClient(const CurlClient&) = delete;
  CurlClient& operator=(const CurlClient&) = delete;

  void use_proxy(const std::string& url) override {
    set(CURLOPT_PROXY, url.c_str());
    set(CURLOPT_NOPROXY, "");
  }

  Exchange post(const std::string& url, std::string_view body, int time_limit_s) override {
    Exchange exchange;
    Arrival arrival{clock_, exchange};
    error_text_[0] = '\0';
    set(CURLOPT_URL, url.c_str());
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    set(CURLOPT_POSTFIELDS, body.data());
    set(CURLOPT_TIMEOUT, long{time_limit_s});
    set(CURLOPT_HEADERDATA, &arrival);
    set(CURLOPT_WRITEDATA, &arrival);
    exchange.sent_ns = clock_.monotonic_ns();
    const CURLcode result = curl_easy_perform(curl_);
    long status = 0;
    curl_easy_getinfo(curl_, CURLINFO_RESPONSE_CODE, &status);
    if (status != 0) exchange.status = static_cast<int>(status);
    if (result != CURLE_OK) {
      exchange.error = error_text_[0] != '\0' ? error_text_.data() : curl_easy_strerror(result);
      if (arrival.too_long) exchange.error = "a reply of more than 64 MB";
      exchange.timed_out = result == CURLE_OPERATION_TIMEDOUT;
      exchange.last_byte_ns.reset();
    }
    return exchange;
  }

 private:
  template <typename Value>
  void set(CURLoption option, Value value) {
    curl_easy_setopt(curl_, option, value);
  }

  Clock& clock_;
  CURL* curl_ = nullptr;
  curl_slist* headers_ = nullptr;
  std::array<char, CURL_ERROR_SIZE> error_text_{};
};

}  // namespace

std::unique_ptr<Client> make_client(Clock& clock, const std::atomic<int>& interrupt) {
  // A plain token: one in the shape of a JWT makes some arms choose another upstream.
  return make_client(clock, interrupt, {"authorization: Bearer tare-plain-token"});
}

std::unique_ptr<Client> make_client(Clock& clock, const std::atomic<int>& interrupt,
                                    const std::vector<std::string>& headers) {
  return std::make_unique<CurlClient>(clock, interrupt, headers);
}

}  // namespace tare::harness
