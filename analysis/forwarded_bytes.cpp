#include "analysis/forwarded_bytes.h"

#include <string_view>
#include <unordered_map>

#include "analysis/statistics.h"

namespace tare::analysis {
namespace {

struct Sizes {
  double sum = 0;
  double count = 0;
  std::int64_t first = 0;
  bool varied = false;
};

std::unordered_map<std::string_view, Sizes> sizes_of(const IndexedRows& rows) {
  std::unordered_map<std::string_view, Sizes> all;
  for (const RequestRow* row : rows.requests) {
    if (!row->measured || row->failed() || !row->received_bytes) continue;
    Sizes& sizes = all[row->sent_sha256];
    if (sizes.count == 0) sizes.first = *row->received_bytes;
    sizes.varied = sizes.varied || sizes.first != *row->received_bytes;
    sizes.sum += static_cast<double>(*row->received_bytes);
    ++sizes.count;
  }
  return all;
}

}  // namespace

ComparedBytes compared_bytes(const IndexedRows& subject, const IndexedRows& reference) {
  const auto own = sizes_of(subject);
  const auto others = sizes_of(reference);
  ComparedBytes bytes;
  for (const auto& [body, sizes] : own) {
    const auto other = others.find(body);
    if (other == others.end()) continue;
    ++bytes.bodies;
    bytes.subject += sizes.sum / sizes.count;
    bytes.reference += other->second.sum / other->second.count;
    if (sizes.varied || other->second.varied) ++bytes.varied;
  }
  const auto count = static_cast<double>(bytes.bodies);
  bytes.subject = ratio(bytes.subject, count).value_or(0);
  bytes.reference = ratio(bytes.reference, count).value_or(0);
  return bytes;
}

}  // namespace tare::analysis
