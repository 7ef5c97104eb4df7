// Writes a run folder (docs/raw-format.md). Used by the runner, from one thread.
//
// Rows and bodies are kept in memory until commit(), so that nothing is compressed or written
// inside a measured window. What was committed is readable whatever happens next: run.json says
// "incomplete" from the first moment until finish().
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "common/error.h"
#include "harness/records.h"

namespace tare::harness {

class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual void add(const WorkloadRow& row) = 0;
  virtual void add(const RoundRow& row) = 0;
  virtual void add(const StartRow& row) = 0;
  virtual void add(const GroupRow& row) = 0;
  virtual void add(const RequestRow& row) = 0;
  virtual void add(const UpstreamRow& row) = 0;
  virtual void add(const RetrievedRow& row) = 0;
  virtual void add(const SampleRow& row) = 0;
  virtual void add(const EventRow& row) = 0;
  // Keeps a body under its SHA-256, once.
  virtual void keep_body(const std::string& sha256, std::string_view bytes) = 0;
  // Ends a frame in each file. Errors: io, with the path and the remedy.
  virtual Result<void> commit() = 0;
  // Commits, and rewrites run.json.
  virtual Result<void> finish(const RunDocument& document) = 0;
};

// Makes the folder and writes `document` to its run.json. Errors: usage when `folder` exists and is
// not empty (a run is never overwritten), io when it cannot be written.
Result<std::unique_ptr<Recorder>> make_recorder(const std::filesystem::path& folder,
                                                const RunDocument& document);

// Goes on writing to a folder that was cut off: half rows at the end of its files are dropped, and
// run.json says "running" again. Errors: io.
Result<std::unique_ptr<Recorder>> reopen_recorder(const std::filesystem::path& folder,
                                                  const RunDocument& document);

}  // namespace tare::harness
