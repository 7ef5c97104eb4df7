// zstd frames in files, and whole buffers. An appender belongs to one thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "common/error.h"

namespace tare {

// Appends to one file; what was written before the last end_frame() is on disk and readable
// whatever happens next. Frames carry a checksum.
class ZstdAppender {
 public:
  static Result<ZstdAppender> open(const std::filesystem::path& path);
  ZstdAppender(ZstdAppender&&) noexcept;
  ZstdAppender& operator=(ZstdAppender&&) noexcept;
  ~ZstdAppender();  // ends no frame: call end_frame()

  Result<void> write(std::string_view bytes);
  // Ends the frame and flushes it to the file. Nothing happens when nothing was written since the
  // last one.
  Result<void> end_frame();

 private:
  struct State;
  explicit ZstdAppender(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

std::string zstd_compress(std::string_view bytes, int level = 3);

// The whole content of concatenated frames. A file that breaks off in a frame or is damaged gives
// what is whole before that, and `damage` says where. Errors: io when it cannot be read.
struct ZstdContent {
  std::string bytes;
  std::string damage;  // empty, or "PATH: damaged or cut at byte N (compressed)"
};
Result<ZstdContent> zstd_read_file(const std::filesystem::path& path);

}  // namespace tare
