// Tool outputs made from a seed: one maker for each class of text, and mutations that put the
// form's own marks, odd bytes and damage into them. The same seed gives the same text everywhere.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tare::test {

// splitmix64: small, and the same on every machine (the standard distributions are not).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  // 0 .. limit - 1
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(next() % limit); }
  int between(int low, int high) {
    return low + static_cast<int>(below(static_cast<std::size_t>(high - low + 1)));
  }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <typename Range>
  const auto& pick(const Range& range) {
    return range[below(range.size())];
  }

 private:
  std::uint64_t state_;
};

namespace generated {

inline constexpr std::array<std::string_view, 16> words{
    "queue",  "worker", "parse",  "index",  "cache",  "token",  "render", "flush",
    "commit", "branch", "socket", "buffer", "schema", "header", "retry",  "lease"};

inline std::string word(Random& random) {
  return std::string(random.pick(words));
}
inline std::string path(Random& random) {
  return fmt::format("src/{}/{}_{}.{}", word(random), word(random), random.between(1, 9),
                     random.one_in(3) ? "h" : "cpp");
}
inline std::string hex(Random& random, int digits) {
  std::string text;
  for (int i = 0; i < digits; ++i) text += "0123456789abcdef"[random.below(16)];
  return text;
}
inline std::string sentence(Random& random) {
  std::string text = word(random);
  for (int i = random.between(2, 12); i > 0; --i) text += " " + word(random);
  return text;
}
inline std::string lines(Random& random, int least, int most, auto&& line) {
  std::string text;
  const int count = random.between(least, most);
  for (int i = 0; i < count; ++i) text += line(i) + "\n";
  return text;
}

inline std::string service_log(Random& random) {
  const int step = random.between(1, 7);
  return lines(random, 10, 120, [&](int i) {
    const int second = i * step;
    if (random.one_in(25))
      return fmt::format("2026-05-01T10:{:02}:{:02}Z ERROR request={} code=E_{}", second / 60 % 60,
                         second % 60, hex(random, 8), random.between(100, 599));
    return fmt::format("2026-05-01T10:{:02}:{:02}Z INFO {} took {} ms worker={}", second / 60 % 60,
                       second % 60, word(random), random.between(1, 900), i % 5);
  });
}
inline std::string syslog(Random& random) {
  return lines(random, 10, 80, [&](int i) {
    return fmt::format("Aug 27 10:{:02}:{:02} host{} {}[{}]: {}", i / 60, i % 60,
                       random.between(1, 2), word(random), random.between(100, 99999),
                       sentence(random));
  });
}
inline std::string grep_rows(Random& random) {
  int number = 0;
  std::string file = path(random);
  return lines(random, 10, 120, [&](int) {
    if (random.one_in(9)) {
      file = path(random);
      number = 0;
    }
    number += random.between(1, 40);
    return fmt::format("{}:{}:  return {}({});", file, number, word(random), word(random));
  });
}
inline std::string grep_context(Random& random) {
  return lines(random, 10, 60, [&](int i) {
    if (i % 4 == 3) return std::string("--");
    const char mark = i % 4 == 1 ? ':' : '-';
    return fmt::format("logs/2026-05-{:02}/app-{}.log{}{}{}{}", i / 4 % 30 + 1, i % 3, mark, i + 10,
                       mark, sentence(random));
  });
}
inline std::string listing(Random& random) {
  std::string text = "total 412\n";
  return text + lines(random, 10, 90, [&](int) {
           return fmt::format("{} {:2} {:8} {:8} {:8} Nov {:2} {:02}:{:02} {}{}",
                              random.one_in(4) ? "drwxr-xr-x" : "-rw-r--r--", random.between(1, 12),
                              random.one_in(3) ? "root" : "builder", "users",
                              random.between(1, 9'000'000), random.between(1, 30),
                              random.between(0, 23), random.between(0, 59), word(random),
                              random.one_in(5) ? " copy.txt" : ".txt");
         });
}
inline std::string status(Random& random) {
  return "On branch main\nChanges not staged for commit:\n" +
         lines(random, 5, 60,
               [&](int) {
                 return fmt::format("\t{}:   {}", random.one_in(4) ? "deleted" : "modified",
                                    path(random));
               }) +
         "\nno changes added to commit\n";
}
inline std::string processes(Random& random) {
  return "  PID TTY          TIME CMD\n" + lines(random, 8, 60, [&](int i) {
           return fmt::format("{:5} pts/{}    00:{:02}:{:02} {}", 900 + i * random.between(1, 30),
                              random.between(0, 3), random.between(0, 59), random.between(0, 59),
                              word(random));
         });
}
inline std::string diff(Random& random) {
  std::string text;
  for (int hunk = random.between(1, 5); hunk > 0; --hunk) {
    const std::string file = path(random);
    text += fmt::format(
        "diff --git a/{0} b/{0}\nindex {1}..{2} 100644\n--- a/{0}\n+++ b/{0}\n@@ -{3},7 +{3},8 "
        "@@\n",
        file, hex(random, 7), hex(random, 7), random.between(1, 400));
    text += lines(random, 4, 20, [&](int) {
      return fmt::format("{}  {} = {}({});", " +-"[random.below(3)], word(random), word(random),
                         random.between(0, 9));
    });
    if (random.one_in(3)) text += "\\ No newline at end of file\n";
  }
  return text;
}
inline std::string source(Random& random) {
  return lines(random, 20, 120, [&](int) {
    const std::string indent(random.below(4), '\t');
    switch (random.below(5)) {
      case 0:
        return std::string();
      case 1:
        return indent + "}";
      case 2:
        return fmt::format("{}if ({} == {}) {{  ", indent, word(random), word(random));
      default:
        return fmt::format("{}{}({}, {});", indent, word(random), word(random),
                           random.between(0, 99));
    }
  });
}
inline std::string tests_run(Random& random) {
  std::string text;
  for (int i = random.between(5, 60); i > 0; --i) {
    const std::string name = fmt::format("Test{}{}", word(random), random.between(1, 50));
    text += fmt::format("=== RUN   {0}\n--- {1}: {0} (0.{2:02}s)\n", name,
                        random.one_in(20) ? "FAIL" : "PASS", random.between(0, 12));
  }
  return text + "ok\n";
}
inline std::string json_value(Random& random) {
  static constexpr std::array<std::string_view, 14> values{"null",
                                                           "\"\"",
                                                           "true",
                                                           "false",
                                                           "1.0",
                                                           "1e5",
                                                           "-0",
                                                           "19.90",
                                                           "9007199254740993",
                                                           "\"a\\\"b\\\\c\\/\"",
                                                           "\"\\u00e9é\"",
                                                           "\"{\\\"x\\\":[1]}\"",
                                                           "[]",
                                                           "{}"};
  return random.one_in(2) ? std::string(random.pick(values))
                          : fmt::format("\"{}\"", sentence(random));
}
// Records printed in one of the usual layouts; `cut` may lose the end.
inline std::string json_records(Random& random) {
  struct Layout {
    std::string_view open, item, key, colon, end_item, close;
  };
  static constexpr std::array<Layout, 5> layouts{{{"[\n", "  {\n", "    ", ": ", "\n  }", "\n]"},
                                                  {"[\n", "\t{\n", "\t\t", ": ", "\n\t}", "\n]"},
                                                  {"[\n", " {\n", "  ", " : ", "\n }", "\n]"},
                                                  {"[", "{", "", ":", "}", "]"},
                                                  {"[", "{", "", ": ", "}", "]"}}};
  const std::size_t chosen = random.below(layouts.size());
  const Layout& layout = layouts[chosen];
  const std::string comma = chosen == 4 ? ", " : chosen == 3 ? "," : ",\n";
  const int count = random.between(1, 60);
  std::string text(layout.open);
  for (int i = 0; i < count; ++i) {
    text += layout.item;
    text += fmt::format("{0}\"id\"{1}{2}{3}{0}\"name\"{1}\"n-{4}\"{3}{0}\"state\"{1}{5}",
                        layout.key, layout.colon, i, comma, i * 7 % 11,
                        random.one_in(8) ? json_value(random) : "\"ok\"");
    text += layout.end_item;
    if (i + 1 < count) text += comma;
  }
  text += layout.close;
  return random.one_in(4) ? text.substr(0, random.below(text.size() + 1)) : text;
}
inline std::string ndjson(Random& random) {
  const char* between = random.one_in(3) ? " " : "";
  return lines(random, 5, 80, [&](int i) {
    return fmt::format(
        "{{\"ts\":\"2026-05-01T10:00:{:02}Z\",{}\"level\":\"{}\",\"n\":{},\"msg\":{}}}", i % 60,
        between, random.one_in(9) ? "warn" : "info", i, json_value(random));
  });
}
// JSON among other lines: documents below each other, a banner, words behind them.
inline std::string json_documents(Random& random) {
  std::string text = random.one_in(2) ? "" : "$ " + sentence(random) + "\n[" + word(random) + "]\n";
  const std::string same = json_records(random);
  for (int i = random.between(1, 6); i > 0; --i)
    text += (random.one_in(3) ? json_records(random) : same) + "\n";
  return random.one_in(2) ? text : text + "exit status " + hex(random, 1) + "\n";
}
// A text inside a string, as programs return it that answer in JSON.
inline std::string json_string(Random& random) {
  std::string inside;
  for (const char c : random.one_in(2) ? service_log(random) : json_documents(random)) {
    if (c == '"' || c == '\\') inside += '\\';
    inside += c == '\n' ? "\\n" : c == '\t' ? "\\t" : std::string(1, c);
  }
  return random.one_in(2) ? "{\"output\":\"" + inside + "\",\"code\":" + hex(random, 1) + "}"
                          : "[\n  \"" + inside + "\"\n]\n";
}
inline std::string numbers(Random& random) {
  std::string text = "[";
  for (int i = random.between(10, 300); i > 0; --i)
    text += fmt::format("{},", random.between(-99, 99999));
  return text + "0]";
}
inline std::string padded(Random& random) {
  const int width = random.between(2, 6);
  return lines(random, 5, 150, [&](int i) {
    return fmt::format("{:0{}} 00:{:02}:{:02} part{:03}.bin", i + 95, width, i / 60, i % 60, i);
  });
}
inline std::string colours(Random& random) {
  return lines(random, 10, 60, [&](int i) {
    return fmt::format("\x1b[3{}m{}\x1b[0m step {} of 60   ", random.one_in(9) ? 1 : 2,
                       word(random), i);
  });
}
inline std::string blocks(Random& random) {
  std::vector<std::string> kinds;
  for (int i = 0; i < 3; ++i)
    kinds.push_back(lines(random, 1, 6, [&](int) { return sentence(random); }));
  std::string text;
  for (int i = random.between(4, 30); i > 0; --i) text += random.pick(kinds);
  return text;
}
inline std::string prose(Random& random) {
  return lines(random, 5, 40,
               [&](int) { return sentence(random) + ", " + sentence(random) + "."; });
}
inline std::string foreign(Random& random) {
  static constexpr std::array<std::string_view, 5> pieces{
      "日本語の行", "שלום עולם", "👩‍👩‍👧 family", "naïve café", "\xEF\xBB\xBF bom"};
  return lines(random, 10, 60, [&](int i) {
    return fmt::format("{} {} – {}", random.pick(pieces), i, random.pick(pieces));
  });
}
inline std::string csv(Random& random) {
  return "path,bytes,lines\n" + lines(random, 10, 90, [&](int) {
           return fmt::format("{},{},{}", path(random), random.between(0, 99999),
                              random.one_in(9) ? "" : std::to_string(random.between(0, 999)));
         });
}

}  // namespace generated

