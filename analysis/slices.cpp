#include "analysis/slices.h"

#include <cmath>

#include "analysis/signed_rank.h"
#include "analysis/statistics.h"

namespace tare::analysis {
namespace {

struct Sum {
  double value = 0;
  double count = 0;

  void add(double one) {
    value += one;
    ++count;
  }
  std::optional<double> mean() const { return ratio(value, count); }
};

struct RoundValues {
  std::vector<double> log_ratios;
  std::vector<double> differences;
  Sum subject;
  Sum reference;
};

std::map<int, RoundValues> paired_values(const SliceTable& subject, const SliceTable& reference,
                                         std::optional<double> Slice::* figure) {
  std::map<int, RoundValues> rounds;
  for (const auto& [place, slice] : subject) {
    const auto other = reference.find(place);
    if (other == reference.end()) continue;
    const auto a = slice.*figure;
    const auto b = other->second.*figure;
    const auto ratio_log = log_ratio(a, b);
    if (!a || !b || !ratio_log) continue;
    RoundValues& round = rounds[place.first];
    round.log_ratios.push_back(*ratio_log);
    round.differences.push_back(*a - *b);
    round.subject.add(*a);
    round.reference.add(*b);
  }
  return rounds;
}

}  // namespace

SliceTable slices_of(const IndexedRows& rows) {
  std::map<std::pair<int, int>, Sum> latencies;
  for (const RequestRow* row : rows.requests) {
    if (!row->measured) continue;
    if (const auto ms = row->latency_ms()) latencies[{row->round, row->slice.value_or(0)}].add(*ms);
  }
  SliceTable table;
  for (const auto& [place, sum] : latencies) table[place].latency_ms = sum.mean();
  for (const GroupRow* row : rows.groups) {
    Slice& slice = table[{row->round, row->slice.value_or(0)}];
    if (row->cpu_us) {
      slice.cpu_us = ratio(static_cast<double>(*row->cpu_us), static_cast<double>(row->requests));
    }
    if (row->anon_end_bytes) slice.anon_bytes = static_cast<double>(*row->anon_end_bytes);
  }
  return table;
}

std::vector<RoundPair> paired_rounds(const SliceTable& subject, const SliceTable& reference,
                                     std::optional<double> Slice::* figure) {
  std::vector<RoundPair> pairs;
  for (const auto& [round, values] : paired_values(subject, reference, figure)) {
    const auto ratio_log = round_ratio(values.log_ratios);
    const auto own = values.subject.mean();
    const auto other = values.reference.mean();
    if (ratio_log && own && other) pairs.push_back({round, *ratio_log, *own, *other});
  }
  return pairs;
}

std::vector<double> paired_differences(const SliceTable& subject, const SliceTable& reference,
                                       std::optional<double> Slice::* figure) {
  std::vector<double> differences;
  for (const auto& [round, values] : paired_values(subject, reference, figure)) {
    if (const auto difference = hodges_lehmann(values.differences)) {
      differences.push_back(*difference);
    }
  }
  return differences;
}

std::map<int, Trend> trends_of(const SliceTable& arm, const SliceTable* direct) {
  std::map<int, std::vector<double>> own;
  std::map<int, std::vector<double>> over_direct;
  for (const auto& [place, slice] : arm) {
    if (!slice.latency_ms) continue;
    own[place.first].push_back(*slice.latency_ms);
    if (direct == nullptr) continue;
    const auto other = direct->find(place);
    if (other == direct->end()) continue;
    if (const auto share = log_ratio(slice.latency_ms, other->second.latency_ms)) {
      over_direct[place.first].push_back(std::exp(*share));
    }
  }
  std::map<int, Trend> trends;
  for (const auto& [round, values] : own) {
    const auto paired = over_direct.find(round);
    trends[round] = trend_of(paired == over_direct.end() ? values : paired->second);
  }
  return trends;
}

}  // namespace tare::analysis
