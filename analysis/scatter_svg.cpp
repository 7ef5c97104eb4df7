#include "analysis/scatter_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace tare::analysis {
namespace {

constexpr double width = 720;
constexpr double height = 460;
constexpr double left = 60;
constexpr double top = 20;
constexpr double plot_width = 440;
constexpr double plot_height = 380;

// Told apart by those who see colours differently (Okabe and Ito), then again from the first.
constexpr std::array<std::string_view, 8> colours{"#000000", "#e69f00", "#56b4e9", "#009e73",
                                                  "#f0e442", "#0072b2", "#d55e00", "#cc79a7"};

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

double x_of(double share) {
  return left + plot_width * std::clamp(share, 0.0, 1.2) / 1.2;
}
double y_of(double share) {
  return top + plot_height * (1 - std::clamp(share, 0.0, 1.0));
}

std::string text_at(double x, double y, std::string_view anchor, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     escaped(text));
}

std::string axes() {
  std::string svg = fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#888\"/>\n", left,
      top, plot_width, plot_height);
  for (int percent = 0; percent <= 120; percent += 20) {
    svg += text_at(x_of(percent / 100.0), top + plot_height + 18, "middle",
                   fmt::format("{}", percent));
    if (percent > 100) continue;
    const double y = y_of(percent / 100.0);
    svg += text_at(left - 8, y + 4, "end", fmt::format("{}", percent));
    svg += fmt::format("<line x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>\n",
                       left, left + plot_width, y, y);
  }
  svg += text_at(left + plot_width / 2, height - 20, "middle", "output tokens kept, %");
  svg += fmt::format(
      "<text transform=\"translate(16 {:.1f}) rotate(-90)\" text-anchor=\"middle\">distinctive "
      "literals not lost, %</text>\n",
      top + plot_height / 2);
  return svg;
}

}  // namespace

std::string scatter_svg(const FieldResults& field) {
  std::string dots;
  std::string legend;
  for (std::size_t i = 0; i < field.claims.size(); ++i) {
    const auto& arm = field.claims[i].arm;
    const auto colour = colours[i % colours.size()];
    bool any = false;
    for (const auto& cell : field.cells) {
      if (cell.arm != arm || cell.tokens.sent_outputs <= 0 || cell.literals.of == 0) continue;
      const double tokens = cell.tokens.forwarded_outputs / cell.tokens.sent_outputs;
      const double kept =
          1 - static_cast<double>(cell.literals.lost) / static_cast<double>(cell.literals.of);
      dots += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" fill=\"{}\" fill-opacity=\"0.7\" "
          "stroke=\"{}\"><title>{}, {}: {:.1f} % of the tokens, {:.1f} % of the literals, {} false "
          "lines</title></circle>\n",
          x_of(tokens), y_of(kept), colour, cell.false_lines > 0 ? "#d00" : "#fff", escaped(arm),
          escaped(cell.class_name), 100 * tokens, 100 * kept, cell.false_lines);
      any = true;
    }
    if (!any) continue;
    const double y = top + 14 + 20 * static_cast<double>(i);
    legend += fmt::format("<circle cx=\"{}\" cy=\"{:.1f}\" r=\"5\" fill=\"{}\"/>\n",
                          left + plot_width + 24, y - 4, colour);
    legend += text_at(left + plot_width + 36, y, "start", arm);
  }
  if (dots.empty()) return "";
  const double legend_height = top + 30 + 20 * static_cast<double>(field.claims.size());
  return fmt::format(
      "<svg viewBox=\"0 0 {} {:.0f}\" role=\"img\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<title>Tokens kept against information "
      "kept</title>\n{}{}{}</svg>\n",
      width, std::max(height, legend_height), axes(), dots, legend);
}

}  // namespace tare::analysis
