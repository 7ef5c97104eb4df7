#!/usr/bin/env python3
"""Makes data/corpora anew: data/make_corpora.py [NAME...]

Runs tools on a fresh copy of this repository and on general facts of the system, and writes what they print to
data/corpora/CLASS/NAME.txt, cut as agents cut long outputs, with an index.tsv (path, class, bytes, sha256_16, command).
Paths of the machine, host, user and author names are replaced. Needs the whole release build; a command of which next
to nothing comes is named, and its file left as it is. With names, only those are made.
"""

import hashlib
import json
import os
import pathlib
import pwd
import re
import socket
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORPORA = ROOT / "data" / "corpora"
BUILD = ROOT / "build" / "release"
CUT_CHARACTERS = 32_000
LIMIT_S = 300

GXX = "g++ -std=c++23 -I. -O1 -c -o /dev/null"
# Faults put into the copy before it is compiled.
BREAK = "sed -i 's/std::size_t/std::sizet/; s/\\.size()/.sise()/; s/const auto /const /' "

# class, name, command (bash, in the copy; $BIN: the built programs, $BUILD: the build folder)
OUTPUTS = [
    ("build", "gcc-warnings", f"for f in common/*.cpp; do {GXX} -Wall -Wextra -Wpadded -Wswitch-enum -Wuseless-cast -Weffc++ $f; done 2>&1"),
    ("build", "gcc-warnings-no-caret", f"for f in analysis/*.cpp; do {GXX} -fno-diagnostics-show-caret -Wpadded -Wsuggest-attribute=pure $f; done 2>&1"),
    ("build", "gcc-errors", f"{BREAK} analysis/statistics.cpp analysis/fields.cpp; for f in statistics fields; do {GXX} analysis/$f.cpp; done 2>&1; git checkout -q ."),
    ("build", "clang-errors", f"{BREAK} analysis/bodies.cpp analysis/tokens.cpp; for f in bodies tokens; do clang++-19 -std=c++23 -I. -fsyntax-only analysis/$f.cpp; done 2>&1; git checkout -q ."),
    ("build", "clang-tidy", "clang-tidy-19 --checks='-*,readability-*,modernize-*' --quiet common/error.cpp common/hash.cpp -- -std=c++23 -I. 2>&1"),
    ("build", "cmake-configure", "cmake -S . -B ../configured 2>&1"),
    ("build", "ninja-build", "cmake -S . -B ../configured -G Ninja >/dev/null 2>&1; cmake --build ../configured --target tare_compact tare_wire 2>&1"),
    ("build", "ninja-verbose", "cmake -S . -B ../configured -G Ninja >/dev/null 2>&1; cmake --build ../configured -v --target tare_common 2>&1"),
    ("build", "link-errors", "for f in error files hash; do g++ -std=c++23 -I. -c common/$f.cpp -o ../$f.o; done; g++ ../files.o ../hash.o -o ../none 2>&1"),

    ("code", "cat-statistics", "cat analysis/statistics.cpp"),
    ("code", "cat-n-fidelity", "cat -n analysis/fidelity.cpp"),
    ("code", "sed-subprocess", "sed -n 1,140p common/subprocess.h"),
    ("code", "nl-workload", "nl -ba harness/workload.cpp"),
    ("code", "blame-figures", "git blame -s analysis/figures.cpp"),
    ("code", "hexdump-form", "hexdump -C tests/golden/forms/access-log.txt"),
    ("code", "xxd-object", "g++ -std=c++23 -I. -c common/error.cpp -o ../e.o && xxd ../e.o"),
    ("code", "disassembly", "g++ -std=c++23 -O1 -I. -c common/whole_number.cpp -o ../w.o && objdump -d --no-show-raw-insn ../w.o"),

    ("diff", "git-diff-range", "git diff HEAD~6 HEAD -- '*.cpp' '*.h'"),
    ("diff", "git-show", "git show --format=%h%n%s HEAD~2"),
    ("diff", "git-log-patch", "git log -p -4 --format='commit %h%n%n%w(0,4,4)%B' -- docs"),
    ("diff", "git-diff-stat", "git diff --stat HEAD~40 HEAD"),
    ("diff", "git-word-diff", "git diff --word-diff HEAD~8 HEAD -- docs"),
    ("diff", "diff-forms", "diff -u tests/golden/forms/access-log.plain.form tests/golden/forms/access-log.full.form"),

    ("grep", "grep-result", "grep -rn 'Result<' common harness analysis"),
    ("grep", "grep-include", "grep -rn '#include \"' analysis cli"),
    ("grep", "grep-context", "grep -rn -C2 'fail(Error' common"),
    ("grep", "grep-test-cases", "grep -rn TEST_CASE tests"),
    ("grep", "git-grep-heading", "git grep -n --heading --break 'std::optional' -- analysis harness"),
    ("grep", "grep-count", "grep -rc 'const' common harness analysis proxy | sort"),

    ("json", "cmake-capabilities", "cmake -E capabilities | python3 -m json.tool"),
    ("json", "cmake-file-api", "mkdir -p ../configured/.cmake/api/v1/query && touch ../configured/.cmake/api/v1/query/codemodel-v2; "
                               "cmake -S . -B ../configured >/dev/null 2>&1; cat ../configured/.cmake/api/v1/reply/target-tare_common-*.json"),
    ("json", "gcc-diagnostics", f"{BREAK} analysis/statistics.cpp; {GXX} -fdiagnostics-format=json -Wpadded analysis/statistics.cpp 2>&1 | python3 -m json.tool; git checkout -q ."),
    ("json", "ctest-list-cut", "ctest --test-dir $BUILD --show-only=json-v1"),
    ("json", "compile-commands", "cmake -S . -B ../configured -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null 2>&1; cat ../configured/compile_commands.json"),
    ("json", "published-claims", "python3 -m json.tool --sort-keys data/published/claims.json"),
    ("json", "plan-one-line", "python3 -m json.tool --compact data/plans/published.json"),
    ("json", "report-cut", "$BIN/tare report data/sample-run/published --format json"),
    ("json", "run-document", "cat data/sample-run/published/run.json"),

    ("listing", "find", "find . -path ./.git -prune -o -type f -print"),
    ("listing", "find-printf", "find harness proxy -type f -printf '%TY-%Tm-%Td %TH:%TM %s %m %p\\n'"),
    ("listing", "ls-laR", "ls -laR proxy tests/unit"),
    ("listing", "ls-la-programs", "ls -la /usr/bin | head -300"),
    ("listing", "git-ls-files", "git ls-files -s"),
    ("listing", "git-status", "sed -i '1d' common/*.cpp; rm docs/*.md; touch new-{1..20}.txt; git mv analysis/cell.cpp analysis/cell2.cpp; git status; git status --porcelain=v2; git reset -q --hard; git clean -qfd"),
    ("listing", "du", "du -a --apparent-size data docs tests | sort -k2"),
    ("listing", "tar", "git archive HEAD common harness cli | tar tv"),

    ("log", "strace-compact", "strace -f -tt $BIN/tare-proxy compact < tests/golden/forms/access-log.txt 2>&1 >/dev/null"),
    ("log", "strace-count", "strace -c $BIN/tare --version 2>&1"),
    ("log", "loader", "LD_DEBUG=libs,versions $BIN/tare --version 2>&1"),
    ("log", "git-trace", "GIT_TRACE=1 GIT_TRACE_SETUP=1 GIT_TRACE_PERFORMANCE=1 git log --oneline -3 2>&1; GIT_TRACE2=1 git fetch . 2>&1; GIT_TRACE_PACKET=1 GIT_TRACE=1 git ls-remote . 2>&1"),
    ("log", "cmake-trace", "cmake --trace-source=CMakeLists.txt --trace-source=options.cmake -S . -B ../traced 2>&1 | grep -v '^--'"),
    ("log", "http-access", "python3 -u -m http.server 0 --bind 127.0.0.1 >../port 2>../access & server=$!; sleep 1; "
                           "port=$(grep -o 'port [0-9]*' ../port | grep -o '[0-9]*'); for i in $(seq 8); do for f in $(git ls-files common docs) none.txt; do "
                           "curl -s -o /dev/null http://127.0.0.1:$port/$f; done; done; kill $server; cat ../access"),
    ("log", "curl-verbose", "python3 -u -m http.server 0 --bind 127.0.0.1 >../port 2>/dev/null & server=$!; sleep 1; "
                            "port=$(grep -o 'port [0-9]*' ../port | grep -o '[0-9]*'); for f in common/clock.h docs/none.md README.md cli; do "
                            "curl -sv -o /dev/null http://127.0.0.1:$port/$f 2>&1; done; kill $server"),
    ("log", "smoke-run", "cd .. && $BIN/tare run smoke --arms direct,control,tare --rounds 2 --out smoke 2>&1; cat smoke/events.jsonl; cat smoke/logs/*"),
    ("log", "python-logging", "python3 - <<'END' 2>&1\n"
                              "import logging, subprocess\n"
                              "logging.basicConfig(level=logging.DEBUG, format='%(asctime)s,%(msecs)03d %(levelname)-7s [%(name)s] %(message)s', datefmt='%Y-%m-%d %H:%M:%S')\n"
                              "for number, name in enumerate(subprocess.run(['git', 'ls-files'], capture_output=True, text=True).stdout.splitlines()[:260]):\n"
                              "    log = logging.getLogger('tare.' + name.split('/')[0])\n"
                              "    try:\n"
                              "        size = len(open(name, encoding='utf-8').read())\n"
                              "        log.info('read %s: %d characters', name, size)\n"
                              "        if size > 12000: log.warning('%s is long: %d characters, limit 12000', name, size)\n"
                              "    except UnicodeDecodeError as fault:\n"
                              "        log.error('cannot read %s: %s', name, fault)\n"
                              "    if number % 40 == 7: log.debug('queue depth=%d processed=%d', 260 - number, number)\n"
                              "END"),

    ("ndjson", "requests", "zstdcat data/sample-run/published/requests.jsonl.zst | head -n 90"),
    ("ndjson", "samples", "zstdcat data/sample-run/published/samples.jsonl.zst"),
    ("ndjson", "fidelity", "cat data/sample-run/published/fidelity.jsonl"),
    ("ndjson", "git-trace-events", "GIT_TRACE2_EVENT=1 git status 2>&1 >/dev/null; GIT_TRACE2_EVENT=1 git gc -q 2>&1"),
    ("ndjson", "cmake-trace-json", "cmake --trace-format=json-v1 --trace-source=CMakeLists.txt -S . -B ../traced 2>&1 | grep '^{'"),
    ("ndjson", "git-log-json", "git log --date=iso --format='{\"commit\": \"%h\", \"tree\": \"%t\", \"date\": \"%ad\", \"subject\": \"%f\"}'"),

    ("prose", "decisions", "head -c 16000 docs/decisions.md"),
    ("prose", "adding-an-arm", "cat docs/adding-an-arm.md"),
    ("prose", "git-log-messages", "git log --format=%B | head -200"),
    ("prose", "tare-help", "$BIN/tare --help-all"),

    ("table", "dpkg", "dpkg -l | head -220"),
    ("table", "nm", "nm -C --print-size --size-sort $BUILD/analysis/libtare_analysis.a | tail -n 250"),
    ("table", "readelf", "readelf -W -S -l $BIN/tare-proxy"),
    ("table", "size", "size $(find $BUILD -name 'libtare_*.a')"),
    ("table", "ps-and-ss", "pids=; for i in $(seq 24); do $BIN/tare-proxy serve --upstream http://127.0.0.1:9 --listen 127.0.0.1:0 >>../urls & pids=$pids,$!; done; sleep 2; "
                           "ps -o pid,stat,ni,pcpu,pmem,vsz,rss,time,args -p ${pids#,}; ss -tlnp | head -1; for p in $(grep -o '[0-9]*$' ../urls); do ss -tlnpH \"sport = :$p\"; done; kill ${pids//,/ }"),
    ("table", "sizes-csv", "git ls-files -z | head -z -n 300 | xargs -0 stat -c '%n,%s,%b,%a,%Y'"),
    ("table", "ninja-log", "sort -n $BUILD/.ninja_log"),
    ("table", "memory", "for i in 1 2 3 4 5; do free -w -k; vmstat -w 1 2; done"),

    ("test", "ctest", "ctest --test-dir $BUILD -R '^unit/(common|wire|analysis)' 2>&1"),
    ("test", "catch-sections", "$BIN/test_unit_common -s '~*subprocess*' 2>&1"),
    ("test", "catch-durations", "$BIN/test_unit_wire --durations yes 2>&1; $BIN/test_unit_analysis --durations yes 2>&1"),
    ("test", "catch-junit", "$BIN/test_unit_harness -r junit '~*cgroup*' 2>&1"),
    ("test", "catch-list", "$BIN/test_unit_compact --list-tests 2>&1"),
    ("test", "python-unittest", "mkdir ../u && cd ../u && python3 - <<'END'\n"
                                "names = [l.strip().split('tests/')[-1] for l in __import__('subprocess').run(['git', '-C', '../tare', 'ls-files', 'tests'], capture_output=True, text=True).stdout.splitlines()][:70]\n"
                                "body = ''.join(f'''\n    def test_{i:03d}_{__import__('re').sub('[^a-z0-9]+', '_', n.lower())[:40]}(self):\n"
                                "        self.{'assertLess' if i % 9 == 4 else 'assertGreater'}(len({n!r}), 4)\n''' for i, n in enumerate(names))\n"
                                "open('test_names.py', 'w').write('import unittest\\n\\nclass Names(unittest.TestCase):' + body)\n"
                                "END\npython3 -m unittest -v test_names 2>&1"),
]


