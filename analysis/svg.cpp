#include "analysis/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/html_text.h"

namespace tare::analysis::svg {
namespace {

// A pixel to a tenth.
std::string px(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.erase(text.size() - 2);
  return text == "-0" ? "0" : text;
}

}  // namespace

Scale::Scale(double low, double high, double begin_px, double end_px, bool logarithmic)
    : low_(logarithmic ? std::log10(low) : low),
      high_(logarithmic ? std::log10(high) : high),
      begin_px_(begin_px),
      end_px_(end_px),
      logarithmic_(logarithmic) {
  const double room = high_ > low_ ? 0.04 * (high_ - low_) : 0.5;
  high_ += room;
  low_ = !logarithmic && low == 0 ? 0 : low_ - room;
}

double Scale::place(double value) const {
  return logarithmic_ ? std::log10(value) : value;
}

double Scale::at(double value) const {
  return begin_px_ + (place(value) - low_) / (high_ - low_) * (end_px_ - begin_px_);
}

std::vector<double> Scale::decades(std::initializer_list<double> steps) const {
  std::vector<double> all;
  for (int power = static_cast<int>(std::floor(low_)); power <= std::ceil(high_); ++power) {
    for (const double step : steps) {
      const double value = step * std::pow(10, power);
      if (place(value) >= low_ && place(value) <= high_) all.push_back(value);
    }
  }
  return all;
}

std::vector<double> Scale::ticks(int wanted) const {
  std::vector<double> all;
  if (logarithmic_) {
    all = decades({1.0, 2.0, 5.0});
    if (static_cast<int>(all.size()) > wanted) {
      const auto powers = decades({1.0});
      if (powers.size() >= 3) all = powers;
    }
    // Less than a decade: values that are round on a line do better.
    if (all.size() >= 3) return all;
    all.clear();
  }
  const double low = logarithmic_ ? std::pow(10, low_) : low_;
  const double high = logarithmic_ ? std::pow(10, high_) : high_;
  const double rough = (high - low) / wanted;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double one : {5.0, 2.0, 1.0}) {
    if (one * power >= rough) step = one * power;
  }
  for (double n = std::ceil(low / step); n * step <= high; ++n) all.push_back(n * step);
  return all;
}

std::string short_number(double value) {
  std::string text = fmt::format("{:.6g}", value);
  const auto point = std::min(text.find('.'), text.size());
  if (text.find('e') != std::string::npos) return text;
  for (std::size_t at = point; at > 3 && text[at - 4] != '-';) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

Picture::Picture(int width, int height, std::string_view title)
    : text_(fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\"><title>{}</title>\n", width,
                        height, html::escaped(title))) {}

void Picture::element(std::string_view shape, std::string_view cls, std::string_view tip) {
  text_ += fmt::format("<{} class=\"{}\"", shape, cls);
  if (tip.empty()) {
    text_ += "/>\n";
    return;
  }
  const auto name = shape.substr(0, shape.find(' '));
  text_ += fmt::format("><title>{}</title></{}>\n", html::escaped(tip), name);
}

void Picture::line(double x1, double y1, double x2, double y2, std::string_view cls,
                   std::string_view tip) {
  element(
      fmt::format("line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"", px(x1), px(y1), px(x2), px(y2)),
      cls, tip);
}

void Picture::path(std::span<const std::pair<double, double>> points, std::string_view cls,
                   std::string_view tip) {
  std::string list;
  for (const auto& [x, y] : points) {
    list += fmt::format("{}{},{}", list.empty() ? "" : " ", px(x), px(y));
  }
  element(fmt::format("polyline points=\"{}\"", list), cls, tip);
}

void Picture::rectangle(double x, double y, double width, double height, std::string_view cls) {
  element(fmt::format("rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", px(x), px(y), px(width),
                      px(height)),
          cls, {});
}

void Picture::circle(double x, double y, double radius, std::string_view cls,
                     std::string_view tip) {
  element(fmt::format("circle cx=\"{}\" cy=\"{}\" r=\"{}\"", px(x), px(y), px(radius)), cls, tip);
}

void Picture::square(double x, double y, double half, std::string_view cls, std::string_view tip) {
  element(fmt::format("rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", px(x - half),
                      px(y - half), px(2 * half), px(2 * half)),
          cls, tip);
}

void Picture::text(double x, double y, std::string_view words, std::string_view cls) {
  text_ += fmt::format("<text x=\"{}\" y=\"{}\" class=\"{}\">{}</text>\n", px(x), px(y), cls,
                       html::escaped(words));
}

std::string Picture::finish() const {
  return text_ + "</svg>\n";
}

}  // namespace tare::analysis::svg
