#include "analysis/raw_rows.h"

#include <limits>

#include "analysis/flat_row.h"

namespace tare::analysis {
namespace {

Design design_of(Fields& fields) {
  const std::string name = fields.maybe_text("design").value_or("published");
  if (name == "sliced") return Design::sliced;
  if (name == "isolated") return Design::isolated;
  if (name != "published") fields.blame("/design: expected a known design, found " + name);
  return Design::published;
}

bool small(std::int64_t value) {
  return value >= 0 && value <= std::numeric_limits<int>::max();
}

bool small_integer(FlatRow& fields, std::string_view key, int& value) {
  std::int64_t whole = 0;
  if (!fields.integer(key, whole) || !small(whole)) return false;
  value = static_cast<int>(whole);
  return true;
}

bool maybe_small_integer(FlatRow& fields, std::string_view key, std::optional<int>& value) {
  std::optional<std::int64_t> whole;
  if (!fields.maybe_integer(key, whole) || (whole && !small(*whole))) return false;
  value.reset();
  if (whole) value = static_cast<int>(*whole);
  return true;
}

bool kept_text(FlatRow& fields, std::string_view key, Names& names, std::string_view& value) {
  // Most rows have the text of the row before them.
  std::string_view text;
  if (!fields.text(key, text)) return false;
  if (text != value) value = names.keep(text);
  return true;
}

}  // namespace

WorkloadRow workload_row(Fields& fields) {
  WorkloadRow row;
  row.task = fields.text("task");
  row.index = fields.small_integer("index");
  row.sha256 = fields.text("sha256");
  row.bytes = fields.integer("bytes");
  row.route = fields.maybe_text("route").value_or("responses");
  row.name = fields.maybe_text("name").value_or("");
  row.conversation = fields.maybe_text("conversation").value_or("");
  row.turn = fields.maybe_small_integer("turn").value_or(0);
  for (const auto& item : fields.array("facts")) {
    Fields fact(item, "/facts");
    row.facts.push_back({fact.text("name"), fact.texts("spellings")});
    fields.blame(fact.fault());
  }
  return row;
}

StartRow start_row(Fields& fields) {
  StartRow row;
  row.start = fields.integer("start");
  row.round = fields.small_integer("round");
  row.design = design_of(fields);
  row.position = fields.maybe_small_integer("position").value_or(0);
  row.arm = fields.text("arm");
  row.outcome = fields.text("outcome");
  row.reason = fields.maybe_text("reason");
  row.has_process = !fields.texts("argv").empty();
  row.began_ns = fields.maybe_integer("began_ns");
  row.ready_ns = fields.maybe_integer("ready_ns");
  row.cpu_at_ready_us = fields.maybe_integer("cpu_at_ready_us");
  row.anon_at_ready_bytes = fields.maybe_integer("anon_at_ready_bytes");
  row.first_request_ns = fields.maybe_integer("first_request_ns");
  row.cpu_total_us = fields.maybe_integer("cpu_total_us");
  row.rusage_total_us = fields.maybe_integer("rusage_total_us");
  row.grade = fields.maybe_text("grade");
  row.peak_bytes = fields.maybe_integer("peak_bytes");
  row.peak_since = fields.maybe_text("peak_since");
  return row;
}

GroupRow group_row(Fields& fields) {
  GroupRow row;
  row.start = fields.integer("start");
  row.round = fields.small_integer("round");
  row.arm = fields.text("arm");
  row.task = fields.text("task");
  row.mode = fields.text("mode");
  row.design = design_of(fields);
  row.slice = fields.maybe_small_integer("slice");
  row.begin_ns = fields.maybe_integer("begin_ns").value_or(0);
  row.end_ns = fields.maybe_integer("end_ns").value_or(0);
  row.requests = fields.integer("requests");
  row.failures = fields.maybe_integer("failures").value_or(0);
  row.cpu_us = fields.maybe_integer("cpu_us");
  row.cpu_after_us = fields.maybe_integer("cpu_after_us");
  row.idle_us = fields.maybe_integer("idle_us");
  row.idle_cpu_us = fields.maybe_integer("idle_cpu_us");
  row.anon_begin_bytes = fields.maybe_integer("anon_begin_bytes");
  row.anon_end_bytes = fields.maybe_integer("anon_end_bytes");
  row.private_begin_bytes = fields.maybe_integer("private_begin_bytes");
  row.private_end_bytes = fields.maybe_integer("private_end_bytes");
  row.harness_cpu_us = fields.maybe_integer("harness_cpu_us");
  row.upstream_cpu_us = fields.maybe_integer("upstream_cpu_us");
  return row;
}

RequestRow request_row(Fields& fields, Names& names) {
  RequestRow row;
  row.start = fields.integer("start");
  row.round = fields.small_integer("round");
  row.arm = names.keep(fields.text("arm"));
  row.task = names.keep(fields.text("task"));
  row.mode = names.keep(fields.text("mode"));
  row.measured = fields.text("phase") == "measured";
  row.slice = fields.maybe_small_integer("slice");
  row.sent_ns = fields.integer("sent_ns");
  row.last_byte_ns = fields.maybe_integer("last_byte_ns");
  row.status = fields.maybe_small_integer("status");
  row.sent_bytes = fields.integer("sent_bytes");
  row.sent_sha256 = names.keep(fields.text("sent_sha256"));
  row.received_bytes = fields.maybe_integer("received_bytes");
  if (const auto sha256 = fields.maybe_text("received_sha256")) {
    row.received_sha256 = names.keep(*sha256);
  }
  row.attempts = fields.maybe_small_integer("attempts").value_or(0);
  row.reply_correct = fields.maybe_boolean("reply_correct").value_or(false);
  return row;
}

DecodedRow decoded_row(Fields& fields) {
  DecodedRow row;
  row.arm = fields.text("arm");
  row.sent_sha256 = fields.text("sent_sha256");
  row.forwarded_sha256 = fields.text("forwarded_sha256");
  row.equal = fields.maybe_boolean("decoded_equal");
  row.reason = fields.maybe_text("reason").value_or("");
  return row;
}

TokensRow tokens_row(Fields& fields) {
  TokensRow row;
  row.sha256 = fields.text("sha256");
  row.body_tokens = fields.integer("body_tokens");
  row.output_tokens = fields.integers("output_tokens");
  return row;
}

EventRow event_row(Fields& fields) {
  EventRow row;
  row.time_ns = fields.maybe_integer("time_ns").value_or(0);
  row.kind = fields.text("kind");
  row.arm = fields.maybe_text("arm");
  row.round = fields.maybe_small_integer("round");
  row.message = fields.maybe_text("message").value_or("");
  return row;
}

RoundRow round_row(Fields& fields) {
  RoundRow row;
  row.round = fields.small_integer("round");
  row.design = design_of(fields);
  row.order = fields.texts("order");
  row.attempt = fields.maybe_small_integer("attempt").value_or(1);
  row.replaces = fields.maybe_small_integer("replaces");
  row.canary_begin_ns = fields.maybe_integer("canary_begin_ns");
  row.canary_end_ns = fields.maybe_integer("canary_end_ns");
  row.steal_share = fields.maybe_number("steal_share");
  row.foreign_cpu_share = fields.maybe_number("foreign_cpu_share");
  row.discarded = fields.maybe_text("discarded");
  return row;
}

SampleRow sample_row(Fields& fields) {
  SampleRow row;
  row.start = fields.integer("start");
  row.time_ns = fields.integer("time_ns");
  row.cpu_us = fields.maybe_integer("cpu_us");
  row.anon_bytes = fields.maybe_integer("anon_bytes");
  return row;
}

bool plain_request_row(std::string_view line, Names& names, RequestRow& row) {
  FlatRow fields;
  std::string_view phase;
  std::optional<std::int64_t> attempts;
  std::optional<std::string_view> received;
  std::optional<bool> correct;
  const bool taken =
      fields.parse(line) && fields.integer("start", row.start) &&
      small_integer(fields, "round", row.round) && kept_text(fields, "arm", names, row.arm) &&
      kept_text(fields, "task", names, row.task) && kept_text(fields, "mode", names, row.mode) &&
      fields.text("phase", phase) && maybe_small_integer(fields, "slice", row.slice) &&
      fields.integer("sent_ns", row.sent_ns) &&
      fields.maybe_integer("last_byte_ns", row.last_byte_ns) &&
      maybe_small_integer(fields, "status", row.status) &&
      fields.integer("sent_bytes", row.sent_bytes) &&
      kept_text(fields, "sent_sha256", names, row.sent_sha256) &&
      fields.maybe_integer("received_bytes", row.received_bytes) &&
      fields.maybe_text("received_sha256", received) &&
      fields.maybe_integer("attempts", attempts) && small(attempts.value_or(0)) &&
      fields.maybe_boolean("reply_correct", correct);
  if (!taken) return false;
  row.measured = phase == "measured";
  row.received_sha256.reset();
  if (received) row.received_sha256 = names.keep(*received);
  row.attempts = static_cast<int>(attempts.value_or(0));
  row.reply_correct = correct.value_or(false);
  return true;
}

}  // namespace tare::analysis
