// Where the tool outputs stand in one kind of request body.
//
// Each API's request format is one Format, registered in formats(): to add one, write it, add it
// there and add its bodies to tests/unit/wire/format_test.cpp. Formats have no state and may be
// used from several threads at once.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace tare::wire {

// body[begin, end) is a JSON string, its quotes included.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

class Format {
 public:
  virtual ~Format() = default;

  // True for the path (no query) of an endpoint that takes this format.
  virtual bool takes(std::string_view path) const = 0;

  // Appends the tool outputs of `body`, first to last. False when the body cannot be read to its
  // end as this format: then nothing of it is to be changed, whatever was appended.
  virtual bool locate(std::string_view body, std::vector<Span>& outputs) const = 0;
};

std::span<const Format* const> formats();

// The format of requests to `target` (path and query as sent), or null.
const Format* format_of(std::string_view target);

}  // namespace tare::wire
