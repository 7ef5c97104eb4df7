#include "proxy/compact/cost.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "proxy/compact/writer_fit.h"
#include "proxy/compact/writer_plan.h"

using namespace tare::compact;

TEST_CASE("the estimate counts what a vocabulary would join") {
  CHECK(estimate("") == 0);
  CHECK(estimate("word") == 1070);
  CHECK(estimate(" word") == 1000);  // a blank goes with the word behind it
  CHECK(estimate("a b c") == 3000);
  CHECK(estimate("1234567") == 3000);  // digits in threes
  CHECK(estimate("HTTP") == 1320);
  CHECK(estimate("....") == 1062);  // a rule of one byte
  CHECK(estimate("=>[{") == 1360);
  CHECK(estimate("\n\n    x") == 3000);  // line ends, blanks but the last, the word with it
  CHECK(estimate("日本") == 1818);       // by bytes
}

TEST_CASE("the estimate of a text is about that of its parts") {
  const std::string_view line = "2026-05-01T10:00:00Z INFO worker=3 took 17 ms";
  std::string text;
  for (int i = 0; i < 100; ++i) text.append(line).append("\n");
  CHECK(estimate(text) == 100 * (estimate(line) + 1000));
}

TEST_CASE("a sample of a long text tells about what the whole costs") {
  std::string text;
  CHECK(estimate_from_sample(text) == 0);
  for (int i = 0; i < 4000; ++i) {
    text += "worker " + std::to_string(i * 7919 % 1000) + " took " + std::to_string(i) + " ms\n";
    const auto whole = static_cast<double>(estimate(text));
    CHECK(static_cast<double>(estimate_from_sample(text)) == Approx(whole).epsilon(0.05));
  }
}

TEST_CASE("lines that cost more than is counted are still worth a template") {
  std::string text;
  for (int i = 0; i < 7'000'000; ++i) text += "7f";
  constexpr std::size_t values = 16;  // the last bytes, in which the lines differ
  std::vector<std::string_view> lines;
  for (std::size_t i = 0; i < 3; ++i)
    lines.push_back(std::string_view(text).substr(0, text.size() - 4 * i));
  const std::vector<LineCost> costs(lines.size(), line_cost(estimate(text)));
  REQUIRE(costs[0] == most_for_line);
  REQUIRE(estimate(text) > 3 * most_for_line);
  const std::vector<std::uint32_t> rows{0, 1, 2};
  const std::vector<bool> none(lines.size(), false);
  const std::stop_token stop;
  Fitter fitter({lines, costs, none, none, rows, false, {}, stop});
  const Template* shape = fitter.fit_prefix(text.size() - values, rows);
  REQUIRE(shape != nullptr);
  CHECK(shape->gain > most_for_line);
  Plan plan = make_plan(lines.size(), {*shape}, {}, {});
  drop_unearned(plan, costs, {});
  CHECK(plan.items[0].kind == Item::Kind::instance);
}
