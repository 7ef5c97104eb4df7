// Millions of texts like those of tools, damaged, given to the writer and, as forms, to the reader:
//
//   fuzz_generated --count N [--seed S] [--first I] [--threads T] [--findings DIR]
//
// Input I depends on the seed and I alone, so a finding comes again with `--first I --count 1`. Of
// a crash the input's number is printed; the text of a broken law is stored under DIR. Exit code 1:
// a law was broken.
#include <fmt/format.h>
#include <fmt/os.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/fuzz/laws.h"
#include "tests/support/generated_texts.h"

extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*)());

namespace {

using namespace tare;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t inputs_a_text = 16;
constexpr std::size_t one_long_in = 20000;

struct Settings {
  std::uint64_t count = 10'000;
  std::uint64_t seed = 1;
  std::uint64_t first = 0;
  unsigned threads = 1;
  std::string findings = ".";
};

thread_local std::uint64_t current = 0;  // the input that this thread tries

void print_current() {
  char line[64];
  const auto end = fmt::format_to_n(line, sizeof line, "fuzz_generated: in input {}\n", current);
  (void)!write(STDERR_FILENO, line, end.size);
}

void stop_on_signal(int number) {
  print_current();
  signal(number, SIG_DFL);
  raise(number);
}

void tell_current_at_death() {
  if (&__sanitizer_set_death_callback != nullptr) {
    __sanitizer_set_death_callback(print_current);
    return;
  }
  for (const int number : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL})
    signal(number, stop_on_signal);
}

struct Input {
  std::string text;
  std::string earlier;  // an output before it, when not empty
  compact::Options options;
  std::uint64_t choices = 0;  // for what is tried with it
};

// Makes inputs from texts of every class: pieces of them, most small, some changed a few times;
// a few are long.
class Maker {
 public:
  explicit Maker(std::uint64_t seed) : seed_(seed) {}

  Input make(std::uint64_t index) {
    refill(index / inputs_a_text);
    test::Random random(seed_ * 0x9E3779B97F4A7C15ULL + index);
    Input input;
    input.text = random.one_in(one_long_in) ? long_text(random) : piece(random);
    for (std::size_t changes = random.below(5); changes > 0; --changes)
      input.text = test::mutate(std::move(input.text), random);
    if (random.one_in(6)) input.earlier = piece(random);
    input.options = {.min_bytes = 0,
                     .alerts_literal = random.one_in(2),
                     .level = static_cast<compact::Level>(random.below(3))};
    input.choices = random.next();
    return input;
  }

 private:
  void refill(std::uint64_t number) {
    if (number == number_) return;
    number_ = number;
    test::Random random(seed_ ^ (number + 1) << 20);
    text_ = test::make_text(random.pick(test::text_classes), random);
  }

  // More lines than are mined in whole, or short ones in more lines than are told together.
  static std::string long_text(test::Random& random) {
    if (random.one_in(4)) return short_lines(random);
    const auto& kind = random.pick(test::text_classes);
    const auto& other = random.pick(test::text_classes);
    std::string text;
    for (std::ptrdiff_t lines = 0; lines < 2500;) {
      const std::string more = test::make_text(random.one_in(5) ? other : kind, random);
      lines += 1 + std::count(more.begin(), more.end(), '\n');
      text += more;
    }
    return text;
  }

  static std::string short_lines(test::Random& random) {
    const std::size_t shapes = 1 + random.below(3);
    const std::size_t values = std::size_t{1} << random.below(20);
    std::string text;
    for (std::size_t i = 0; i < 9000; ++i) {
      if (random.below(3) < shapes) text += "ab ";
      text += std::to_string(random.one_in(2) ? i : random.below(values));
      text += random.one_in(5000) ? "\n~" : "\n";
    }
    return text;
  }

  std::string piece(test::Random& random) const {
    if (random.one_in(1000)) return text_;
    const std::size_t bytes = std::size_t{64} << random.below(5);
    std::size_t begin = 0;
    if (!random.one_in(3)) begin = text_.find('\n', random.below(text_.size() + 1)) + 1;
    return text_.substr(begin, bytes / 2 + random.below(bytes));
  }

