// Inline SVG pictures: axes, lines and marks in a plot with labels. Coordinates are pixels of the
// view box; numbers are written short, so that the same data give the same bytes. Pure.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tare::analysis::svg {

// From values to pixels, linear or logarithmic.
class Scale {
 public:
  // Of values from `low` to `high`, with some room on both sides. Logarithmic scales need values
  // above 0.
  Scale(double low, double high, double begin_px, double end_px, bool logarithmic);
  double at(double value) const;
  // Round values within the scale, about `wanted` of them.
  std::vector<double> ticks(int wanted) const;

 private:
  double place(double value) const;
  std::vector<double> decades(std::initializer_list<double> steps) const;
  double low_;
  double high_;
  double begin_px_;
  double end_px_;
  bool logarithmic_;
};

// "0.25", "1,200": a tick's value.
std::string short_number(double value);

class Picture {
 public:
  // `title` is what a screen reader says of it.
  Picture(int width, int height, std::string_view title);

  // Each `cls` is a class of the page's style sheet; `tip` is shown on hovering.
  void line(double x1, double y1, double x2, double y2, std::string_view cls,
            std::string_view tip = {});
  void path(std::span<const std::pair<double, double>> points, std::string_view cls,
            std::string_view tip = {});
  void rectangle(double x, double y, double width, double height, std::string_view cls);
  void circle(double x, double y, double radius, std::string_view cls, std::string_view tip = {});
  void square(double x, double y, double half, std::string_view cls, std::string_view tip = {});
  void text(double x, double y, std::string_view words, std::string_view cls);

  std::string finish() const;

 private:
  void element(std::string_view shape, std::string_view cls, std::string_view tip);
  std::string text_;
};

}  // namespace tare::analysis::svg
