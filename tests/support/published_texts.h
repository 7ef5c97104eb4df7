// The tool outputs of the published workload, made here anew so that tests of the proxy need
// nothing of the harness.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/hash.h"

namespace tare::test {

inline constexpr std::array<std::string_view, 3> published_tasks{"logs", "json", "code"};

struct PublishedText {
  std::string text;
  std::string planted;          // the line or minified record that a form must show as it is
  std::size_t other_bytes = 0;  // of the request body around the text
};

namespace published {

struct Seed {
  std::array<std::uint8_t, 32> hash;
  std::string tag;
  std::uint32_t count;    // L
  std::uint32_t planted;  // m
};

inline Seed seed(std::string_view task, int index) {
  Seed s;
  s.hash = sha256(fmt::format("heldout-v1:{}:{}", task, 1800000000 + index));
  const auto& h = s.hash;
  const auto n = static_cast<std::uint32_t>(h[0] | h[1] << 8 | h[2] << 16) | std::uint32_t{h[3]}
                                                                                 << 24;
  s.tag = fmt::format("{:02x}{:02x}{:02x}{:02x}", h[4], h[5], h[6], h[7]);
  s.count = 220 + n % 101;
  s.planted = 10 + static_cast<std::uint32_t>(h[8] | h[9] << 8) % (s.count - 20);
  return s;
}

inline void logs(const Seed& s, PublishedText& out) {
  const std::array<std::string_view, 3> codes{"E_TIMEOUT", "E_POOL_EXHAUSTED", "E_CHECKSUM"};
  out.planted = fmt::format(
      "2026-09-15T12:00:00Z ERROR env=production request=req-{} code={} worker=worker-{}", s.tag,
      codes[s.hash[10] % 3], 1 + s.hash[11] % 16);
  for (std::uint32_t i = 0; i < s.count; ++i) {
    if (i > 0) out.text += '\n';
    if (i == s.planted) {
      out.text += out.planted;
    } else if (i % 61 == 0) {
      out.text += fmt::format(
          "2026-09-15T12:00:00Z ERROR env=staging request=canary-{} code=E_CANARY worker=worker-0",
          i);
    } else {
      out.text += fmt::format(
          "2026-09-15T12:00:00Z INFO env=production heartbeat healthy worker=worker-{}", i % 3);
    }
  }
  out.other_bytes = 374;
}

inline void json(const Seed& s, PublishedText& out) {
  const std::array<std::string_view, 3> reasons{"checksum_mismatch", "lease_expired",
                                                "quota_exceeded"};
  out.text = "[";
  for (std::uint32_t i = 0; i < s.count; ++i) {
    const bool planted = i == s.planted;
    const bool failed =
        planted || i == (s.planted + 17) % s.count || i == (s.planted + 37) % s.count;
    const std::string_view status = failed ? "failed" : "ok";
    const std::string_view reason = planted  ? reasons[s.hash[10] % 3]
                                    : failed ? "transient_failure"
                                             : "none";
    const std::string_view region = i % 2 == 0 ? "east" : "west";
    const int attempts = planted ? 4 + s.hash[11] % 8 : failed ? 2 : 1;
    out.text += fmt::format(
        "{}\n  {{\n    \"id\": \"record-{}-{}\",\n    \"status\": \"{}\",\n    \"reason\": "
        "\"{}\",\n    \"region\": \"{}\",\n"
        "    \"attempts\": {}\n  }}",
        i == 0 ? "" : ",", s.tag, i, status, reason, region, attempts);
    if (planted) {
      out.planted = fmt::format(
          R"({{"id":"record-{}-{}","status":"{}","reason":"{}","region":"{}","attempts":{}}})",
          s.tag, i, status, reason, region, attempts);
    }
  }
  out.text += "\n]";
  out.other_bytes = 372;
}

inline void code(const Seed& s, PublishedText& out) {
  std::string name = "RETRY_LIMIT_";
  for (const char c : s.tag) name += c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c;
  for (std::uint32_t i = 0; i < s.count + 50; ++i) {
    const std::string place = fmt::format("src/queue-{}.ts:{}:export const ", s.tag, i + 1);
    if (i > 0) out.text += '\n';
    if (i == s.planted) {
      out.planted = fmt::format("{}{} = {};", place, name, 2 + s.hash[12] % 29);
      out.text += out.planted;
    } else {
      out.text += fmt::format("{}FEATURE_{} = {};", place, i, i % 2 == 0 ? "true" : "false");
    }
  }
  out.other_bytes = 348;
}

}  // namespace published

inline PublishedText published_text(std::string_view task, const published::Seed& seed) {
  PublishedText out;
  if (task == "logs") published::logs(seed, out);
  if (task == "json") published::json(seed, out);
  if (task == "code") published::code(seed, out);
  return out;
}

// Index 0 is that of the repeated groups; 5 to 44 are the measured ones of the unique groups.
inline PublishedText published_text(std::string_view task, int index) {
  return published_text(task, published::seed(task, index));
}

// A text like those of the task with about `bytes` bytes.
inline std::string published_like(std::string_view task, std::size_t bytes) {
  published::Seed seed = published::seed(task, 0);
  const std::size_t bytes_a_row = published_text(task, seed).text.size() / seed.count;
  seed.count = static_cast<std::uint32_t>(std::max<std::size_t>(1, bytes / bytes_a_row));
  seed.planted = seed.count / 2;
  return published_text(task, seed).text;
}

// The bytes of `text` inside the quotes of a JSON string; the published texts hold no other bytes
// that need an escape.
inline std::size_t json_string_bytes(std::string_view text) {
  std::size_t bytes = text.size();
  for (const char c : text) bytes += c == '"' || c == '\\' || c == '\n' ? 1 : 0;
  return bytes;
}

}  // namespace tare::test
