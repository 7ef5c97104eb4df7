"""Texts like the outputs of common tools, made from a seed, for tests of the compact form.

texts(seed, size) gives {name: bytes}; the same seed and size give the same texts. Nothing is taken
from anywhere: names, paths and messages are invented.
"""
import json
import random

WORDS = ("amber basin cedar delta ember fjord grove haven inlet jetty knoll ledge marsh north "
         "orbit prism quartz ridge shore tidal umbra vista wharf xenon yield zephyr").split()
LEVELS = ["INFO", "DEBUG", "INFO", "INFO", "WARN"]


class Maker:
    def __init__(self, seed, size):
        self.random = random.Random(seed)
        self.rows = size

    def word(self):
        return self.random.choice(WORDS)

    def words(self, low, high):
        return [self.word() for _ in range(self.random.randrange(low, high))]

    def number(self, top):
        return self.random.randrange(top)

    def hexadecimal(self, digits):
        return "%0*x" % (digits, self.random.getrandbits(4 * digits))

    def path(self, depth):
        return "/".join(self.word() for _ in range(depth))

    # ---- logs
    def service_log(self):
        lines = []
        for i in range(self.rows):
            lines.append("2031-04-07T08:%02d:%02dZ %s store=%s took %d ms" % (
                i // 60, i % 60, self.random.choice(LEVELS), self.word(), self.number(900)))
        lines[self.rows // 2] = "2031-04-07T08:00:59Z ERROR store=%s lost lease %s" % (
            self.word(), self.hexadecimal(8))
        return "\n".join(lines) + "\n"

    def heartbeat_log(self):
        lines = ["2031-04-07T09:00:00Z INFO probe ok node=node-%d shard=%s" % (i % 3, "abcd"[i % 4])
                 for i in range(self.rows)]
        lines[7] = "2031-04-07T09:00:00Z ERROR probe lost node=node-1 code=%s" % self.hexadecimal(6)
        return "\n".join(lines) + "\n"

    def counters(self):
        lines = []
        for i in range(self.rows):
            lines.append("step %d of 400: block %05d at offset %d done" % (i + 1, 995 + 3 * i, i * 4096 - 8192))
        return "\n".join(lines)

    def aligned_counters(self):
        return "".join("%8d  entry %d is stored\n" % (7 * i + 3, i + 1) for i in range(self.rows))

    def wide_numbers(self):
        return "".join("seq=%020d ok=%s\n" % (99991260915120000123 + 7 * i, "true")
                       for i in range(self.rows))

    def access_log(self):
        return "".join('10.0.%d.%d - - [07/Apr/2031:08:00:%02d +0000] "%s /%s HTTP/1.1" %d %d\n' % (
            self.number(4), self.number(250), i % 60, self.random.choice(["GET", "GET", "HEAD"]),
            self.path(2), self.random.choice([200, 200, 200, 304, 404]), self.number(90000))
            for i in range(self.rows))

    def carriage_returns(self):
        return self.service_log().replace("\n", "\r\n")

    def latin_1(self):
        lines = ["gr\xf6\xdfe %4d m\xb2 stra\xdfe %s" % (self.number(2000), self.word())
                 for _ in range(self.rows)]
        return "\n".join(lines).encode("latin-1")

    def cut_utf_8(self):
        lines = ["%s temp\u00e9rature %d \u20ac caf\u00e9" % (self.word(), self.number(99))
                 for _ in range(self.rows)]
        return "\n".join(lines).encode()[:-1]

    def coloured(self):
        return "".join("\x1b[32mPASS\x1b[0m %s/%s in %d ms\n" % (
            self.word(), self.word(), self.number(400)) for _ in range(self.rows))

    # ---- listings and tables
    def long_listing(self):
        lines = ["total %d" % self.number(4000)]
        for _ in range(self.rows):
            lines.append("-rw-r--r-- 1 build build %8d Apr %2d 08:%02d %s.%s" % (
                self.number(10 ** self.random.randrange(2, 8)), 1 + self.number(28),
                self.number(60), self.word(), self.random.choice(["c", "h", "txt"])))
        return "\n".join(lines) + "\n"

    def columns(self):
        lines = ["NAME".ljust(14) + "STATE".ljust(10) + "AGE"]
        for _ in range(self.rows):
            lines.append(("%s-%d" % (self.word(), self.number(99))).ljust(14)
                         + self.random.choice(["Running", "Pending", "Done"]).ljust(10)
                         + "%dm" % self.number(600))
        return "\n".join(lines) + "\n"

    def accented_columns(self):
        names = ["caf\u00e9", "na\u00efve", "z\u00fcrich", "\u6771\u4eac", "plain", "r\u00e9sum\u00e9"]
        return "".join("%-12s%6d kB  %s\n" % (self.random.choice(names), self.number(99999),
                                             self.word()) for _ in range(self.rows))

    def find_list(self):
        tops = ["opt/%s/share/%s" % (self.path(2), self.word()) for _ in range(3)]
        return "".join("/%s/%s/%s.%s\n" % (self.random.choice(tops), self.word(), self.word(),
                                          self.random.choice(["py", "so", "txt"]))
                       for _ in range(self.rows))

    def checksums(self):
        return "".join("%s  ./%s\n" % (self.hexadecimal(16), self.path(2)) for _ in range(self.rows))

    def tab_separated(self):
        return "".join("%s\t%d\t\t%s\t%s\n" % (self.word(), self.number(50), self.word(),
                                              self.random.choice(["yes", "no"]))
                       for _ in range(self.rows))

    def search_rows(self):
        files = [self.path(3) + ".cpp" for _ in range(4)]
        lines = []
        for name in files:
            for i in range(self.rows // 4):
                lines.append("%s:%d:  auto %s = find_%s(%s, %d);" % (
                    name, 11 + i * 7 + self.number(5), self.word(), self.word(), self.word(), i))
        return "\n".join(lines) + "\n"

    def numbered_source(self):
        return "".join("%6d\t  const int %s = %d;\n" % (i + 1, self.word(), self.number(999))
                       for i in range(self.rows))

    # ---- tests, builds, diffs
    def test_run(self):
        lines = []
        for i in range(self.rows // 2):
            name = "Test%s%s" % (self.word().title(), self.word().title())
            lines += ["=== RUN   %s" % name, "--- PASS: %s (0.0%ds)" % (name, self.number(3))]
        lines.insert(9, "    prism_test.go:41: expected 3, got 5")
        return "\n".join(lines) + "\nPASS\nok  \tgrove/prism\t0.412s\n"

    def dotted_tests(self):
        return "".join("tests/test_%s.py::test_%s_%s PASSED%s[%3d%%]\n" % (
            self.word(), self.word(), self.word(), " " * (3 + self.number(9)), i * 100 // self.rows)
            for i in range(self.rows))

    def build_steps(self):
        return "".join("[%d/%d] Building CXX object src/%s/CMakeFiles/%s.dir/%s.cpp.o\n" % (
            i + 1, self.rows, self.word(), self.word(), self.word()) for i in range(self.rows))

    def warnings(self):
        lines = []
        for _ in range(self.rows // 3):
            v = self.word()
            lines += ["src/%s.c:%d:%d: warning: unused variable '%s' [-Wunused-variable]" % (
                self.path(2), self.number(900), self.number(60), v),
                "  int %s = 0;" % v, "      ^~~~~"]
        return "\n".join(lines) + "\n"

    def statistics_of_a_diff(self):
        return "".join(" %-30s | %3d %s\n" % (self.path(2) + ".md", n, "+" * (1 + n // 9))
                       for n in (self.number(99) for _ in range(self.rows)))

    # ---- repeats
    def repeated_lines(self):
        a = ["retry the %s in 5 seconds" % self.word()]
        b = ["begin %s" % self.word(), "  wait for the lock", "end"]
        return "\n".join(["start"] + a * 20 + ["middle"] + b * 9 + ["last"]) + "\n"

    def repeated_blocks(self):
        block = ["Traceback (most recent call last):",
                 '  File "/srv/%s/%s.py", line 41, in run' % (self.word(), self.word()),
                 "    result = %s(%s)" % (self.word(), self.word()),
                 "TimeoutError: %s did not answer" % self.word()]
        lines = []
        for i in range(max(3, self.rows // 8)):
            lines += ["attempt of %s" % " ".join(self.words(2, 6))] + block
        return "\n".join(lines) + "\n"

    def same_values(self):
        lines = []
        for i in range(self.rows // 4):
            owner, place = "%s-%s" % (self.word(), self.hexadecimal(6)), self.path(2)
            for k in range(4):
                lines.append("owner=%s place=%s item=%s" % (owner, place, self.hexadecimal(5)))
        return "\n".join(lines) + "\n"

    def long_names(self):
        top = "/data/%s/releases/%s" % (self.path(2), self.hexadecimal(12))
        kinds = ["copied %s/%s/%s.bin", "%s/%s holds %s", "skip %s/%s (%s)", "link -> %s/%s <- %s"]
        return "".join(self.random.choice(kinds) % (top, self.word(), self.path(2)) + "\n"
                       for _ in range(self.rows))

    def cycles_of_two_lines(self):
        return "".join("%04d begin round %s\n%04d end of round, phase %s\n" % (
            2 * i + 1, "ab"[i % 2], 2 * i + 2, ["new", "half", "full"][i % 3])
            for i in range(self.rows)) + "done: %s\n" % self.word()

    def several_repeats(self):
        lines = []
        for k in (1, 2, 3, 5):
            group = ["%s %s %s" % (self.word(), self.word(), self.hexadecimal(4)) for _ in range(k)]
            lines += group * (3 + self.number(6)) + [" ".join(self.words(2, 5))]
        return "\n".join(lines)

    def two_blocks(self):
        first = ["stage %s:" % self.word()] + ["  - run %s" % self.path(2) for _ in range(4)]
        second = ["check %s:" % self.word()] + ["  - ask %s" % self.path(2) for _ in range(3)]
        lines = []
        for i in range(6):
            lines += ["job %s" % self.hexadecimal(6)] + (first if i % 2 else second)
        return "\n".join(lines) + "\n"

    # ---- what could be mistaken for marks
    def marks_in_text(self):
        marks = ["~", "^ ", "@", "~a", "{1}", "~3*5", '"', "~: {1}"]
        lines = ["queue %s holds %d items" % (self.word(), self.number(99))
                 for _ in range(self.rows)]
        for mark in marks:
            lines.insert(self.number(len(lines)), mark + " %s" % self.word())
        return "\n".join(lines) + "\n"

    def brackets_in_text(self):
        return "".join("map{%s} -> <%d> <%s>\n" % (self.word(), self.number(99), self.word())
                       for _ in range(self.rows))

    def empty_last_value(self):
        return "\n".join(["key: %s" % self.word() for _ in range(self.rows)] + ["key: "])

    def looks_templated(self):
        return "[~{} compact, lossless, 3 lines]\n~a = x{n}\n~a 1-3\n"

    # ---- JSON
    def records(self):
        return [{"id": i, "name": "%s-%d" % (self.word(), self.number(50)),
                 "ok": self.number(5) > 0, "ratio": round(self.random.random(), 3),
                 "tags": self.words(0, 3), "note": None if i % 3 else 'say "%s"\\' % self.word()}
                for i in range(self.rows // 2)]

    def nested(self):
        return {"kind": "List", "items": [
            {"meta": {"name": self.word(), "uid": self.hexadecimal(12)},
             "ports": [{"port": 8000 + k, "name": self.word()} for k in range(3)],
             "state": {"phase": "Running", "restarts": self.number(3)}}
            for _ in range(self.rows // 5)], "more": False}


def json_texts(maker):
    records, nested = maker.records(), maker.nested()
    indented = json.dumps(records, indent=2)
    return {
        "json-one-line": json.dumps(records, separators=(",", ":")),
        "json-one-line-spaced": json.dumps(records) + "\n",
        "json-indent-1": json.dumps(records, indent=1),
        "json-indent-2": indented + "\n",
        "json-indent-4": json.dumps(nested, indent=4),
        "json-indent-tab": json.dumps(records, indent="\t") + "\n",
        "json-indent-2-wide": json.dumps(nested, indent=2, separators=(",", " : ")),
        "json-indent-tab-wide": json.dumps(records, indent="\t", separators=(",", " : ")),
        "json-nested-one-line": json.dumps(nested, separators=(",", ":")) + "\n",
        "json-cut-in-half": indented[:len(indented) // 2],
        "json-cut-near-the-end": indented[:-3],
        "json-cut-in-a-line": json.dumps(records)[:1500],
        "json-cut-with-a-note": indented[:len(indented) * 2 // 3] + "\n... (cut)\n",
        "json-records-a-line": "".join(json.dumps(r) + "\n" for r in records),
        "json-accents": json.dumps([{"n": i, "city": "z\u00fcrich \u6771\u4eac"[: 3 + i % 5]}
                                    for i in range(maker.rows)], ensure_ascii=False, indent=2),
    }


def texts(seed, size):
    names = [name for name in vars(Maker) if not name.startswith("_") and name not in (
        "word", "words", "number", "hexadecimal", "path", "records", "nested")]
    made = {}
    for i, name in enumerate(names):
        made[name.replace("_", "-")] = getattr(Maker(seed * 1000 + i, size), name)()
    made.update(json_texts(Maker(seed * 1000 + 999, size)))
    return {name: text if isinstance(text, bytes) else text.encode() for name, text in made.items()}
