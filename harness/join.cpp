#include "harness/join.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>

#include "common/hash.h"

namespace tare::harness {
namespace {

RequestRow row_of(const SentRequest& sent, std::int64_t request) {
  RequestRow row;
  row.request = request;
  row.index = sent.body->body.index;
  row.phase = sent.phase;
  row.sequence = sent.sequence;
  row.sent_ns = sent.exchange.sent_ns;
  row.first_byte_ns = sent.exchange.first_byte_ns;
  row.last_byte_ns = sent.exchange.last_byte_ns;
  row.status = sent.exchange.status;
  row.sent_bytes = static_cast<std::int64_t>(sent.body->body.text.size());
  row.sent_sha256 = sent.body->sha256;
  row.error = sent.exchange.error;
  return row;
}

UpstreamRow row_of(const Received& received) {
  UpstreamRow row;
  row.upstream_request = received.upstream_request;
  row.received_ns = received.time_ns;
  row.method = received.method;
  row.path = received.path;
  row.headers = received.headers;
  row.bytes = static_cast<std::int64_t>(received.body.size());
  row.status = received.status;
  return row;
}

// The place of the request that was under way at that time.
std::optional<std::size_t> under_way(std::span<const SentRequest> sent, std::int64_t time_ns) {
  const auto after = std::upper_bound(
      sent.begin(), sent.end(), time_ns,
      [](std::int64_t time, const SentRequest& s) { return time < s.exchange.sent_ns; });
  if (after == sent.begin()) return std::nullopt;
  const auto at = after - 1;
  const std::int64_t end_ns =
      at->exchange.last_byte_ns.value_or(std::numeric_limits<std::int64_t>::max());
  if (end_ns < time_ns) return std::nullopt;
  return static_cast<std::size_t>(at - sent.begin());
}

}  // namespace

Joined join(std::span<const SentRequest> sent, std::span<const Received> received,
            std::int64_t first_request, bool rewritten_replies) {
  Joined joined;
  std::unordered_map<std::int64_t, std::size_t> by_reply;  // upstream_request -> place in `sent`
  for (std::size_t i = 0; i < sent.size(); ++i) {
    joined.requests.push_back(row_of(sent[i], first_request + static_cast<std::int64_t>(i)));
    if (const auto id = upstream_request_of(sent[i].exchange.reply)) by_reply.emplace(*id, i);
  }
  for (const Received& receipt : received) {
    UpstreamRow row = row_of(receipt);
    const auto answered = by_reply.find(receipt.upstream_request);
    const auto place = answered != by_reply.end() ? std::optional(answered->second)
                                                  : under_way(sent, receipt.time_ns);
    // Most arms forward what was sent: comparing is cheaper than hashing it again.
    row.sha256 = place && receipt.body == sent[*place].body->body.text ? sent[*place].body->sha256
                                                                       : sha256_hex(receipt.body);
    if (place) {
      RequestRow& request = joined.requests[*place];
      row.request = request.request;
      ++request.attempts;
      if (answered != by_reply.end()) {
        request.received_bytes = row.bytes;
        request.received_sha256 = row.sha256;
        request.reply_correct =
            !request.error && (rewritten_replies || sent[*place].exchange.reply == receipt.reply);
      }
    }
    joined.receipts.push_back(std::move(row));
  }
  return joined;
}

}  // namespace tare::harness
