#include "analysis/html_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/html_text.h"
#include "analysis/markdown_sliced.h"
#include "analysis/statistics.h"
#include "analysis/svg.h"

namespace tare::analysis::html {
namespace {

using svg::Picture;
using svg::Scale;

constexpr std::size_t colours = 8;

// An arm has one colour in all pictures; grey, the first, is for no arm at all.
std::size_t colour_of(const Results& results, const std::string& arm) {
  std::size_t next = 1;
  for (const auto& one : results.arms) {
    const bool direct = one.info.kind == "direct";
    if (one.info.name == arm) return direct ? 0 : next;
    if (!direct) next = next + 1 == colours ? 1 : next + 1;
  }
  return 0;
}

std::string figure(std::string_view caption, const std::string& picture) {
  return fmt::format(
      "<figure><div class=\"picture\" role=\"region\" tabindex=\"0\" aria-label=\"{0}\">{1}</div>"
      "<figcaption>{0}</figcaption></figure>\n",
      escaped(caption), picture);
}

std::string legend(const Results& results, const std::vector<std::string>& arms) {
  std::string items;
  for (const auto& arm : arms) {
    items += fmt::format("<li><span class=\"swatch c{}\"></span>{}</li>", colour_of(results, arm),
                         escaped(arm));
  }
  return "<ul class=\"legend\">" + items + "</ul>\n";
}

struct Range {
  double low = 0;
  double high = 0;
  bool any = false;

