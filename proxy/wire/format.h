// Where the tool outputs stand in one kind of request body, and the calls that asked for them.
//
// Each API's request format is one Format, registered in formats(): to add one, write it, add it
// there and add its bodies to tests/unit/wire and tests/support/wire_bodies.h. Formats have no
// state and may be used from several threads at once.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace tare::wire {

// body[begin, end) is one JSON value, its quotes or brackets included. Empty: there is none.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool empty() const { return begin == end; }
  std::string_view of(std::string_view body) const { return body.substr(begin, end - begin); }
};

// What the model asked a tool to do.
struct ToolCall {
  Span id;                       // a string
  Span name;                     // a string; empty when the format itself names the tool:
  std::string_view format_name;  // then this is its name
  Span arguments;                // a string (JSON or free text), or a JSON object
};

// One text that a tool gave back: a string of its own in the body.
struct ToolOutput {
  Span text;                     // a string
  Span call_id;                  // a string, or none
  std::size_t calls_before = 0;  // the calls that stand before it in the request
  bool is_whole = false;         // the tool gave back this text alone
  bool has_own_id = true;        // call_id names this one call, not the tool
};

// Both in the order of the request.
struct ToolTraffic {
  std::vector<ToolCall> calls;
  std::vector<ToolOutput> outputs;
  // The request lets the upstream drop older outputs, so that nothing may refer to them.
  bool may_be_cut = false;
};

class Format {
 public:
  virtual ~Format() = default;

  virtual std::string_view name() const = 0;

  // True for the path (no query) of an endpoint that takes this format.
  virtual bool takes(std::string_view path) const = 0;

  // Adds what tools were asked and gave back in `body`. False when the body cannot be read to its
  // end as this format: then nothing of it is to be changed, whatever was added.
  virtual bool locate(std::string_view body, ToolTraffic& traffic) const = 0;
};

std::span<const Format* const> formats();

// The format of requests to `target` (path and query as sent), or null.
const Format* format_of(std::string_view target);

}  // namespace tare::wire
