#include "proxy/server/client_frames.h"

#include <catch2/catch.hpp>
#include <string>

using namespace std::string_literals;
using namespace tare::server;

namespace {

const std::string mask = "\x11\x22\x33\x44";

std::string masked(std::string text, const std::string& key = mask) {
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(text[i] ^ key[i % 4]);
  return text;
}

// A client's frame: `first` is the byte with the opcode.
std::string frame(int first, const std::string& payload) {
  std::string text(1, static_cast<char>(first));
  if (payload.size() < 126) {
    text.push_back(static_cast<char>(0x80 | payload.size()));
  } else if (payload.size() < 65536) {
    text += "\xfe"s + static_cast<char>(payload.size() >> 8) + static_cast<char>(payload.size());
  } else {
    text += "\xff\0\0\0\0"s + static_cast<char>(payload.size() >> 24) +
            static_cast<char>(payload.size() >> 16) + static_cast<char>(payload.size() >> 8) +
            static_cast<char>(payload.size());
  }
  return text + mask + masked(payload);
}

bool any_size(std::size_t) {
  return true;
}

// What goes on when each whole message is sent as it came; `texts` gets the messages.
std::string passed(std::string_view bytes, std::size_t step, std::string* texts = nullptr,
                   const std::function<bool(std::size_t)>& may_hold = any_size) {
  ClientFrames frames(may_hold);
  std::string out;
  while (!bytes.empty()) {
    const std::size_t used = frames.take(bytes.substr(0, step), out);
    bytes.remove_prefix(used);
    if (!frames.is_whole()) continue;
    if (texts != nullptr) *texts += frames.text() + "|";
    frames.send_as_it_came(out);
  }
  return out;
}

}  // namespace

TEST_CASE("frames of every kind and length go on byte for byte, however they are cut") {
  const auto step = GENERATE(std::size_t{1}, std::size_t{3}, std::size_t{1000000});
  const auto text = frame(0x81, "hello") + frame(0x82, std::string(200, '\0')) + frame(0x81, "") +
                    frame(0x81, std::string(125, 'a')) + frame(0x81, std::string(126, 'b')) +
                    frame(0x81, std::string(65535, 'c')) + frame(0x81, std::string(65536, 'd')) +
                    frame(0x89, "ping") + frame(0x8a, "") + frame(0x88, "\x03\xe8 bye");
  std::string texts;
  CHECK((passed(text, step, &texts) == text));
  CHECK((texts == "hello||" + std::string(125, 'a') + "|" + std::string(126, 'b') + "|" +
                      std::string(65535, 'c') + "|" + std::string(65536, 'd') + "|"));
}

TEST_CASE("a fragmented message is put together, and control frames go ahead of it") {
  ClientFrames frames(any_size);
  const auto first = frame(0x01, "one ");
  const auto second = frame(0x00, "two ");
  const auto last = frame(0x80, "three");
  const auto ping = frame(0x89, "p");
  std::string out;
  const auto all = first + ping + second + last + frame(0x81, "next");
  CHECK(frames.take(all, out) == all.size() - frame(0x81, "next").size());
  CHECK(out == ping);
  REQUIRE(frames.is_whole());
  CHECK(frames.text() == "one two three");
  SECTION("and sent as it came") {
    frames.send_as_it_came(out);
    CHECK(out == ping + first + second + last);
  }
  SECTION("or replaced by one frame") {
    const auto text =
        GENERATE(as<std::string>(), "x", std::string(300, 'x'), std::string(70000, 'x'));
    frames.send_instead(text, out);
    CHECK((out == ping + frame(0x81, text)));
  }
  out.clear();
  frames.take(frame(0x81, "next"), out);
  REQUIRE(frames.is_whole());
  CHECK(frames.text() == "next");
}

TEST_CASE("what may not be held goes on as it comes") {
  const auto small = [](std::size_t bytes) { return bytes <= 50; };
  std::string texts;
  const auto text = frame(0x01, "begins") + frame(0x00, std::string(60, 'x')) +
                    frame(0x80, "ends") + frame(0x81, "small") + frame(0x81, std::string(60, 'y')) +
                    frame(0x81, "again");
  CHECK(passed(text, 7, &texts, small) == text);
  CHECK(texts == "small|again|");
  // A length that no memory could hold.
  const auto huge = "\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff"s + mask + "abc";
  CHECK(passed(huge, 1) == huge);
}

TEST_CASE("what a fragment costs besides its bytes is asked for too") {
  std::size_t asked = 0;
  const auto text = [] {
    std::string all = frame(0x01, "");
    for (int i = 0; i < 1000; ++i) all += frame(0x00, "");
    return all;
  }();
  ClientFrames frames([&](std::size_t bytes) {
    asked = bytes;
    return true;
  });
  std::string out;
  frames.take(text, out);
  CHECK(asked >= 4 * text.size());
}

TEST_CASE("frames that are not as they should be go on as they are") {
  const auto bad =
      GENERATE_COPY(as<std::string>(), "\x81\x05hello"s,            // no mask
                    frame(0xc1, "compressed"),                      // a reserved bit
                    frame(0x80, "continues nothing"),               //
                    frame(0x01, "begins") + frame(0x81, "again"),   // no end before the next
                    frame(0x01, "begins") + frame(0x82, "binary"),  //
                    frame(0x01, "begins") +
                        "\x80\x03"
                        "abc"s,  // the rest without a mask
                    frame(0x83, "reserved opcode"));
  CHECK(passed(bad, 1) == bad);
  CHECK(passed(bad, 1000) == bad);
  std::string texts;
  CHECK(passed(bad + frame(0x81, "good"), 5, &texts).ends_with(frame(0x81, "good")));
}
