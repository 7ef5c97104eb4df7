#include "harness/recorder.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <set>
#include <vector>

#include "common/files.h"
#include "common/zstd_stream.h"

namespace tare::harness {
namespace {

constexpr std::array file_names{"workload", "rounds",   "starts",  "groups",
                                "requests", "upstream", "samples", "retrieved"};

// What helps against a full disk does not help against a folder that may not be written.
const char* remedy_of(const Error& error) {
  for (const int number : {EACCES, EPERM, EROFS}) {
    if (error.message.ends_with(strerrordesc_np(number))) {
      return "choose a folder that you may write with --out";
    }
  }
  return "free some space or choose another folder with --out";
}

// Lines for one *.jsonl.zst file.
class FrameFile {
 public:
  static Result<FrameFile> open(const std::filesystem::path& path) {
    std::error_code e;
    if (std::filesystem::exists(path, e)) {
      if (auto cut = zstd_drop_cut_frame(path); !cut) return fail(cut.error());
    }
    auto appender = ZstdAppender::open(path);
    if (!appender) return fail(appender.error());
    FrameFile file(std::move(*appender));
    // An empty frame: a file without rows is a whole zstd file too.
    if (auto written = file.appender_.write(""); !written) return fail(written.error());
    if (auto ended = file.appender_.end_frame(); !ended) return fail(ended.error());
    return file;
  }
  void add(std::string line) {
    lines_ += line;
    lines_ += '\n';
  }
  Result<void> commit() {
    if (lines_.empty()) return {};
    if (auto written = appender_.write(lines_); !written) return written;
    lines_.clear();
    return appender_.end_frame();
  }

 private:
  explicit FrameFile(ZstdAppender appender) : appender_(std::move(appender)) {}
  ZstdAppender appender_;
  std::string lines_;
};

class Folder final : public Recorder {
 public:
  // Of a new folder, or of one that is there: then its files are as they were left.
  static Result<std::unique_ptr<Folder>> open(const std::filesystem::path& path,
                                              const RunDocument& document) {
    std::vector<FrameFile> files;
    auto text = to_json(document);
    if (!text) return fail(text.error());
    if (auto made = make_directories(path / "bodies"); !made) return fail(made.error());
    if (auto written = write_file(path / "run.json", *text); !written) {
      return fail(written.error());
    }
    for (const char* name : file_names) {
      auto file = FrameFile::open(path / (std::string(name) + ".jsonl.zst"));
      if (!file) return fail(file.error());
      files.push_back(std::move(*file));
    }
    std::unique_ptr<Folder> folder(new Folder(path, std::move(files)));
    if (auto cut = folder->drop_cut_event(); !cut) return fail(cut.error());
    if (auto opened = folder->append_events(); !opened) return fail(opened.error());
    return folder;
  }

  void add(const WorkloadRow& row) override { workload_.add(to_json(row)); }
  void add(const RoundRow& row) override { rounds_.add(to_json(row)); }
  void add(const StartRow& row) override { starts_.add(to_json(row)); }
  void add(const GroupRow& row) override { groups_.add(to_json(row)); }
  void add(const RequestRow& row) override { requests_.add(to_json(row)); }
  void add(const UpstreamRow& row) override { upstream_.add(to_json(row)); }
  void add(const RetrievedRow& row) override { retrieved_.add(to_json(row)); }
  void add(const SampleRow& row) override { samples_.add(to_json(row)); }
  void add(const EventRow& row) override { events_ += to_json(row) + "\n"; }

  void keep_body(const std::string& sha256, std::string_view bytes) override {
    if (kept_.insert(sha256).second) bodies_.emplace_back(sha256, bytes);
  }

  // Bodies before the rows that name them, a start's row after its others, a round's row last.
  Result<void> commit() override {
    auto written = write_all();
    broken_ = !written;
    if (broken_) return with_remedy(written.error());
    return {};
  }

  // After a commit that failed only run.json is tried again: a second half of a row helps nobody.
  Result<void> finish(const RunDocument& document) override {
    if (!broken_) {
      if (auto committed = commit(); !committed) return committed;
    }
    const auto text = to_json(document);
    if (!text) return fail(text.error());
    if (auto written = write_file(path_ / "run.json", *text); !written) {
      return with_remedy(written.error());
    }
    return {};
  }

