#include "proxy/compact/writer_cover.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <utility>

namespace tare::compact {
namespace {

constexpr int max_tries = 4;
constexpr std::size_t min_rows_to_refit = 2;
constexpr Cost min_gain = 2 * token;

// Groups of one family, or what is left of them, that are taken or left together.
struct Candidate {
  std::vector<const Group*> groups;
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

  void add(std::vector<const Group*> groups, const Family& family, int tries = 0) {
    std::erase_if(groups, [](const Group* group) { return group->gain <= min_gain; });
    if (groups.empty()) return;
    Candidate candidate{std::move(groups), &family, 0, order_++, tries};
    for (const Group* group : candidate.groups) candidate.gain += group->gain;
    heap_.push_back(std::move(candidate));
    std::push_heap(heap_.begin(), heap_.end(), goes_later);
  }

  std::vector<Template> choose() {
    while (!heap_.empty()) {
      std::pop_heap(heap_.begin(), heap_.end(), goes_later);
      Candidate best = std::move(heap_.back());
      heap_.pop_back();
      if (fit_to_free(best)) {
        if (best.tries < max_tries) add(std::move(best.groups), *best.family, best.tries + 1);
        continue;
      }
      for (const Group* group : best.groups) choose(*group, *best.family);
    }
    chosen_.shrink_to_fit();
    return std::move(chosen_);
  }

 private:
  void choose(const Group& group, const Family& family) {
    const Template* shape = group.shape ? group.shape.get() : fit(family, group.rows);
    if (shape == nullptr) return;
    for (const std::uint32_t row : shape->rows) taken_[row] = true;
    chosen_.push_back(*shape);
  }

  const Template* fit(const Family& family, std::span<const std::uint32_t> rows) {
    return family.prefix ? fitter_.fit_prefix(*family.prefix, rows)
                         : fitter_.fit(family.columns, rows);
  }

  // True when a group had lost records; what is left of such ones stays when a template fits it.
  bool fit_to_free(Candidate& candidate) {
    bool changed = false;
    std::vector<const Group*> groups;
    for (const Group* group : candidate.groups) {
      free_.clear();
      std::ranges::copy_if(group->rows, std::back_inserter(free_),
                           [&](std::uint32_t row) { return !taken_[row]; });
      if (free_.size() == group->rows.size()) {
        groups.push_back(group);
        continue;
      }
      changed = true;
      if (free_.size() < min_rows_to_refit) continue;
      const Template* shape = fit(*candidate.family, free_);
      if (shape == nullptr) continue;
      left_.push_back({shape->rows, shape->gain, nullptr});
      groups.push_back(&left_.back());
    }
    candidate.groups = std::move(groups);
    return changed;
  }

  Fitter& fitter_;
  std::vector<bool> taken_;
  std::vector<std::uint32_t> free_;
  std::deque<Group> left_;  // of groups that had lost records
  std::vector<Candidate> heap_;
  std::vector<Template> chosen_;
  std::uint32_t order_ = 0;
};

}  // namespace

std::vector<Template> cover(Fitter& fitter, std::span<const Family> families, bool together) {
  Cover cover(fitter);
  for (const Family& family : families) {
    std::vector<const Group*> all;
    for (const Group& group : family.groups) {
      if (together) {
        all.push_back(&group);
      } else {
        cover.add({&group}, family);
      }
    }
    if (together) cover.add(std::move(all), family);
  }
  return cover.choose();
}

}  // namespace tare::compact
