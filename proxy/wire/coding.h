// Content codings of request bodies: zstd, gzip, deflate (as RFC 9110 has it: the zlib format) and
// br. Pure functions; may be called from several threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tare::wire {

enum class Coding : std::uint8_t { identity, gzip, deflate, br, zstd };

// The coding of this name, in any case; nothing when it is not known.
std::optional<Coding> coding_named(std::string_view name);

// Asked before a result grows to a size; false ends the work.
using MayGrow = std::function<bool(std::size_t bytes)>;

// The text; nothing when `bytes` is broken, is cut off, has something behind its end, or needs a
// window of more than 32 MiB, and when `may_grow` says no. identity gives a copy.
std::optional<std::string> decode(Coding coding, std::string_view bytes, const MayGrow& may_grow);

// Fast rather than small. Nothing when the library fails.
std::optional<std::string> encode(Coding coding, std::string_view text);

}  // namespace tare::wire
