#include "proxy/compact/writer_parts.h"

#include <algorithm>
#include <utility>

#include "proxy/compact/writer_alert.h"
#include "proxy/compact/writer_print.h"

namespace tare::compact {
namespace {

constexpr std::size_t least_lines = 8192;
constexpr std::size_t bytes_for_line = 40;  // of the text, that pay for what a line takes

// What looks like a failure is rare in the whole text.
bool has_few_alerts(LineCutter source, const std::stop_token& stop) {
  std::size_t alerts = 0;
  std::size_t count = 0;
  for (auto lines = source.next(least_lines); !lines.empty() && !stop.stop_requested();
       lines = source.next(least_lines)) {
    count += lines.size();
    alerts += static_cast<std::size_t>(std::ranges::count_if(lines, is_alert));
  }
  return are_few(alerts, count);
}

// The form costs less than the lines, which are neighbours in a text.
bool is_shorter(Cost form_cost, const Choice& choice, std::span<const std::string_view> lines,
                const std::stop_token& stop) {
  if (form_cost < choice.text_cost()) return true;
  const char* const begin = lines.front().data();
  const char* const end = lines.back().data() + lines.back().size();
  return form_cost < estimate({begin, static_cast<std::size_t>(end - begin)}, stop);
}

void add_pieces(std::vector<Piece>& all, std::vector<Piece> part) {
  for (Piece& piece : part) {
    const auto same = std::ranges::find(all, piece.what, &Piece::what);
    if (same == all.end()) {
      all.push_back(std::move(piece));
      continue;
    }
    same->lines += piece.lines;
    same->before += piece.before;
    same->after += piece.after;
  }
}

}  // namespace

std::size_t lines_in_part(std::size_t text_bytes) {
  return std::max(least_lines, text_bytes / bytes_for_line);
}

std::optional<Form> write_parts(const LineCutter& source, std::size_t count, std::size_t text_bytes,
                                const Records& all, const ChoiceOptions& how) {
  Options options = how.options;
  options.alerts_literal = options.alerts_literal && has_few_alerts(source, how.stop);
  std::vector<Piece> pieces;
  const ChoiceOptions for_part{.options = options,
                               .earlier = how.earlier,
                               .account = how.account != nullptr ? &pieces : nullptr,
                               .keeps_plan = true,
                               .stop = how.stop};
  const PrintOptions print_options{
      .ends_line = how.ends_line, .earlier = how.earlier, .stop = how.stop};
  auto printer = PartPrinter::make(source, print_options);
  if (!printer) return std::nullopt;
  LineCutter cutter = source;
  Cost least_cost = 0;
  bool any = !all.layout.empty();
  Records part;
  part.is_part = true;
  while (!(part.lines = cutter.next(lines_in_part(text_bytes))).empty()) {
    if (how.stop.stop_requested()) return std::nullopt;
    Choice choice(for_part);
    choice.consider(part);
    const auto best = choice.take_plan();
    if (best && is_shorter(best->cost, choice, part.lines, how.stop) &&
        printer->add(best->plan, part, best->ditto)) {
      any = true;
      if (how.account != nullptr) add_pieces(*how.account, std::move(pieces));
    } else {
      printer->add(make_plan(part.lines.size(), {}, {}, how.stop), part, false);
    }
    pieces.clear();
    least_cost += choice.text_cost();
    part.first_line += static_cast<std::uint32_t>(part.lines.size());
  }
  if (!any) return std::nullopt;
  Form form{printer->finish(all, count), 0, least_cost};
  form.cost = estimate(form.text, how.stop);
  return form;
}

}  // namespace tare::compact
