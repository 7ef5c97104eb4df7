// Any bytes taken for a request or a response, whole and in pieces: the same head, body and end, or
// the same refusal. The first byte chooses the side, the second the size of the pieces.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/server/header_policy.h"
#include "proxy/server/message_parser.h"

using namespace tare::server;

namespace {

struct Read {
  bool valid = false;
  bool done = false;
  std::string body;
  std::string trailers;

  bool operator==(const Read&) const = default;
};

bool refused(const RequestHead& head) {
  return refuse_request(head).has_value();
}

bool refused(const ResponseHead& head) {
  return response_fault(head, false).has_value();
}

// As a connection does it: a whole head, then what has come, with what was not used in front of it.
template <bool is_request>
Read read(std::string_view head, std::string_view rest, std::size_t step) {
  MessageParser<is_request> parser;
  std::vector<boost::asio::const_buffer> pieces;
  std::size_t used = 0;
  Read result;
  if (!parser.parse(head, pieces, used) || used != head.size() || refused(parser.head())) {
    return result;
  }
  std::string held;
  while (!rest.empty() && !parser.is_done()) {
    held += rest.substr(0, step);
    rest.remove_prefix(std::min(step, rest.size()));
    pieces.clear();
    if (!parser.parse(held, pieces, used)) return {};
    for (const auto& piece : pieces) {
      result.body.append(static_cast<const char*>(piece.data()), piece.size());
    }
    held.erase(0, used);
  }
  result.valid = true;
  result.done = parser.is_done();
  result.trailers = parser.trailers();
  return result;
}

template <bool is_request>
void check(std::string_view text, std::size_t step) {
  std::size_t resume_at = 0;
  const HeadScan scan = scan_head(text, resume_at);
  if (scan.state != HeadScan::State::complete) return;
  const auto head = text.substr(0, scan.length_bytes);
  const auto rest = text.substr(scan.length_bytes);
  if (read<is_request>(head, rest, rest.size()) != read<is_request>(head, rest, step)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t step = std::size_t{1} + data[1] % 16;
  if (data[0] % 2 == 0) {
    check<true>(text, step);
  } else {
    check<false>(text, step);
  }
  return 0;
}
