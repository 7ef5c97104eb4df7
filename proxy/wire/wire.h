// Finds the tool outputs in a request body and puts their compact forms in their place.
//
// Every byte outside a rewritten output stays the client's own: bodies are spliced, never
// re-serialised, and a form is written in the spelling of the string it replaces. A body that is
// not understood (not JSON, another format, broken off) comes back unchanged: the proxy fails open.
// What is sent for an output depends on the policy and on the request up to and including that
// output, on nothing else. Formats: proxy/wire/format.h; policy: proxy/wire/policy.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/error.h"
#include "proxy/wire/policy.h"

namespace tare::wire {

struct Rewritten {
  std::string body;               // what to send; empty when nothing was changed: send the original
  std::size_t outputs_found = 0;  // texts of tool outputs seen in the body
  std::size_t outputs_rewritten = 0;  // of these, sent in another form
  std::int64_t tokens_received = 0;   // estimated, of the outputs that were rewritten
  std::int64_t tokens_sent = 0;       // the same, of what is sent for them
  bool given_up = false;              // a stop was asked for before it was done
};

// True when a request with this method and target (path and query as sent) may hold tool outputs.
bool may_hold_outputs(std::string_view method, std::string_view target);

// `body` is the whole request body after any content-encoding is removed. May be called from
// several threads at once. A Rewriter (proxy/wire/rewriter.h) gives the same bytes, faster.
Rewritten rewrite(std::string_view target, std::string_view body, const Policy& policy);

// Undoes rewrite(): the body with each output that is a form expanded in the form's own spelling. A
// body that rewrite() would leave alone comes back as it is. `max_bytes` bounds the result.
// `target` tells the format; empty: the first in which the body has outputs. Errors: invalid, for
// an output that has a form's header and is no good form, with the place of the output in the body.
Result<std::string> expand_body(std::string_view body, std::size_t max_bytes,
                                std::string_view target = {});

}  // namespace tare::wire