struct TextClass {
  std::string_view name;
  std::string (*make)(Random&);
};

inline constexpr std::array<TextClass, 20> text_classes{
    {{"service log", generated::service_log},
     {"syslog", generated::syslog},
     {"grep rows", generated::grep_rows},
     {"grep with context", generated::grep_context},
     {"listing", generated::listing},
     {"git status", generated::status},
     {"processes", generated::processes},
     {"diff", generated::diff},
     {"source", generated::source},
     {"test run", generated::tests_run},
     {"json records", generated::json_records},
     {"ndjson", generated::ndjson},
     {"array of numbers", generated::numbers},
     {"zero-padded", generated::padded},
     {"colours", generated::colours},
     {"repeated blocks", generated::blocks},
     {"prose", generated::prose},
     {"foreign scripts", generated::foreign},
     {"csv", generated::csv},
     {"mixed", nullptr}}};

// "mixed": several outputs in one text, with an exit status.
inline std::string make_text(const TextClass& kind, Random& random) {
  if (kind.make != nullptr) return kind.make(random);
  std::string text;
  for (int i = random.between(2, 4); i > 0; --i)
    text += text_classes[random.below(text_classes.size() - 1)].make(random);
  return text + "exit status 0\n";
}

inline constexpr std::array<std::string_view, 47> junk{"~",
                                                       "~a",
                                                       "~a:",
                                                       "~: x{1}",
                                                       "{1}",
                                                       "{n}",
                                                       "<1>",
                                                       "«1»",
                                                       "{n%2:0=a,1=b}",
                                                       "~3*5",
                                                       "~+ x",
                                                       "~]",
                                                       "~ x",
                                                       "\"",
                                                       "\" \"",
                                                       "\r",
                                                       "\t",
                                                       " ",
                                                       "  ",
                                                       "é",
                                                       "👍",
                                                       "\x1b[31m",
                                                       std::string_view("\0", 1),
                                                       "0",
                                                       "00",
                                                       "-0",
                                                       "1e5",
                                                       "1.00",
                                                       "+5",
                                                       "\\u00e9",
                                                       "[~{} compact, lossless, 3 lines]\n",
                                                       "{",
                                                       "}",
                                                       "[",
                                                       "]",
                                                       ",",
                                                       ":",
                                                       "\n",
                                                       "\n\n",
                                                       "@",
                                                       "^",
                                                       "§",
                                                       "¤",
                                                       "\xFF\xFE",
                                                       "\xF0\x91\x8D",
                                                       "999999999999999999999999999999",
                                                       "1-5"};

