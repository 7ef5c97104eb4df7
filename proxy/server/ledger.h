// One JSON line for each request in a file: sizes, savings, times and how it ended; no content and
// no credentials. May be used from several threads.
#pragma once

#include <memory>
#include <string>

#include "common/error.h"
#include "proxy/server/request_record.h"

namespace tare::server {

// The line of a record, with its line feed. `ended_ms`: milliseconds since 1970.
std::string ledger_line(const RequestRecord& record, std::int64_t ended_ms);

class Ledger {
 public:
  // Appends to the file; makes it when it is not there, readable by its owner only. Error: io.
  static Result<std::unique_ptr<Ledger>> open(const std::string& path);
  ~Ledger();
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  // Each line is written whole, at once. One that cannot be written is lost: a full disk stops no
  // request.
  void add(const RequestRecord& record);

 private:
  explicit Ledger(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace tare::server
