#include "common/zstd_stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>

#include "common/files.h"

namespace tare {

struct ZstdAppender::State {
  std::string name;
  std::FILE* file = nullptr;
  ZSTD_CCtx* context = ZSTD_createCCtx();
  bool frame_open = false;

  State() { ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1); }
  ~State() {
    ZSTD_freeCCtx(context);
    if (file != nullptr) std::fclose(file);
  }

  Result<void> compress(std::string_view bytes, ZSTD_EndDirective directive) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    std::array<char, 65536> buffer;
    for (;;) {
      ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
      const std::size_t left = ZSTD_compressStream2(context, &out, &in, directive);
      if (ZSTD_isError(left)) {
        return fail(Error::io(fmt::format("{}: zstd: {}", name, ZSTD_getErrorName(left))));
      }
      if (std::fwrite(buffer.data(), 1, out.pos, file) != out.pos) {
        return fail(
            Error::io_errno(name + ": cannot write", errno, "free some space and run again"));
      }
      if (directive == ZSTD_e_end ? left == 0 : in.pos == in.size) return {};
    }
  }
};

ZstdAppender::ZstdAppender(std::unique_ptr<State> state) : state_(std::move(state)) {}
ZstdAppender::ZstdAppender(ZstdAppender&&) noexcept = default;
ZstdAppender& ZstdAppender::operator=(ZstdAppender&&) noexcept = default;
ZstdAppender::~ZstdAppender() = default;

Result<ZstdAppender> ZstdAppender::open(const std::filesystem::path& path) {
  auto state = std::make_unique<State>();
  state->name = path.string();
  state->file = std::fopen(path.c_str(), "abe");
  if (state->file == nullptr) {
    return fail(Error::io_errno(state->name + ": cannot open for writing", errno));
  }
  return ZstdAppender(std::move(state));
}

Result<void> ZstdAppender::write(std::string_view bytes) {
  state_->frame_open = true;
  return state_->compress(bytes, ZSTD_e_continue);
}

Result<void> ZstdAppender::end_frame() {
  if (!state_->frame_open) return {};
  state_->frame_open = false;
  if (auto ended = state_->compress({}, ZSTD_e_end); !ended) return ended;
  if (std::fflush(state_->file) != 0) {
    return fail(
        Error::io_errno(state_->name + ": cannot write", errno, "free some space and run again"));
  }
  return {};
}

Result<void> zstd_drop_cut_frame(const std::filesystem::path& path) {
  const auto compressed = read_file(path);
  if (!compressed) return fail(compressed.error());
  std::size_t whole = 0;
  while (whole < compressed->size()) {
    const std::size_t frame =
        ZSTD_findFrameCompressedSize(compressed->data() + whole, compressed->size() - whole);
    if (ZSTD_isError(frame)) break;
    whole += frame;
  }
  if (whole == compressed->size()) return {};
  std::error_code e;
  std::filesystem::resize_file(path, whole, e);
  if (e) return fail(Error::io_errno(path.string() + ": cannot cut", e.value()));
  return {};
}

std::string zstd_compress(std::string_view bytes, int level) {
  std::string frame(ZSTD_compressBound(bytes.size()), '\0');
  frame.resize(ZSTD_compress(frame.data(), frame.size(), bytes.data(), bytes.size(), level));
  return frame;
}

namespace {

using Decoder = std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)>;

// The content of one frame; false when it is damaged.
bool decode_frame(ZSTD_DCtx* decoder, std::string_view frame, std::string& content) {
  content.clear();
  ZSTD_DCtx_reset(decoder, ZSTD_reset_session_only);
  ZSTD_inBuffer in{frame.data(), frame.size(), 0};
  for (;;) {
    const std::size_t had = content.size();
    content.resize(had + ZSTD_DStreamOutSize());
    ZSTD_outBuffer out{content.data() + had, content.size() - had, 0};
    const std::size_t state = ZSTD_decompressStream(decoder, &out, &in);
    content.resize(had + out.pos);
    if (ZSTD_isError(state)) return false;
    if (state == 0) return true;
    if (out.pos == 0 && in.pos == in.size) return false;
  }
}

std::size_t next_magic(std::string_view file, std::size_t from) {
  constexpr std::string_view magic("\x28\xB5\x2F\xFD", 4);
  return std::min(file.find(magic, from), file.size());
}

// The bytes of a file without a copy of them in memory.
class MappedFile {
 public:
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  MappedFile() = default;
  ~MappedFile() {
    if (address_ != nullptr) ::munmap(address_, size_);
  }

  Result<void> open(const std::filesystem::path& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return fail(Error::io_errno(path.string() + ": cannot open", errno));
    struct stat facts{};
    const bool known = ::fstat(file, &facts) == 0 && S_ISREG(facts.st_mode);
    size_ = known ? static_cast<std::size_t>(facts.st_size) : 0;
    void* address = size_ == 0 ? nullptr : ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    const int e = errno;
    ::close(file);
    if (!known) return fail(Error::io(path.string() + ": it is not a plain file"));
    if (address == MAP_FAILED) return fail(Error::io_errno(path.string() + ": cannot read", e));
    address_ = address;
    return {};
  }
  std::string_view bytes() const { return {static_cast<const char*>(address_), size_}; }

 private:
  void* address_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace

Result<std::vector<ZstdDamage>> zstd_read_frames(
    const std::filesystem::path& path, const std::function<void(std::string_view)>& on_frame) {
  MappedFile mapped;
  if (auto opened = mapped.open(path); !opened) return fail(opened.error());
  const std::string_view file = mapped.bytes();
  const Decoder decoder(ZSTD_createDCtx(), &ZSTD_freeDCtx);
  std::vector<ZstdDamage> damages;
  std::string content;
  for (std::size_t at = 0; at < file.size();) {
    const std::size_t size = ZSTD_findFrameCompressedSize(file.data() + at, file.size() - at);
    if (!ZSTD_isError(size) && decode_frame(decoder.get(), file.substr(at, size), content)) {
      on_frame(content);
      at += size;
      continue;
    }
    const std::size_t next = next_magic(file, at + 1);
    if (!damages.empty() && damages.back().end == at) {
      damages.back().end = next;
    } else {
      damages.push_back({at, next, file.size()});
    }
    at = next;
  }
  return damages;
}

Result<ZstdContent> zstd_read_file(const std::filesystem::path& path) {
  const auto compressed = read_file(path);
  if (!compressed) return fail(compressed.error());
  const Decoder context(ZSTD_createDCtx(), &ZSTD_freeDCtx);
  ZstdContent content;
  std::array<char, 65536> buffer;
  ZSTD_inBuffer in{compressed->data(), compressed->size(), 0};
  std::size_t whole = 0;  // bytes up to the last whole frame
  std::size_t state = 0;
  while (in.pos < in.size) {
    ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
    state = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(state)) break;
    content.bytes.append(buffer.data(), out.pos);
    if (state == 0) whole = content.bytes.size();
  }
  // The decoder may hold back output after the last input byte.
  while (!ZSTD_isError(state) && state != 0) {
    ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
    state = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(state) || out.pos == 0) break;
    content.bytes.append(buffer.data(), out.pos);
    if (state == 0) whole = content.bytes.size();
  }
  if (state != 0) {
    content.damage =
        fmt::format("{}: damaged or cut at byte {} of {}", path.string(), in.pos, in.size);
    content.bytes.resize(whole);
  }
  return content;
}

}  // namespace tare
