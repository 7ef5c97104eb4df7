// Requests of the Responses API: input[] items of type function_call_output, their `output` a
// string.
//
// Only the endpoint that makes a response is taken (.../responses). Those below it are not:
// /responses/compact hands items back to the client, and a count of input tokens is of what the
// client wrote.
#pragma once

#include "proxy/wire/format.h"

namespace tare::wire {

class ResponsesFormat final : public Format {
 public:
  bool takes(std::string_view path) const override;
  bool locate(std::string_view body, std::vector<Span>& outputs) const override;
};

}  // namespace tare::wire
