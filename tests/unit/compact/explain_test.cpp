#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <string>

#include "proxy/compact/compact.h"

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using tare::compact::compact;
using tare::compact::Earlier;
using tare::compact::explain;
using tare::compact::Treatment;

namespace {

std::string requests(int count) {
  std::string text = "start of the log\n";
  for (int i = 0; i < count; ++i) text += fmt::format("GET /item/{} took {} ms\n", i, i * 37 % 101);
  return text + "ERROR the disk is full\n" + "same again and again\nsame again and again\n" +
         "same again and again\nsame again and again\n";
}

}  // namespace

TEST_CASE("an explanation names each template, what stays, and the tokens of both") {
  const std::string account = explain(requests(60));
  CHECK_THAT(account, StartsWith(fmt::format("{} bytes, about ", requests(60).size())));
  CHECK_THAT(account, Contains("GET /item/{1} took {2} ms") && Contains("template, 2 open"));
  CHECK_THAT(account, Contains("kept: they look like failures"));
  CHECK_THAT(account, Contains("header: [~{} compact, lossless, "));
}

TEST_CASE("it says why a text stays as it is") {
  CHECK_THAT(explain("short"), Contains("stays as it is: it is shorter than 512 bytes"));
  std::string words;
  for (unsigned i = 0; i < 200; ++i) words += fmt::format("{:x}\n", i * i * 2654435761U);
  CHECK_THAT(explain(words), Contains("stays as it is: "));
  Earlier earlier;
  CHECK_THAT(explain(requests(60), {.treatment = Treatment::repeats_only}, &earlier),
             Contains("not all of an earlier output"));
  CHECK_THAT(explain(compact(requests(60)).text), Contains("looks like a form itself"));
}

TEST_CASE("it names the earlier output that lines come from") {
  const std::string text = requests(60);
  std::string other = text;
  for (unsigned i = 0; i < 30; ++i) other += fmt::format("{:x} is new\n", i * i * 2654435761U);
  Earlier earlier;
  earlier.add("call_7", text);
  CHECK_THAT(explain(text, {}, &earlier), Contains("all lines of an earlier output"));
  CHECK_THAT(explain(other, {}, &earlier), Contains("lines of the output of call call_7"));
}
