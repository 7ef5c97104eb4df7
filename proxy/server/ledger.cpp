#include "proxy/server/ledger.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

namespace tare::server {

namespace {

std::int64_t microseconds(RequestRecord::Duration time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
}

}  // namespace

std::string ledger_line(const RequestRecord& record, std::int64_t ended_ms) {
  return fmt::format(
      R"({{"ended_ms":{},"format":"{}","ending":"{}","status":{},"rewriting":"{}",)"
      R"("body_received_bytes":{},"body_sent_bytes":{},"outputs_found":{},"outputs_rewritten":{},)"
      R"("output_tokens_received_estimate":{},"output_tokens_sent_estimate":{},)"
      R"("response_body_bytes":{},"rewrite_us":{},"first_byte_us":{},"total_us":{}}})"
      "\n",
      ended_ms, record.format, name_of(record.ending), record.status, name_of(record.rewriting),
      record.body_received_bytes, record.body_sent_bytes, record.outputs_found,
      record.outputs_rewritten, record.tokens_received, record.tokens_sent,
      record.response_body_bytes, microseconds(record.rewrite_time),
      microseconds(record.first_byte_time), microseconds(record.total_time));
}

Result<std::unique_ptr<Ledger>> Ledger::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return fail(Error::io_errno("--ledger: " + path, errno));
  return std::unique_ptr<Ledger>(new Ledger(descriptor));
}

Ledger::~Ledger() {
  ::close(descriptor_);
}

void Ledger::add(const RequestRecord& record) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::string line =
      ledger_line(record, std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
  [[maybe_unused]] const auto written = ::write(descriptor_, line.data(), line.size());
}

}  // namespace tare::server
