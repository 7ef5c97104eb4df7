// How far a run is and how long it will still take, on stderr: a bar on a terminal, a plain line
// now and then elsewhere. Called between groups only, never inside a measured window.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/clock.h"

namespace tare::harness {

class Progress {
 public:
  // `starts`: the arm of each start, in order; `groups`: steps in each start. `out` may be null:
  // nothing is printed.
  Progress(Clock& clock, std::FILE* out, bool terminal, std::vector<std::string> starts,
           int groups);

  void begin_start(int round, const std::string& arm);
  void end_group();
  void end_start();
  // The last so many starts are to be made anew.
  void again(std::size_t starts);
  // A line that stays, above the bar.
  void note(const std::string& text);
  // Clears the bar.
  void finish();

  // "round 2, headroom: 31 of 108 groups, 4 min left".
  std::string status() const;

 private:
  // How long the rest takes by what each arm took so far; absent before the first start ended.
  std::optional<std::int64_t> left_s() const;
  void draw(bool now);

  Clock& clock_;
  std::FILE* out_;
  bool terminal_;
  std::vector<std::string> starts_;
  int groups_;
  std::size_t start_ = 0;  // starts done
  int groups_done_ = 0;    // in the start under way
  int round_ = 1;
  std::string arm_;
  std::int64_t began_ns_ = 0;
  std::int64_t start_began_ns_ = 0;
  std::int64_t drawn_ns_ = 0;
  struct Took {
    std::int64_t total_ns = 0;
    int starts = 0;
  };
  std::map<std::string, Took> took_;
};

}  // namespace tare::harness