namespace generated {

inline std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}
inline std::string join(const std::vector<std::string>& lines) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) text += (i > 0 ? "\n" : "") + lines[i];
  return text;
}
inline std::string replace(const std::string& text, char what, std::string_view by, int times) {
  std::string out;
  for (const char c : text) {
    if (c == what && times-- > 0) {
      out += by;
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace generated

// Changes the text in one way, or leaves it.
inline std::string mutate(std::string text, Random& random) {
  using namespace generated;
  if (text.empty()) return text;
  const std::size_t at = random.below(text.size());
  const std::string mark(random.pick(junk));
  switch (random.below(11)) {
    case 0:
      return text.insert(at, mark);
    case 1:
      return text.erase(at, random.below(30) + 1);
    case 2:
      return text.substr(0, at);
    case 3:
      return replace(text, "ae \":01"[random.below(7)], mark, random.between(1, 40));
    case 4:
      return replace(text, '\n', random.one_in(2) ? "\r\n" : "\r",
                     random.one_in(2) ? 1'000'000 : random.between(1, 5));
    case 5:
      return text + std::string(random.pick(
                        std::array<std::string_view, 5>{"\n", "\n\n", "", " ", "\r\n"}));
    default:
      break;
  }
  auto lines = split(text);
  const auto line = lines.begin() + static_cast<std::ptrdiff_t>(random.below(lines.size()));
  switch (random.below(5)) {
    case 0:
      lines.insert(line, mark);
      break;
    case 1: {
      const std::vector<std::string> again(lines.begin(), line);
      for (int i = random.between(1, 4); i > 0; --i)
        lines.insert(lines.begin(), again.begin(), again.end());
      break;
    }
    case 2:
      for (std::string& each : lines) {
        if (!random.one_in(3)) each = mark + each;
      }
      break;
    case 3:
      for (std::string& each : lines) {
        if (!random.one_in(3)) each += mark;
      }
      break;
    default:
      std::swap(*line, lines.front());
      break;
  }
  return join(lines);
}

}  // namespace tare::test
