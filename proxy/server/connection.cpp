#include "proxy/server/connection.h"

#include <algorithm>

#include "proxy/server/own_reply.h"

namespace tare::server {

namespace {

// A client that has just been served may be sending its next request while the server stops: it
// gets this long to do so, and is then told that the connection ends.
constexpr std::chrono::seconds stop_grace{1};
// How long a client may take to read the last response and close.
constexpr std::chrono::seconds farewell_timeout{2};

}  // namespace

Connection::Connection(EventLoop& loop, Socket socket)
    : loop_(loop),
      deadline_(loop.deadlines, waiter_),
      client_{std::make_shared<Stream>(std::move(socket)), Inbox(loop.scratch), {}} {
  client_.stream->set_owner(&waiter_);
}

Connection::~Connection() {
  client_.stream->close();
}

Await<> Connection::run() {
  do {
    end_ = co_await serve_request();
    client_.inbox.settle();
  } while (end_ == Exchange::End::keep);
  if (end_ == Exchange::End::finish) co_await finish();
  if (end_ == Exchange::End::reset) client_.stream->reset();
}

Await<Exchange::End> Connection::serve_request() {
  const std::size_t head_length = co_await wait_for_head();
  if (head_length == 0) co_return end_;
  RequestParser request;
  std::size_t used = 0;
  loop_.pieces.clear();
  if (!request.parse(client_.inbox.bytes().substr(0, head_length), loop_.pieces, used)) {
    refuse(request.bad_version() ? Refusal{505, "only HTTP/1.1 and HTTP/1.0 are spoken here"}
                                 : Refusal{400, "the request's header is malformed"});
    co_return Exchange::End::finish;
  }
  auto refusal = refuse_request(request.head());
  if (!refusal) refusal = loop_.access.refuse(request.head());
  if (refusal) {
    refuse(*refusal);
    co_return Exchange::End::finish;
  }
  Exchange exchange(loop_, client_, waiter_, deadline_, request);
  client_.inbox.consume(used);
  co_return co_await exchange.run();
}

Await<std::size_t> Connection::wait_for_head() {
  std::size_t scanned = 0;
  bool begun = false;
  const auto idle_since = Clock::now();
  deadline_.set(loop_.options.idle_timeout);
  for (;;) {
    // Empty lines before a request are to be ignored (RFC 9112, 2.2).
    while (scanned == 0 && client_.inbox.bytes().starts_with("\r\n")) client_.inbox.consume(2);
    const std::string_view bytes = client_.inbox.bytes();
    const HeadScan scan = scan_head(bytes, scanned);
    Refusal refusal{0, {}};
    if (scan.state == HeadScan::State::malformed) {
      refusal = {400, scan.fault};
    } else if (scan.state == HeadScan::State::incomplete
                   ? bytes.size() >= loop_.options.max_header_bytes
                   : scan.length_bytes > loop_.options.max_header_bytes) {
      refusal = {431, "the request's header is too long"};
    } else if (scan.state == HeadScan::State::complete) {
      deadline_.clear();
      co_return scan.length_bytes;
    }
    end_ = Exchange::End::cut;
    if (refusal.status == 0 && !bytes.empty() && !begun) {
      begun = true;
      deadline_.set(loop_.options.header_timeout);
    }
    if (refusal.status == 0) {
      if (loop_.aborting) co_return 0;
      if (loop_.stopping && !begun) {
        const auto left = idle_since + stop_grace - Clock::now();
        if (left <= Clock::duration::zero()) co_return 0;
        deadline_.set(std::min<Clock::duration>(left, loop_.options.idle_timeout));
      }
      const Flow flow = client_.inbox.fill(*client_.stream).flow;
      if (flow == Flow::moved) continue;
      if (flow != Flow::blocked) co_return 0;
      co_await waiter_.sleep();
      if (!deadline_.expired()) continue;
      if (!begun) co_return 0;
      refusal = {408, "the request's header did not arrive in time"};
    }
    refuse(refusal);
    end_ = Exchange::End::finish;
    co_return 0;
  }
}

void Connection::refuse(Refusal refusal) {
  const std::string text = write_reply(
      {refusal.status, error_type(refusal.status), refusal.code, std::string(refusal.reason)}, true,
      true);
  const asio::const_buffer whole(text.data(), text.size());
  RequestRecord record;
  record.status = refusal.status;
  record.ending = refusal.status == 401 || refusal.status == 403 ? Ending::denied
                  : refusal.status == 408                        ? Ending::request_timeout
                                                                 : Ending::refused;
  loop_.count(record);
  // A client that does not take a few hundred bytes is not waited for.
  client_.outbox.send(*client_.stream, std::span(&whole, 1));
}

// Ends in order: a close with unread bytes would break the connection before the client has read
// the response.
Await<> Connection::finish() {
  client_.stream->end_sending();
  deadline_.set(farewell_timeout);
  for (;;) {
    client_.inbox.consume(client_.inbox.bytes().size());
    const Flow flow = client_.inbox.fill(*client_.stream).flow;
    if (flow == Flow::ended || flow == Flow::failed) co_return;
    if (loop_.aborting || deadline_.expired()) co_return;
    if (flow == Flow::blocked) co_await waiter_.sleep();
  }
}

}  // namespace tare::server
