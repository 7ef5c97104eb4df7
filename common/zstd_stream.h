// zstd frames in files, and whole buffers. An appender belongs to one thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

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

// Cuts off what follows the last whole frame, as a killed program leaves it. Errors: io.
Result<void> zstd_drop_cut_frame(const std::filesystem::path& path);

std::string zstd_compress(std::string_view bytes, int level = 3);

// A stretch of a file that holds no whole frame: it was cut there, or damaged.
struct ZstdDamage {
  std::size_t begin = 0;  // bytes of the compressed file
  std::size_t end = 0;
  std::size_t file_size = 0;
};

// Calls `on_frame` with the content of each whole frame, in order; memory grows with the largest
// frame. After damage the next whole frame is looked for: each stretch between is in the result.
// Errors: io when the file cannot be read.
Result<std::vector<ZstdDamage>> zstd_read_frames(
    const std::filesystem::path& path, const std::function<void(std::string_view)>& on_frame);

// The whole content of concatenated frames. A file that breaks off in a frame or is damaged gives
// what is whole before that, and `damage` says where. Errors: io when it cannot be read.
struct ZstdContent {
  std::string bytes;
  std::string damage;  // empty, or "PATH: damaged or cut at byte N (compressed)"
};
Result<ZstdContent> zstd_read_file(const std::filesystem::path& path);

}  // namespace tare
