#include "proxy/wire/coding.h"

#include <brotli/decode.h>
#include <brotli/encode.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <memory>

namespace tare::wire {

namespace {

// Levels at which one core makes 50 MB/s or more of JSON: the time is the client's.
constexpr int zstd_level = 3;
constexpr int zlib_level = 3;
constexpr int brotli_quality = 3;
constexpr int brotli_window_bits = 22;
constexpr int max_zstd_window_bits = 25;

constexpr std::size_t first_growth_bytes = std::size_t{64} << 10;

// A result that grows by doubling, as far as it may.
class Growing {
 public:
  explicit Growing(const MayGrow& may_grow) : may_grow_(may_grow) {}

  // Makes room behind what is used; false when there may be no more.
  bool make_room() {
    if (used_ < text_.size()) return true;
    const std::size_t size = std::max(first_growth_bytes, text_.size() * 2);
    if (!may_grow_(size)) return false;
    text_.resize(size);
    return true;
  }
  char* room() { return text_.data() + used_; }
  std::size_t room_bytes() const { return text_.size() - used_; }
  void use(std::size_t bytes) { used_ += bytes; }
  std::string take() {
    text_.resize(used_);
    return std::move(text_);
  }

 private:
  const MayGrow& may_grow_;
  std::string text_;
  std::size_t used_ = 0;
};

std::optional<std::string> decode_zstd(std::string_view bytes, const MayGrow& may_grow) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(),
                                                                     ZSTD_freeDCtx);
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, max_zstd_window_bits);
  Growing text(may_grow);
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  std::size_t left = 1;  // 0 at the end of a frame
  while (left != 0 || in.pos < in.size) {
    if (!text.make_room()) return std::nullopt;
    ZSTD_outBuffer out{text.room(), text.room_bytes(), 0};
    const std::size_t before = in.pos;
    left = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(left) != 0) return std::nullopt;
    text.use(out.pos);
    if (left != 0 && in.pos == before && out.pos == 0) return std::nullopt;  // cut off
  }
  return text.take();
}

// zlib counts in 32 bits.
uInt limited(std::size_t bytes) {
  return static_cast<uInt>(std::min<std::size_t>(bytes, std::numeric_limits<uInt>::max()));
}

constexpr int zlib_window_bits = 15;
constexpr int gzip_window_bits = zlib_window_bits + 16;

std::optional<std::string> inflate_all(std::string_view bytes, int window_bits,
                                       const MayGrow& may_grow) {
  z_stream stream{};
  if (inflateInit2(&stream, window_bits) != Z_OK) return std::nullopt;
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> end(&stream, inflateEnd);
  Growing text(may_grow);
  std::size_t used = 0;
  for (;;) {
    if (!text.make_room()) return std::nullopt;
    // The library does not write to its input.
    stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data() + used));
    const uInt given = stream.avail_in = limited(bytes.size() - used);
    stream.next_out = reinterpret_cast<Bytef*>(text.room());
    const uInt room = stream.avail_out = limited(text.room_bytes());
    const int outcome = inflate(&stream, Z_NO_FLUSH);
    used += given - stream.avail_in;
    text.use(room - stream.avail_out);
    if (outcome == Z_STREAM_END) {
      if (used == bytes.size()) return text.take();
      // gzip may have several members.
      if (window_bits != gzip_window_bits || inflateReset(&stream) != Z_OK) return std::nullopt;
    } else if (outcome != Z_OK) {
      return std::nullopt;
    }
  }
}

std::optional<std::string> decode_brotli(std::string_view bytes, const MayGrow& may_grow) {
  const std::unique_ptr<BrotliDecoderState, decltype(&BrotliDecoderDestroyInstance)> state(
      BrotliDecoderCreateInstance(nullptr, nullptr, nullptr), BrotliDecoderDestroyInstance);
  Growing text(may_grow);
  std::size_t in_bytes = bytes.size();
  const auto* in = reinterpret_cast<const std::uint8_t*>(bytes.data());
  for (;;) {
    if (!text.make_room()) return std::nullopt;
    std::size_t room = text.room_bytes();
    auto* out = reinterpret_cast<std::uint8_t*>(text.room());
    const auto outcome =
        BrotliDecoderDecompressStream(state.get(), &in_bytes, &in, &room, &out, nullptr);
    text.use(text.room_bytes() - room);
    if (outcome == BROTLI_DECODER_RESULT_SUCCESS) {
      if (in_bytes == 0) return text.take();
      return std::nullopt;
    }
    if (outcome != BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT) return std::nullopt;
  }
}

std::optional<std::string> encode_zstd(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size =
      ZSTD_compress(out.data(), out.size(), text.data(), text.size(), zstd_level);
  if (ZSTD_isError(size) != 0) return std::nullopt;
  out.resize(size);
  return out;
}

std::optional<std::string> deflate_all(std::string_view text, int window_bits) {
  if (text.size() > std::numeric_limits<uInt>::max()) return std::nullopt;
  z_stream stream{};
  constexpr int memory_level = 8;
  if (deflateInit2(&stream, zlib_level, Z_DEFLATED, window_bits, memory_level,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    return std::nullopt;
  }
  const std::unique_ptr<z_stream, decltype(&deflateEnd)> end(&stream, deflateEnd);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = limited(out.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) return std::nullopt;
  out.resize(stream.total_out);
  return out;
}

std::optional<std::string> encode_brotli(std::string_view text) {
  std::size_t size = BrotliEncoderMaxCompressedSize(text.size());
  std::string out(size, '\0');
  if (BrotliEncoderCompress(brotli_quality, brotli_window_bits, BROTLI_MODE_TEXT, text.size(),
                            reinterpret_cast<const std::uint8_t*>(text.data()), &size,
                            reinterpret_cast<std::uint8_t*>(out.data())) == BROTLI_FALSE) {
    return std::nullopt;
  }
  out.resize(size);
  return out;
}

bool is_named(std::string_view name, std::string_view lower_case) {
  return std::equal(name.begin(), name.end(), lower_case.begin(), lower_case.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a | 0x20 : a) == b; });
}

}  // namespace

std::optional<Coding> coding_named(std::string_view name) {
  if (is_named(name, "identity")) return Coding::identity;
  if (is_named(name, "gzip") || is_named(name, "x-gzip")) return Coding::gzip;
  if (is_named(name, "deflate")) return Coding::deflate;
  if (is_named(name, "br")) return Coding::br;
  if (is_named(name, "zstd")) return Coding::zstd;
  return std::nullopt;
}

std::optional<std::string> decode(Coding coding, std::string_view bytes, const MayGrow& may_grow) {
  switch (coding) {
    case Coding::identity:
      return std::string(bytes);
    case Coding::gzip:
      return inflate_all(bytes, gzip_window_bits, may_grow);
    case Coding::deflate:
      return inflate_all(bytes, zlib_window_bits, may_grow);
    case Coding::br:
      return decode_brotli(bytes, may_grow);
    case Coding::zstd:
      return decode_zstd(bytes, may_grow);
  }
  return std::nullopt;
}

std::optional<std::string> encode(Coding coding, std::string_view text) {
  switch (coding) {
    case Coding::identity:
      return std::string(text);
    case Coding::gzip:
      return deflate_all(text, gzip_window_bits);
    case Coding::deflate:
      return deflate_all(text, zlib_window_bits);
    case Coding::br:
      return encode_brotli(text);
    case Coding::zstd:
      return encode_zstd(text);
  }
  return std::nullopt;
}

}  // namespace tare::wire