  static std::unexpected<Error> with_remedy(Error error) {
    error.remedy = remedy_of(error);
    return fail(std::move(error));
  }

 private:
  Folder(std::filesystem::path path, std::vector<FrameFile> files)
      : path_(std::move(path)),
        workload_(std::move(files[0])),
        rounds_(std::move(files[1])),
        starts_(std::move(files[2])),
        groups_(std::move(files[3])),
        requests_(std::move(files[4])),
        upstream_(std::move(files[5])),
        samples_(std::move(files[6])),
        retrieved_(std::move(files[7])) {}

  Result<void> write_all() {
    if (auto written = write_bodies(); !written) return written;
    for (FrameFile* file : {&workload_, &upstream_, &requests_, &samples_, &retrieved_, &groups_,
                            &starts_, &rounds_}) {
      if (auto written = file->commit(); !written) return written;
    }
    return append_events();
  }

  // A line that was not written to its end.
  Result<void> drop_cut_event() const {
    const auto file = path_ / "events.jsonl";
    std::error_code e;
    if (!std::filesystem::exists(file, e)) return {};
    const auto text = read_file(file);
    if (!text) return fail(text.error());
    const auto whole = text->rfind('\n') + 1;  // 0 when there is none
    if (whole == text->size()) return {};
    std::filesystem::resize_file(file, whole, e);
    if (e) return fail(Error::io_errno(file.string() + ": cannot cut", e.value()));
    return {};
  }

  Result<void> write_bodies() {
    for (const auto& [sha256, bytes] : bodies_) {
      const auto folder = path_ / "bodies" / sha256.substr(0, 2);
      std::error_code e;
      if (std::filesystem::exists(folder / (sha256 + ".zst"), e)) continue;  // from before a cut
      if (auto made = make_directories(folder); !made) return made;
      const auto file = folder / (sha256 + ".zst");
      if (auto written = write_file_unsynced(file, zstd_compress(bytes)); !written) return written;
    }
    bodies_.clear();
    return {};
  }

  Result<void> append_events() {
    const auto file = path_ / "events.jsonl";
    const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (fd < 0) return fail(Error::io_errno(file.string() + ": cannot open for writing", errno));
    while (!events_.empty()) {
      const ssize_t n = ::write(fd, events_.data(), events_.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) {
        const int error_number = errno;
        ::close(fd);
        return fail(Error::io_errno(file.string() + ": cannot write", error_number));
      }
      events_.erase(0, static_cast<std::size_t>(n));
    }
    ::close(fd);
    return {};
  }

  std::filesystem::path path_;
  FrameFile workload_;
  FrameFile rounds_;
  FrameFile starts_;
  FrameFile groups_;
  FrameFile requests_;
  FrameFile upstream_;
  FrameFile samples_;
  FrameFile retrieved_;
  std::string events_;
  bool broken_ = false;
  std::set<std::string> kept_;
  std::vector<std::pair<std::string, std::string>> bodies_;  // sha256, bytes; not yet written
};

Result<std::unique_ptr<Recorder>> opened(const std::filesystem::path& folder,
                                         const RunDocument& document) {
  auto made = Folder::open(folder, document);
  if (!made && made.error().code == Error::Code::io) return Folder::with_remedy(made.error());
  if (!made) return fail(made.error());
  return std::move(*made);
}

}  // namespace

Result<std::unique_ptr<Recorder>> make_recorder(const std::filesystem::path& folder,
                                                const RunDocument& document) {
  std::error_code e;
  if (std::filesystem::exists(folder, e) && !std::filesystem::is_empty(folder, e)) {
    return fail(Error::usage(folder.string() + ": exists already, and a run is never overwritten",
                             "choose another folder with --out"));
  }
  return opened(folder, document);
}

Result<std::unique_ptr<Recorder>> reopen_recorder(const std::filesystem::path& folder,
                                                  const RunDocument& document) {
  return opened(folder, document);
}

}  // namespace tare::harness
