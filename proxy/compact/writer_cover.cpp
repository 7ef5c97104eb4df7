#include "proxy/compact/writer_cover.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <optional>
#include <utility>

namespace tare::compact {
namespace {

constexpr int max_tries = 4;
constexpr std::size_t min_rows_to_refit = 2;
constexpr Cost min_gain = 4 * token;

// Templates of one family, or fitted anew, that are taken or left together.
struct Candidate {
  std::vector<const Template*> templates;
  const Family* family = nullptr;
  Cost gain = 0;
  std::uint32_t order = 0;  // of two with the same gain, the earlier goes first
  int tries = 0;
};

bool goes_later(const Candidate& a, const Candidate& b) {
  return a.gain != b.gain ? a.gain < b.gain : a.order > b.order;
}

class Cover {
 public:
  explicit Cover(Fitter& fitter) : fitter_(fitter), taken_(fitter.records().size(), false) {}

  void add(std::vector<const Template*> templates, const Family& family, int tries = 0) {
    std::erase_if(templates, [](const Template* shape) { return shape->gain <= min_gain; });
    if (templates.empty()) return;
    Candidate candidate{std::move(templates), &family, 0, order_++, tries};
    for (const Template* shape : candidate.templates) candidate.gain += shape->gain;
    heap_.push_back(std::move(candidate));
    std::push_heap(heap_.begin(), heap_.end(), goes_later);
  }

  std::vector<Template> choose() {
    while (!heap_.empty()) {
      std::pop_heap(heap_.begin(), heap_.end(), goes_later);
      Candidate best = std::move(heap_.back());
      heap_.pop_back();
      if (fit_to_free(best)) {
        if (best.tries < max_tries) add(std::move(best.templates), *best.family, best.tries + 1);
        continue;
      }
      for (const Template* shape : best.templates) choose(*shape, *best.family);
    }
    return std::move(chosen_);
  }

 private:
  void choose(const Template& shape, const Family& family) {
    const bool has_values = shape.slots == 0 || !shape.values.empty();
    auto whole = has_values ? std::optional(shape) : fit(family, shape.rows);
    if (!whole) return;
    for (const std::uint32_t row : whole->rows) taken_[row] = true;
    chosen_.push_back(std::move(*whole));
  }

  std::optional<Template> fit(const Family& family, std::span<const std::uint32_t> rows) {
    return family.prefix ? fitter_.fit_prefix(*family.prefix, rows)
                         : fitter_.fit(family.columns, rows);
  }

  // True when a template had lost records; such ones are fitted to the rest or leave.
  bool fit_to_free(Candidate& candidate) {
    bool changed = false;
    std::vector<const Template*> templates;
    for (const Template* shape : candidate.templates) {
      free_.clear();
      std::ranges::copy_if(shape->rows, std::back_inserter(free_),
                           [&](std::uint32_t row) { return !taken_[row]; });
      if (free_.size() == shape->rows.size()) {
        templates.push_back(shape);
        continue;
      }
      changed = true;
      if (free_.size() < min_rows_to_refit) continue;
      auto fitted = fit(*candidate.family, free_);
      if (!fitted) continue;
      fitted_.push_back(std::move(*fitted));
      templates.push_back(&fitted_.back());
    }
    candidate.templates = std::move(templates);
    return changed;
  }

  Fitter& fitter_;
  std::vector<bool> taken_;
  std::vector<std::uint32_t> free_;
  std::deque<Template> fitted_;
  std::vector<Candidate> heap_;
  std::vector<Template> chosen_;
  std::uint32_t order_ = 0;
};

}  // namespace

std::vector<Template> cover(Fitter& fitter, std::span<const Family> families, bool together) {
  Cover cover(fitter);
  for (const Family& family : families) {
    std::vector<const Template*> all;
    for (const Template& shape : family.templates) {
      if (together) {
        all.push_back(&shape);
      } else {
        cover.add({&shape}, family);
      }
    }
    if (together) cover.add(std::move(all), family);
  }
  return cover.choose();
}

}  // namespace tare::compact
