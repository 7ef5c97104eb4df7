// What a run says of each published claim. A claim is judged by one function, registered at the end
// of this file by the claim's id.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>

#include "analysis/published.h"
#include "analysis/statistics.h"

namespace tare::analysis {
namespace {

// Of means of whole numbers over 40 or 120 requests, published with all their digits.
constexpr double same_mean = 1e-6;

// The task whose outputs HeadRoom hands to its model; the weights' state was not recorded.
constexpr const char* model_task = "code";

struct Case {
  const Results& results;
  const Published& published;
  const Claim& claim;

  std::string proxy() const { return published.arm("proxy"); }
  std::string headroom() const { return published.arm("headroom"); }
  std::string control() const { return published.arm("control"); }
};

ClaimResult cannot(const Claim& claim, std::string because) {
  ClaimResult result;
  result.claim = claim;
  result.because = std::move(because);
  return result;
}

std::string group_name(const GroupResult& group) {
  return group.task + "/" + group.mode;
}

bool same(double a, double b) {
  return std::abs(a - b) <= same_mean * std::max(1.0, std::abs(b));
}

// Why there is nothing to say of an arm; empty when it has figures.
std::string missing(const Results& results, const std::string& name) {
  const ArmResult* arm = results.find(name);
  if (arm == nullptr) return fmt::format("{} is not in this run's plan", name);
  if (!arm->info.installed) {
    return fmt::format("{} is not installed: {}", name,
                       arm->info.reason.value_or("no reason given"));
  }
  for (const auto& group : results.groups) {
    if (group.find(name) != nullptr) return "";
  }
  return fmt::format("{} has no start that ended well", name);
}

std::string degraded_text(const ArmResult& arm) {
  return fmt::format("{}", fmt::join(arm.info.degraded, ", "));
}

// HeadRoom did other work here than in the published run, so its time and CPU are not comparable:
// its own forwarded bytes say so. Empty when they agree.
std::string other_work(const Case& c, const GroupResult& group) {
  const Cell* here = group.find(c.headroom());
  const PublishedGroup* published = c.published.find(group.task, group.mode);
  const PublishedCell* there = published == nullptr ? nullptr : published->find(c.headroom());
  if (here == nullptr || there == nullptr || !there->mean_forwarded_bytes) return "";
  const auto bytes = here->figures.value(metrics::forwarded_bytes);
  if (!bytes || same(*bytes, *there->mean_forwarded_bytes)) return "";
  const ArmResult& arm = *c.results.find(c.headroom());
  std::string text = fmt::format("{} did other work here: it forwarded {:.6g} bytes, not {:.6g}",
                                 c.headroom(), *bytes, *there->mean_forwarded_bytes);
  if (!arm.info.degraded.empty()) text += fmt::format(" ({})", degraded_text(arm));
  return text;
}

// Sums up parts of an exact claim.
ClaimResult exact_result(const Claim& claim, std::vector<ClaimPart> parts) {
  ClaimResult result;
  result.claim = claim;
  result.parts = std::move(parts);
  std::size_t hold = 0;
  std::size_t fail = 0;
  for (const auto& part : result.parts) {
    hold += part.outcome == Outcome::holds ? 1U : 0U;
    fail += part.outcome == Outcome::does_not_hold ? 1U : 0U;
  }
  if (fail > 0) {
    result.outcome = Outcome::does_not_hold;
  } else if (hold > 0) {
    result.outcome = Outcome::holds;
  } else {
    result.because = "no part of it can be told";
  }
  const std::size_t left = result.parts.size() - hold - fail;
  if (left > 0 && result.outcome != Outcome::cannot_be_told) {
    result.because = fmt::format("in {} of {}; the others cannot be told",
                                 result.parts.size() - left, result.parts.size());
  }
  return result;
}

// Sums up parts whose rounds say yes or no: a round counts when every part that can be told says
// yes in it.
class Rounds {
 public:
  void add(int round, bool reproduced) {
    auto [at, fresh] = all_.emplace(round, reproduced);
    if (!fresh) at->second = at->second && reproduced;
  }