  std::uint64_t seed_;
  std::uint64_t number_ = UINT64_MAX;
  std::string text_;
};

struct Tally {
  std::uint64_t inputs = 0;
  std::uint64_t bytes = 0;
  std::uint64_t forms = 0;  // damaged and read
  std::uint64_t broken = 0;
  std::uint64_t slowest = 0;
  double slowest_ms = 0;
};

// The law that the input breaks, if any.
std::string_view try_input(const Input& input, Tally& tally) {
  compact::Earlier before;
  const compact::Earlier* earlier = nullptr;
  if (!input.earlier.empty()) {
    before.add("call-1", input.earlier);
    earlier = &before;
  }
  if (const auto law = test::broken_law(input.text, input.options, earlier); !law.empty()) {
    return law;
  }
  test::Random random(input.choices);
  if (!random.one_in(4)) return {};
  auto form = compact::write_form(input.text, input.options, earlier);
  if (!form) return {};
  ++tally.forms;
  return test::broken_reader_law(test::mutate(std::move(form->text), random), earlier);
}

void report(const Settings& settings, std::uint64_t index, const Input& input,
            std::string_view law) {
  const auto path =
      std::filesystem::path(settings.findings) / fmt::format("finding-{}-{}", settings.seed, index);
  fmt::output_file(path.string()).print("{}", input.text);
  fmt::print(stderr, "fuzz_generated: input {}: {} (stored as {})\n", index, law, path.string());
}

Tally run(const Settings& settings, unsigned thread) {
  Maker maker(settings.seed);
  Tally tally;
  for (std::uint64_t i = settings.first; i < settings.first + settings.count; ++i) {
    if (i / inputs_a_text % settings.threads != thread) continue;
    current = i;
    const Input input = maker.make(i);
    const auto begin = Clock::now();
    if (const auto law = try_input(input, tally); !law.empty()) {
      ++tally.broken;
      report(settings, i, input, law);
    }
    const double ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    ++tally.inputs;
    tally.bytes += input.text.size();
    if (ms > tally.slowest_ms) {
      tally.slowest_ms = ms;
      tally.slowest = i;
    }
  }
  return tally;
}

Tally run_threads(const Settings& settings) {
  std::vector<Tally> tallies(settings.threads);
  {
    std::vector<std::jthread> threads;
    for (unsigned thread = 0; thread < settings.threads; ++thread)
      threads.emplace_back([&, thread] { tallies[thread] = run(settings, thread); });
  }
  Tally all;
  for (const Tally& tally : tallies) {
    all.inputs += tally.inputs;
    all.bytes += tally.bytes;
    all.forms += tally.forms;
    all.broken += tally.broken;
    if (tally.slowest_ms > all.slowest_ms) {
      all.slowest_ms = tally.slowest_ms;
      all.slowest = tally.slowest;
    }
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("Texts like those of tools, damaged, against what must hold for every text.");
  app.add_option("--count", settings.count, "inputs")->capture_default_str();
  app.add_option("--seed", settings.seed, "of all inputs")->capture_default_str();
  app.add_option("--first", settings.first, "number of the first input")->capture_default_str();
  app.add_option("--threads", settings.threads)->check(CLI::Range(1, 64))->capture_default_str();
  app.add_option("--findings", settings.findings, "where texts that break a law are stored")
      ->check(CLI::ExistingDirectory)
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  tell_current_at_death();
  const auto begin = Clock::now();
  const Tally tally = run_threads(settings);
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  fmt::print(
      "{} inputs (seed {}, from {}), {:.1f} MB, {} damaged forms, {} findings; {:.0f} s, slowest "
      "{:.1f} ms "
      "(input {})\n",
      tally.inputs, settings.seed, settings.first, static_cast<double>(tally.bytes) / 1e6,
      tally.forms, tally.broken, seconds, tally.slowest_ms, tally.slowest);
  return tally.broken == 0 ? 0 : 1;
}
