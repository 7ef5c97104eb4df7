// make_run DIR [NAME=NUMBER...]: a made run folder (sliced_run.h) for scripts. Names: rounds,
// slice_groups, requests, bodies, body_bytes, seed, tare_latency, tare_cpu, keep_bodies.
#include <fmt/core.h>

#include <cstdlib>
#include <exception>
#include <string>

#include "tests/support/sliced_run.h"

namespace {

bool set(tare::test::SlicedRun& run, const std::string& name, double value) {
  if (name == "rounds")
    run.rounds = static_cast<int>(value);
  else if (name == "slice_groups")
    run.slice_groups = static_cast<int>(value);
  else if (name == "requests")
    run.requests_a_slice = static_cast<int>(value);
  else if (name == "bodies")
    run.bodies = static_cast<int>(value);
  else if (name == "body_bytes")
    run.body_bytes = static_cast<int>(value);
  else if (name == "seed")
    run.seed = static_cast<std::uint64_t>(value);
  else if (name == "tare_latency")
    run.tare_latency = value;
  else if (name == "tare_cpu")
    run.tare_cpu = value;
  else if (name == "keep_bodies")
    run.keep_bodies = value > 0;
  else
    return false;
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  tare::test::SlicedRun run;
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    const auto equals = word.find('=');
    const bool known = equals != std::string::npos &&
                       set(run, word.substr(0, equals), std::atof(word.c_str() + equals + 1));
    if (known) continue;
    fmt::print(stderr, "make_run: {}: not NAME=NUMBER of a known name\n", word);
    return 2;
  }
  if (argc < 2) return 2;
  try {
    run.write(argv[1]);
  } catch (const std::exception& e) {
    fmt::print(stderr, "make_run: {}\n", e.what());
    return 1;
  }
  return 0;
}
