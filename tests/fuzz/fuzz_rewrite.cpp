// Any bytes as a request body: what is sent differs in the outputs alone, and each output that was
// changed expands to the text it had.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "proxy/compact/compact.h"
#include "proxy/wire/format.h"
#include "proxy/wire/json_string.h"
#include "proxy/wire/wire.h"

namespace {

using namespace tare;

void require(bool condition) {
  if (!condition) std::abort();
}

std::string text_of(std::string_view body, wire::Span span) {
  const auto decoded = wire::decode(body.substr(span.begin, span.end - span.begin));
  require(decoded.has_value());
  return decoded->text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr auto* target = "/v1/responses";
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  const auto result = wire::rewrite(target, body, {.compact = {.min_bytes = 40}, .verbatim_tools = {}});
  if (result.body.empty()) return 0;

  std::vector<wire::Span> before;
  std::vector<wire::Span> after;
  require(wire::format_of(target)->locate(body, before));
  require(wire::format_of(target)->locate(result.body, after));
  require(before.size() == after.size() && before.size() == result.outputs_found);
  const std::string_view sent = result.body;
  std::size_t from = 0;
  std::size_t sent_from = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    require(body.substr(from, before[i].begin - from) ==
            sent.substr(sent_from, after[i].begin - sent_from));
    from = before[i].end;
    sent_from = after[i].end;
    const auto text = text_of(body, before[i]);
    const auto form = text_of(sent, after[i]);
    require(compact::looks_like_form(form) ? compact::expand(form).value() == text : form == text);
  }
  require(body.substr(from) == sent.substr(sent_from));
  return 0;
}