  ClaimResult result(const Claim& claim, std::vector<ClaimPart> parts) const {
    ClaimResult result;
    result.claim = claim;
    result.parts = std::move(parts);
    result.rounds = all_.size();
    for (const auto& [round, reproduced] : all_) result.rounds_reproduced += reproduced ? 1U : 0U;
    std::string told;
    std::string untold;
    for (const auto& part : result.parts) {
      const bool is_told = part.outcome == Outcome::reproduced;
      std::string& list = is_told ? told : untold;
      if (!list.empty()) list += ", ";
      list += is_told ? fmt::format("{} {}", part.about, part.rounds_reproduced) : part.about;
    }
    if (told.empty()) {
      result.because = "no part of it can be told";
      return result;
    }
    result.outcome = Outcome::reproduced;
    if (result.parts.size() > 1) result.because = "part by part: " + told;
    if (!untold.empty()) result.because += "; cannot be told: " + untold;
    return result;
  }

 private:
  std::map<int, bool> all_;
};

// "2,160 measured requests, all completed"
ClaimResult judge_requests(const Case& c) {
  const PlanInfo& plan = c.results.info.plan;
  std::set<std::string> arms;
  for (const auto& [published, ours] : c.published.arm_names) arms.insert(ours);
  std::size_t planned = 0;
  std::size_t measured = 0;
  std::size_t failed = 0;
  for (const auto& name : arms) {
    if (const auto why = missing(c.results, name); !why.empty()) return cannot(c.claim, why);
    planned += static_cast<std::size_t>(plan.rounds) * plan.groups.size() *
               static_cast<std::size_t>(plan.requests);
    for (const auto& group : c.results.groups) {
      const Cell* cell = group.find(name);
      if (cell == nullptr) continue;
      measured += cell->figures.at(metrics::requests).n;
      failed += cell->figures.at(metrics::failures).n;
    }
  }
  const double value = c.claim.value.value_or(0);
  if (static_cast<double>(planned) != value) {
    return cannot(c.claim, fmt::format("this plan has {} such requests", planned));
  }
  if (measured != planned && c.results.damaged) {
    return cannot(c.claim, "the raw data is damaged: some rows are missing");
  }
  ClaimPart part;
  part.about = "all groups";
  part.published = value;
  part.here = {static_cast<double>(measured - failed)};
  part.outcome = measured == planned && failed == 0 ? Outcome::holds : Outcome::does_not_hold;
  return exact_result(c.claim, {part});
}

// A mean of each group, equal to the published one.
ClaimResult judge_equal_means(const Case& c, const std::string& arm, const Metric& metric) {
  if (const auto why = missing(c.results, arm); !why.empty()) return cannot(c.claim, why);
  const PlanInfo& plan = c.results.info.plan;
  if (c.published.warmups.value_or(plan.warmups) != plan.warmups ||
      c.published.requests.value_or(plan.requests) != plan.requests) {
    return cannot(c.claim, fmt::format("this plan measures other bodies: {} a group after {} "
                                       "warm-ups",
                                       plan.requests, plan.warmups));
  }
  const ArmResult& info = *c.results.find(arm);
  std::vector<ClaimPart> parts;
  for (const auto& group : c.results.groups) {
    const auto published = c.claim.values.find(group_name(group));
    if (published == c.claim.values.end()) continue;
    ClaimPart part;
    part.about = group_name(group);
    part.published = published->second;
    const Cell* cell = group.find(arm);
    const auto here = cell == nullptr ? std::nullopt : cell->figures.value(metric);
    if (!here) {
      part.because = "it has no figure here";
    } else {
      part.here = {*here};
      const bool equal = same(*here, published->second);
      part.outcome = equal ? Outcome::holds : Outcome::does_not_hold;
      const bool model = &metric == &metrics::forwarded_bytes && group.task == model_task;
      if (!equal && model && !info.info.degraded.empty()) {
        part.outcome = Outcome::cannot_be_told;
        part.because =
            fmt::format("{} runs here {}, and what the published run had was not recorded", arm,
                        degraded_text(info));
      }
    }
    parts.push_back(std::move(part));
  }
  return exact_result(c.claim, std::move(parts));
}

ClaimResult judge_sent_bytes(const Case& c) {
  return judge_equal_means(c, c.proxy(), metrics::sent_bytes);
}

ClaimResult judge_headroom_bytes(const Case& c) {
  return judge_equal_means(c, c.headroom(), metrics::forwarded_bytes);
}

// Proxy and HeadRoom in each round of each group. `value(proxy, headroom)` is what is claimed of;
// `holds(value, published)` decides a round.
using Value = std::function<std::optional<double>(const Figures&, const Figures&)>;
using Holds = std::function<bool(double, std::optional<double>)>;

ClaimResult judge_by_round(const Case& c,
                           const std::map<std::string, std::optional<double>>& groups,
                           const Value& value, const Holds& holds) {
  for (const auto& arm : {c.proxy(), c.headroom()}) {
    if (const auto why = missing(c.results, arm); !why.empty()) return cannot(c.claim, why);
  }
  std::vector<ClaimPart> parts;
  Rounds rounds;
  for (const auto& group : c.results.groups) {
    const auto published = groups.find(group_name(group));
    const Cell* proxy = group.find(c.proxy());
    const Cell* headroom = group.find(c.headroom());
    if (published == groups.end() || proxy == nullptr || headroom == nullptr) continue;
    ClaimPart part;
    part.about = group_name(group);
    part.published = published->second;
    part.because = other_work(c, group);
    for (const auto& a : proxy->rounds) {
      for (const auto& b : headroom->rounds) {
        const auto here = a.round == b.round ? value(a.figures, b.figures) : std::nullopt;
        if (!here) continue;
        part.here.push_back(*here);
        if (!part.because.empty()) continue;
        const bool reproduced = holds(*here, published->second);
        ++part.rounds;
        part.rounds_reproduced += reproduced ? 1U : 0U;
        rounds.add(a.round, reproduced);
      }
    }
    if (part.here.empty() && part.because.empty()) part.because = "it was not measured here";
    if (part.because.empty()) part.outcome = Outcome::reproduced;
    parts.push_back(std::move(part));
  }
  return rounds.result(c.claim, std::move(parts));
}

Value difference_of(const Metric& metric) {
  return [&metric](const Figures& proxy, const Figures& headroom) -> std::optional<double> {
    const auto a = proxy.value(metric);
    const auto b = headroom.value(metric);
    if (!a || !b) return std::nullopt;
    return *a - *b;
  };
}

bool is_below(double difference, std::optional<double>) {
  return difference < 0;
}

bool at_least(double here, std::optional<double> published) {
  return published && here >= *published;
}

// The groups of which the published figures say that the proxy is below HeadRoom, with the
// published difference.
std::map<std::string, std::optional<double>> groups_below(
    const Case& c, std::optional<double> PublishedCell::* figure) {
  std::map<std::string, std::optional<double>> groups;
  for (const auto& group : c.published.groups) {
    const PublishedCell* proxy = group.find(c.proxy());
    const PublishedCell* headroom = group.find(c.headroom());
    if (proxy == nullptr || headroom == nullptr) continue;
    const auto a = proxy->*figure;
    const auto b = headroom->*figure;
    if (a && b && *a < *b) groups[group.task + "/" + group.mode] = *a - *b;
  }
  return groups;
}

std::map<std::string, std::optional<double>> groups_of(const Claim& claim) {
  return {claim.values.begin(), claim.values.end()};
}

ClaimResult judge_fewer_bytes(const Case& c) {
  return judge_by_round(c, groups_below(c, &PublishedCell::mean_forwarded_bytes),
                        difference_of(metrics::forwarded_bytes), is_below);
}

ClaimResult judge_faster(const Case& c) {
  return judge_by_round(c, groups_below(c, &PublishedCell::mean_ms),
                        difference_of(metrics::mean_latency), is_below);
}

ClaimResult judge_latency(const Case& c) {
  const auto value = [](const Figures& proxy, const Figures& headroom) {
    return ratio(headroom.value(metrics::mean_latency), proxy.value(metrics::mean_latency));
  };
  return judge_by_round(c, groups_of(c.claim), value, at_least);
}

ClaimResult judge_cpu_reduction(const Case& c) {
  const auto value = [](const Figures& proxy, const Figures& headroom) -> std::optional<double> {
    const auto share = ratio(proxy.value(metrics::cpu), headroom.value(metrics::cpu));
    if (!share) return std::nullopt;
    return 1 - *share;
  };
  return judge_by_round(c, groups_of(c.claim), value, at_least);
}

// round -> the largest private memory of an arm over its groups
std::map<int, double> private_memory(const Results& results, const std::string& arm) {
  std::map<int, double> rounds;
  for (const auto& group : results.groups) {
    const Cell* cell = group.find(arm);
    if (cell == nullptr) continue;
    for (const auto& round : cell->rounds) {
      const auto value = round.figures.value(metrics::private_largest);
      if (value) rounds[round.round] = std::max(rounds[round.round], *value);
    }
  }
  return rounds;
}

// The order of the arms is judged; the amounts are not.
ClaimResult judge_memory(const Case& c) {
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [name, bytes] : c.claim.values) order.emplace_back(bytes, c.published.arm(name));
  std::sort(order.begin(), order.end());
  std::vector<ClaimPart> parts;
  std::map<int, std::vector<double>> rounds;  // in the published order of the arms
  ClaimPart order_part;
  order_part.about = "order, smallest first:";
  for (const auto& [bytes, arm] : order) {
    if (const auto why = missing(c.results, arm); !why.empty()) return cannot(c.claim, why);
    order_part.about += " " + arm;
    ClaimPart part;
    part.about = arm + ", bytes";
    part.published = bytes;
    part.because =
        "there it is Windows private bytes (what was committed), here Private_Clean + "
        "Private_Dirty";
    for (const auto& [round, value] : private_memory(c.results, arm)) {
      part.here.push_back(value);
      rounds[round].push_back(value);
    }
    parts.push_back(std::move(part));
  }
  Rounds told;
  for (const auto& [round, values] : rounds) {
    if (values.size() != order.size()) continue;
    const bool reproduced = std::is_sorted(values.begin(), values.end());
    ++order_part.rounds;
    order_part.rounds_reproduced += reproduced ? 1U : 0U;
    told.add(round, reproduced);
  }
  if (order_part.rounds == 0) return cannot(c.claim, "private memory was not measured here");
  order_part.outcome = Outcome::reproduced;
  parts.insert(parts.begin(), std::move(order_part));
  ClaimResult result = told.result(c.claim, std::move(parts));
  result.because = "of the order; the amounts cannot be told";
  return result;
}

// Judged of incomplete runs too: that is what such a run is.
ClaimResult judge_rate_limit(const Case& c) {
  const ArmResult* arm = c.results.find(c.headroom());
  if (arm == nullptr || arm->starts.empty()) {
    return cannot(c.claim, fmt::format("{} was not started in this run", c.headroom()));
  }
  const auto removed = c.results.info.plan.removed_arguments.find(c.headroom());
  const bool default_limit =
      removed != c.results.info.plan.removed_arguments.end() &&
      std::count(removed->second.begin(), removed->second.end(), "--no-rate-limit") > 0;
  if (!default_limit && arm->rate_limited_rounds.empty()) {
    return cannot(c.claim,
                  "this run takes the limit away; the plan headroom-default-rate puts it to the "
                  "test: tare run headroom-default-rate");
  }
  std::set<int> started;
  for (const auto& start : arm->starts) started.insert(start.row.round);
  ClaimPart part;
  part.about = "requests answered 429, by round";
  part.outcome = Outcome::reproduced;
  Rounds rounds;
  for (const int round : started) {
    const auto n = arm->rate_limited_rounds.find(round);
    const bool limited = n != arm->rate_limited_rounds.end();
    part.here.push_back(limited ? static_cast<double>(n->second) : 0);
    ++part.rounds;
    part.rounds_reproduced += limited ? 1U : 0U;
    rounds.add(round, limited);
  }
  return rounds.result(c.claim, {part});
}

struct Judge {
  const char* id;
  bool of_incomplete_runs;
  ClaimResult (*judge)(const Case&);
};

// To judge a further claim: write its function and add it here.
constexpr std::array judges{
    Judge{"requests", false, judge_requests},
    Judge{"sent-bytes", false, judge_sent_bytes},
    Judge{"headroom-bytes", false, judge_headroom_bytes},
    Judge{"fewer-bytes", false, judge_fewer_bytes},
    Judge{"faster", false, judge_faster},
    Judge{"latency", false, judge_latency},
    Judge{"cpu-reduction", false, judge_cpu_reduction},
    Judge{"memory", false, judge_memory},
    Judge{"rate-limit", true, judge_rate_limit},
};

ClaimResult judge(const Case& c) {
  const auto at = std::find_if(judges.begin(), judges.end(),
                               [&](const Judge& one) { return c.claim.id == one.id; });
  if (at == judges.end()) return cannot(c.claim, "this version of tare does not know this claim");
  if (!c.results.info.complete && !at->of_incomplete_runs) {
    return cannot(c.claim, "the run is incomplete");
  }
  return at->judge(c);
}

}  // namespace

Comparison compare_with(const Results& results, const Published& published) {
  Comparison comparison{published, {}};
  for (const auto& claim : published.claims) {
    comparison.claims.push_back(judge({results, comparison.published, claim}));
  }
  return comparison;
}

}  // namespace tare::analysis