def replacements(work):
    """(pattern, text) in the order in which they are applied."""
    user, host = pwd.getpwuid(os.getuid()).pw_name, socket.gethostname()
    return [
        (re.escape(str(work / "tare")), "/home/user/tare"),
        (re.escape(str(work)), "/home/user"),
        (re.escape(str(ROOT)), "/home/user/tare"),
        (re.escape(str(pathlib.Path.home())) + r"(?=/)", "/home/user"),
        *([] if host == "localhost" else [(r"\b" + re.escape(host) + r"\b(?=[ :.])", "host")]),
        (r"(?<=[ (/])" + re.escape(user) + r"(?=[ )/:])", "user"),
        (r"[A-Za-z0-9.+_-]+@[A-Za-z0-9.-]+\.[a-z]{2,}", "dev@example.org"),
        (r"(?m)^Author: .*$", "Author: Dev <dev@example.org>"),
    ]


# The lines of a system header that a compiler quotes are another project's.
QUOTED = re.compile(r"(?m)^(/usr/(?:include|lib)[^\n]*\n)((?:(?: +\d+)? +\|[^\n]*\n)+)")


def cut(text):
    """At the last line end within the limit, as agents do; a single long line is cut where it is."""
    if len(text) <= CUT_CHARACTERS:
        return text
    return text[:text.rindex("\n", 0, CUT_CHARACTERS) + 1] if "\n" in text[:CUT_CHARACTERS] else text[:CUT_CHARACTERS]


