#include <catch2/catch.hpp>

#include <initializer_list>
#include <string>

#include "proxy/compact/writer_outlook.h"
#include "proxy/compact/writer_records.h"
#include "tests/support/sized_texts.h"

using tare::compact::may_have_form;
using tare::compact::split_lines;
using namespace tare::test;

namespace {

bool hopeful(const std::string& text) {
  return may_have_form(split_lines(text), {});
}

std::string sized_text(std::string_view name, std::size_t bytes) {
  for (const SizedClass& kind : sized_classes) {
    if (kind.name == name) return kind.make(bytes);
  }
  return {};
}

}  // namespace

TEST_CASE("prose, encoded bytes and a single line hold out no hope, whatever their size") {
  for (const std::string_view name : {"prose", "base64", "one_line"}) {
    for (const std::size_t bytes : {1'000U, 10'000U, 300'000U}) {
      CAPTURE(name, bytes);
      CHECK_FALSE(hopeful(sized_text(name, bytes)));
    }
  }
}

TEST_CASE("outputs of tools do, whatever their size") {
  for (const std::string_view name :
       {"logs", "code", "rows", "service_log", "grep_rows", "listing", "ndjson", "mixed"}) {
    for (const std::size_t bytes : {2'000U, 10'000U, 300'000U}) {
      CAPTURE(name, bytes);
      CHECK(hopeful(sized_text(name, bytes)));
    }
  }
}

TEST_CASE("short lines may follow a law though they share no text") {
  std::string text;
  for (int i = 0; i < 500; ++i) text += std::to_string(i) + "\n";
  CHECK(hopeful(text));
}

TEST_CASE("encoded bytes that come again far away are seen in whole") {
  const std::string once = sized_text("base64", 200'000);
  CHECK(hopeful(once + once.substr(0, once.size() / 10)));
}

TEST_CASE("rows among prose are seen when they are a tenth of it") {
  std::string text = sized_text("prose", 90'000);
  text.insert(text.find('\n', text.size() / 2) + 1, sized_text("rows", 20'000));
  CHECK(hopeful(text));
}
