#include "common/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace tare {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  // 0 or the errno value; a full disk may show itself only here.
  int close() {
    const int fd = std::exchange(fd_, -1);
    return fd < 0 || ::close(fd) == 0 ? 0 : errno;
  }

 private:
  int fd_;
};

Result<void> write_all(int fd, std::string_view text, const std::string& name) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(Error::io_errno(name + ": cannot write", errno));
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

bool is_device_or_pipe(const std::filesystem::path& path) {
  struct stat facts{};
  if (::stat(path.c_str(), &facts) != 0) return false;
  return S_ISCHR(facts.st_mode) || S_ISBLK(facts.st_mode) || S_ISFIFO(facts.st_mode);
}

Result<void> write_in_place(const std::filesystem::path& path, std::string_view text) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0) return fail(Error::io_errno(path.string() + ": cannot open", errno));
  if (auto written = write_all(file.get(), text, path.string()); !written) return written;
  if (const int e = file.close()) {
    return fail(Error::io_errno(path.string() + ": cannot close", e));
  }
  return {};
}

Result<void> replace_file(const std::filesystem::path& path, std::string_view text, bool sync) {
  std::string beside = path.string() + ".XXXXXX";
  Descriptor file(::mkostemp(beside.data(), O_CLOEXEC));
  if (file.get() < 0) return fail(Error::io_errno(path.string() + ": cannot create", errno));
  auto undo = [&](Error error) {
    ::unlink(beside.c_str());
    return fail(std::move(error));
  };
  if (auto written = write_all(file.get(), text, path.string()); !written) {
    return undo(written.error());
  }
  ::fchmod(file.get(), 0644);
  if (sync && ::fsync(file.get()) != 0)
    return undo(Error::io_errno(path.string() + ": cannot sync", errno));
  if (const int e = file.close()) return undo(Error::io_errno(path.string() + ": cannot close", e));
  if (::rename(beside.c_str(), path.c_str()) != 0) {
    return undo(Error::io_errno(path.string() + ": cannot replace", errno));
  }
  return {};
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return fail(Error::io_errno(path.string() + ": cannot open", errno));
  std::string text;
  std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t n = ::read(file.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(Error::io_errno(path.string() + ": cannot read", errno));
    if (n == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

Result<void> write_file(const std::filesystem::path& path, std::string_view text) {
  if (is_device_or_pipe(path)) return write_in_place(path, text);
  return replace_file(path, text, true);
}

Result<void> write_file_unsynced(const std::filesystem::path& path, std::string_view text) {
  return replace_file(path, text, false);
}

Result<void> make_directories(const std::filesystem::path& path) {
  std::error_code e;
  std::filesystem::create_directories(path, e);
  if (e) return fail(Error::io_errno(path.string() + ": cannot create the folder", e.value()));
  return {};
}

Result<std::filesystem::path> make_temporary_directory(std::string_view prefix) {
  std::error_code e;
  auto folder = std::filesystem::temp_directory_path(e);
  if (e) return fail(Error::io_errno("temporary folder", e.value(), "set TMPDIR"));
  std::string name = (folder / fmt::format("{}-XXXXXX", prefix)).string();
  if (::mkdtemp(name.data()) == nullptr) {
    return fail(Error::io_errno(name + ": cannot create the folder", errno));
  }
  return std::filesystem::path(name);
}

}  // namespace tare