def output_of(command, work):
    environment = {"PATH": os.environ["PATH"], "HOME": str(work), "LANG": "C.UTF-8", "TZ": "UTC", "COLUMNS": "120", "BUILD": str(BUILD),
                   "BIN": str(BUILD / "bin"), "GIT_PAGER": "cat", "GIT_CONFIG_GLOBAL": "/dev/null", "TARE_HOME": str(ROOT)}
    shown = subprocess.run(["bash", "-c", command], cwd=work / "tare", env=environment, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=LIMIT_S, check=False)
    text = shown.stdout.decode("utf-8", "replace")
    text = QUOTED.sub(r"\1", text)
    for pattern, replacement in replacements(work):
        text = re.sub(pattern, replacement, text)
    return cut(text)


def index_line(path, command):
    content = (CORPORA / path).read_bytes()
    shown = json.dumps(command)[1:-1]
    return "\t".join([path, path.split("/")[0], str(len(content)), hashlib.sha256(content).hexdigest()[:16], shown])


def main():
    names = sys.argv[1:]
    lines = ["path\tclass\tbytes\tsha256_16\tcommand"]
    missing = 0
    with tempfile.TemporaryDirectory(prefix="corpora-") as folder:
        work = pathlib.Path(folder)
        for class_name, name, command in OUTPUTS:
            path = f"{class_name}/{name}.txt"
            if not names or name in names:
                subprocess.run(["rm", "-rf", str(work / "tare"), str(work / "configured")], check=True)
                subprocess.run(["git", "clone", "-q", str(ROOT), str(work / "tare")], check=True)
                text = output_of(command, work)
                if len(text) < 200:
                    print(f"{path}: too little came out ({text.strip()[:80]!r}): left as it is", file=sys.stderr)
                    missing += 1
                else:
                    (CORPORA / class_name).mkdir(exist_ok=True)
                    (CORPORA / path).write_text(text)
            if (CORPORA / path).exists():
                lines.append(index_line(path, command))
    (CORPORA / "index.tsv").write_text("\n".join(lines) + "\n")
    sys.exit(missing > 0)


main()
