// Any bytes as a request body of one wire format: what is sent differs in the outputs alone, they
// come back with the texts they had, and a cache changes nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/wire/envelope.h"
#include "proxy/wire/format.h"
#include "proxy/wire/json_string.h"
#include "proxy/wire/rewriter.h"

namespace tare::fuzz {

inline void require(bool condition) {
  if (!condition) std::abort();
}

struct BodyParts {
  std::vector<std::string> outside;  // of the outputs, one more than of these
  std::vector<std::string> texts;    // of the outputs, decoded
  std::vector<std::string> usual;    // of the outputs that are in a usual spelling, as they stand
};

inline BodyParts parts_of(std::string_view target, std::string_view body) {
  wire::ToolTraffic traffic;
  require(wire::format_of(target)->locate(body, traffic));
  BodyParts parts;
  std::size_t done = 0;
  for (const auto& output : traffic.outputs) {
    require(done <= output.text.begin);
    parts.outside.emplace_back(body.substr(done, output.text.begin - done));
    const auto decoded = wire::decode(output.text.of(body));
    require(decoded.has_value());
    parts.texts.push_back(decoded->text);
    const bool is_usual = wire::encode(decoded->text, decoded->spelling) == output.text.of(body);
    if (is_usual && wire::envelope_strings(decoded->text).empty()) {
      parts.usual.emplace_back(output.text.of(body));
    }
    done = output.text.end;
  }
  parts.outside.emplace_back(body.substr(done));
  return parts;
}

inline std::vector<std::string> sorted(std::vector<std::string> strings) {
  std::ranges::sort(strings);
  return strings;
}

inline int try_body(std::string_view target, std::string_view body) {
  constexpr std::size_t plenty = std::size_t{64} << 20;
  const wire::Policy policy{.compact = {.min_bytes = 40}, .verbatim_tools = {"verbatim"}};
  const auto sent = wire::rewrite(target, body, policy);

  wire::Rewriter rewriter(policy, std::size_t{4} << 10);
  for (int round = 0; round < 2; ++round) {
    const auto again = rewriter.rewrite(target, body);
    require(again.body == sent.body && again.outputs_found == sent.outputs_found &&
            again.outputs_rewritten == sent.outputs_rewritten);
  }

  const std::string_view small = sent.body.empty() ? body : std::string_view(sent.body);
  const auto restored = wire::expand_body(small, plenty, target);
  require(restored.has_value());
  if (sent.outputs_found == 0) {
    require(*restored == body);
    return 0;
  }
  const auto before = parts_of(target, body);
  const auto after = parts_of(target, *restored);
  require(before.outside == after.outside && before.texts == after.texts);
  require(std::ranges::includes(sorted(after.usual), sorted(before.usual)));
  require(before.outside == parts_of(target, small).outside);
  return 0;
}

}  // namespace tare::fuzz