  void add(double value) {
    low = any ? std::min(low, value) : value;
    high = any ? std::max(high, value) : value;
    any = true;
  }
};

// Lines, labels and a title for the values of a scale that runs from left to right.
void axis_below(Picture& picture, const Scale& scale, double top, double bottom, int ticks,
                std::string_view before = "") {
  for (const double tick : scale.ticks(ticks)) {
    picture.line(scale.at(tick), top, scale.at(tick), bottom, "grid");
    picture.text(scale.at(tick), bottom + 16, fmt::format("{}{}", before, svg::short_number(tick)),
                 "tick middle");
  }
}

void axis_left(Picture& picture, const Scale& scale, double left, double right, int ticks) {
  for (const double tick : scale.ticks(ticks)) {
    picture.line(left, scale.at(tick), right, scale.at(tick), "grid");
    picture.text(left - 6, scale.at(tick) + 4, svg::short_number(tick), "tick end");
  }
}

std::string verdict_class(const Versus& versus) {
  if (versus.judged.verdict == Verdict::better && !versus.not_same_work.empty()) return "no-win";
  std::string name(name_of(versus.judged.verdict));
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string forest_of(const Results& results, Primary metric) {
  constexpr int row_height = 24;
  constexpr double left = 250;
  constexpr double right = 760;
  std::vector<const Versus*> rows;
  Range range;
  range.add(1);
  for (const auto& versus : results.sliced->versus) {
    if (versus.metric != metric || !versus.judged.effect.estimate) continue;
    rows.push_back(&versus);
    range.add(std::exp(*versus.judged.effect.estimate));
    for (const auto& interval : {versus.judged.bonferroni, versus.judged.effect.within95}) {
      if (!interval) continue;
      range.add(std::exp(interval->low));
      range.add(std::exp(interval->high));
    }
  }
  if (rows.empty()) return "";
  const double margin = 1 + rows.front()->judged.margin;
  range.add(margin);
  range.add(1 / margin);
  const double bottom = 14 + row_height * static_cast<double>(rows.size());
  const std::string caption = fmt::format(
      "{} of {} over its references: a point for the estimate, a thick line for the 95 % interval, "
      "a thin one over the family, a grey band for the margin; left of ×1 is less",
      title_of(metric), results.sliced->subject);
  Picture picture(1000, static_cast<int>(bottom) + 34, caption);
  const Scale scale(range.low, range.high, left, right, true);
  if (margin > 1) {
    picture.rectangle(scale.at(1 / margin), 8, scale.at(margin) - scale.at(1 / margin), bottom - 8,
                      "band");
  }
  axis_below(picture, scale, 8, bottom, 8, "×");
  picture.line(scale.at(1), 8, scale.at(1), bottom, "zero");
  double y = 14 + row_height / 2.0;
  for (const Versus* versus : rows) {
    const Judged& judged = versus->judged;
    const std::string cls = "mark " + verdict_class(*versus);
    const auto between = [&](const std::optional<Interval>& interval, const char* weight) {
      if (!interval) return;
      picture.line(scale.at(std::exp(interval->low)), y, scale.at(std::exp(interval->high)), y,
                   cls + weight);
    };
    picture.text(8, y + 4,
                 fmt::format("{}/{} over {}", versus->task, versus->mode, versus->reference),
                 "label");
    between(judged.bonferroni, " thin");
    between(judged.effect.within95, " thick");
    picture.square(scale.at(std::exp(*judged.effect.estimate)), y, 4.5, cls,
                   fmt::format("{} ({})", markdown::signed_percent(judged.effect.estimate),
                               markdown::interval_text(judged.effect.within95)));
    picture.text(
        right + 14, y + 4,
        fmt::format("{}  {}", markdown::signed_percent(judged.effect.estimate),
                    verdict_class(*versus) == "no-win" ? "no win" : name_of(judged.verdict)),
        "label verdict-text " + verdict_class(*versus));
    y += row_height;
  }
  return figure(caption, picture.finish());
}

struct RoundValue {
  int round = 0;
  double value = 0;
};

// Of an arm in a group: each round's value of the metric.
std::vector<RoundValue> round_values(const Cell& cell, const Metric& metric) {
  std::vector<RoundValue> values;
  for (const auto& round : cell.rounds) {
    const auto value = round.figures.value(metric);
    if (value && *value > 0) values.push_back({round.round, *value});
  }
  return values;
}

// How far each start lies from its arm's median start, in %; starts of one round are joined: a
// round in which the machine was slow moves all of its arms, and a start of its own stands out.
std::string joined(const Results& results, const GroupResult& group, const Metric& metric,
                   std::string_view what) {
  constexpr double left = 58;
  constexpr double right = 478;
  constexpr double top = 12;
  constexpr double bottom = 210;
  std::map<int, std::vector<std::pair<std::size_t, double>>> rounds;  // place of the arm, %
  std::vector<std::string> names;
  Range range;
  for (const auto& cell : group.cells) {
    const auto values = round_values(cell, metric);
    std::vector<double> all;
    for (const auto& one : values) all.push_back(one.value);
    const auto middle = median(all);
    if (!middle) continue;
    for (const auto& one : values) {
      const double off = 100 * (one.value / *middle - 1);
      rounds[one.round].emplace_back(names.size(), off);
      range.add(off);
    }
    names.push_back(cell.arm);
  }
  if (names.size() < 2) return "";
  const std::string caption =
      fmt::format("{}/{}: {} of each start, in % off its arm's median; each line is a round",
                  group.task, group.mode, what);
  Picture picture(520, 262, caption);
  const Scale scale(range.low, range.high, bottom, top, false);
  axis_left(picture, scale, left, right, 6);
  const auto x = [&](std::size_t place) {
    const double room = (right - left) / static_cast<double>(names.size());
    return left + room * (static_cast<double>(place) + 0.5);
  };
  for (const auto& [round, values] : rounds) {
    std::vector<std::pair<double, double>> points;
    for (const auto& [place, value] : values) points.emplace_back(x(place), scale.at(value));
    picture.path(points, "join", fmt::format("round {}", round));
  }
  for (const auto& [round, values] : rounds) {
    for (const auto& [place, value] : values) {
      picture.circle(x(place), scale.at(value), 3,
                     fmt::format("dot c{}", colour_of(results, names[place])),
                     fmt::format("{}, round {}: {:+.1f} %", names[place], round, value));
    }
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    // Names of neighbours stand on two lines, so that they do not run into each other.
    picture.text(x(i), bottom + (i % 2 == 0 ? 24 : 42), names[i], "tick middle");
  }
  return figure(caption, picture.finish());
}

std::string distribution(const Results& results, const GroupResult& group) {
  constexpr double left = 44;
  constexpr double right = 505;
  constexpr double top = 10;
  constexpr double bottom = 220;
  std::vector<const Curve*> curves;
  Range range;
  for (const auto& curve : results.curves) {
    if (curve.task != group.task || curve.mode != group.mode || !(curve.ms.front() > 0)) continue;
    curves.push_back(&curve);
    range.add(curve.ms.front());
    range.add(curve.ms.back());
  }
  if (curves.empty()) return "";
  const std::string caption = fmt::format(
      "{}/{}: share of the requests (%) that took at most so many ms", group.task, group.mode);
  Picture picture(520, 256, caption);
  const Scale across(range.low, range.high, left, right, true);
  const Scale up(0, 100, bottom, top, false);
  axis_below(picture, across, top, bottom, 9);
  axis_left(picture, up, left, right, 5);
  for (const Curve* curve : curves) {
    std::vector<std::pair<double, double>> points;
    for (std::size_t i = 0; i < curve->ms.size(); ++i) {
      const double share = 100 * static_cast<double>(i) / static_cast<double>(curve->ms.size() - 1);
      points.emplace_back(across.at(curve->ms[i]), up.at(share));
    }
    picture.path(points, fmt::format("curve c{}", colour_of(results, curve->arm)),
                 fmt::format("{}, n = {}", curve->arm, curve->n));
  }
  return figure(caption, picture.finish());
}

std::string series_picture(const Results& results, std::optional<double> TimePoint::* value,
                           double unit, std::string_view caption) {
  constexpr double left = 58;
  constexpr double right = 985;
  constexpr double top = 10;
  constexpr double bottom = 220;
  Range values;
  Range times;
  for (const auto& series : results.series) {
    for (const auto& point : series.points) {
      if (const auto one = point.*value; one && *one > 0) {
        values.add(*one / unit);
        times.add(point.at_s);
      }
    }
  }
  if (!values.any) return "";
  Picture picture(1000, 256, caption);
  const Scale across(times.low, times.high, left, right, false);
  const Scale up(values.low, values.high, bottom, top, true);
  axis_below(picture, across, top, bottom, 10);
  axis_left(picture, up, left, right, 5);
  for (const auto& series : results.series) {
    const std::string cls = fmt::format("c{}", colour_of(results, series.arm));
    for (const auto& point : series.points) {
      const auto one = point.*value;
      if (!one || !(*one > 0)) continue;
      picture.circle(across.at(point.at_s), up.at(*one / unit), 2, "dot " + cls,
                     fmt::format("{}: {}", series.arm, svg::short_number(*one / unit)));
    }
  }
  return figure(caption, picture.finish());
}

std::string grid(const std::string& pictures) {
  return pictures.empty() ? "" : "<div class=\"grid\">\n" + pictures + "</div>\n";
}

std::vector<std::string> arm_names(const Results& results) {
  std::vector<std::string> names;
  for (const auto& arm : results.arms) names.push_back(arm.info.name);
  return names;
}

}  // namespace

std::string forest(const Results& results) {
  if (!results.sliced) return "";
  std::string pictures;
  for (const Primary metric : primaries) {
    const std::string picture = forest_of(results, metric);
    if (picture.empty()) continue;
    pictures += fmt::format("<h3>Ratios: {}</h3>\n{}", escaped(title_of(metric)), picture);
  }
  return pictures;
}

std::string joined_rounds(const Results& results) {
  std::string pictures;
  for (const auto& group : results.groups) {
    pictures += joined(results, group, metrics::mean_latency, "mean latency");
    pictures += joined(results, group, metrics::cpu, "CPU a request");
  }
  if (pictures.empty()) return "";
  return "<h3>Each start, joined by round</h3>\n" + grid(pictures);
}

std::string distributions(const Results& results) {
  std::string pictures;
  for (const auto& group : results.groups) pictures += distribution(results, group);
  if (pictures.empty()) return "";
  return "<h3>Latency distributions</h3>\n" + legend(results, arm_names(results)) + grid(pictures);
}

std::string over_time(const Results& results) {
  const std::string pictures =
      series_picture(results, &TimePoint::cpus, 1,
                     "CPUs in use by each arm, over seconds of the run") +
      series_picture(results, &TimePoint::anon_bytes, 1048576,
                     "anonymous memory of each arm (MiB), over seconds of the run");
  if (pictures.empty()) return "";
  std::vector<std::string> names;
  for (const auto& series : results.series) names.push_back(series.arm);
  return "<h3>CPU and memory over time</h3>\n" + legend(results, names) + pictures;
}

std::string gates(const Results& results) {
  constexpr double left = 58;
  constexpr double right = 985;
  constexpr double top = 26;
  constexpr double bottom = 180;
  if (!results.sliced) return "";
  Range canary;
  for (const auto& round : results.sliced->rounds) {
    for (const auto& ns : {round.canary_begin_ns, round.canary_end_ns}) {
      if (ns) canary.add(static_cast<double>(*ns) / 1e6);
    }
  }
  if (!canary.any) return "";
  const std::string caption =
      "the fixed loop (ms) before and after each round; a cross and its cause: a discarded round";
  Picture picture(1000, 220, caption);
  const Scale up(canary.low, canary.high, bottom, top, false);
  axis_left(picture, up, left, right, 4);
  const auto& rounds = results.sliced->rounds;
  const double room = (right - left) / static_cast<double>(rounds.size());
  double x = left + room / 2;
  for (const auto& round : rounds) {
    const std::string cls = round.discarded ? "dot discarded" : "dot neutral";
    for (const auto& ns : {round.canary_begin_ns, round.canary_end_ns}) {
      if (!ns) continue;
      picture.circle(x, up.at(static_cast<double>(*ns) / 1e6), 3.5, cls,
                     fmt::format("round {}", round.round));
    }
    if (round.discarded) {
      picture.line(x - 5, top - 15, x + 5, top - 5, "mark discarded thick");
      picture.line(x - 5, top - 5, x + 5, top - 15, "mark discarded thick");
      picture.text(x + 9, top - 6, *round.discarded, "tick");
    }
    picture.text(x, bottom + 18, fmt::format("{}", round.round), "tick middle");
    x += room;
  }
  return figure(caption, picture.finish());
}

}  // namespace tare::analysis::html
