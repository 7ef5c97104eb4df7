// Joins what the client sent with what the upstream received. Pure.
//
// A request and the receipt whose reply came back belong together by the id in the reply. Every
// receipt that came while a request was under way counts as an attempt of it: arms retry.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/group_run.h"
#include "harness/records.h"
#include "harness/upstream.h"

namespace tare::harness {

struct Joined {
  std::vector<RequestRow> requests;  // as sent; start, round, arm and group are the caller's to set
  std::vector<UpstreamRow> receipts;  // as received
};

// `first_request` numbers the rows from there on. `sent` in order of time.
Joined join(std::span<const SentRequest> sent, std::span<const Received> received,
            std::int64_t first_request, bool rewritten_replies = false);

}  // namespace tare::harness
