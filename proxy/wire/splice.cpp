#include "proxy/wire/splice.h"

namespace tare::wire {

std::string splice(std::string_view text, const std::vector<Change>& changes) {
  std::size_t size = text.size();
  for (const Change& change : changes) {
    size = size - change.span.of(text).size() + change.bytes.size();
  }
  std::string result;
  result.reserve(size);
  std::size_t done = 0;
  for (const Change& change : changes) {
    result += text.substr(done, change.span.begin - done);
    result += change.bytes;
    done = change.span.end;
  }
  result += text.substr(done);
  return result;
}

}  // namespace tare::wire
