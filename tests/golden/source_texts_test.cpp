// The table of what counts as source code, so that a file read for editing stays verbatim, and what
// does not.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/wire/source_text.h"
#include "tests/support/generated_texts.h"
#include "tests/support/published_texts.h"

using tare::wire::is_source;

namespace {

struct Example {
  std::string_view name;
  std::string_view text;
};

const std::vector<Example> source = {
    {"C++", R"(#include "queue.h"

// Takes the oldest job.
Job Queue::take() {
  std::unique_lock lock(mutex_);
  ready_.wait(lock, [&] { return !jobs_.empty(); });
  Job job = std::move(jobs_.front());
  jobs_.pop_front();
  return job;
}
)"},
    {"a header that is mostly comment", R"(/*
 * Jobs that wait for a worker.
 *
 * A queue may be used from several threads at once; it
 * owns what is in it until somebody takes it out.
 */
#ifndef QUEUE_H
#define QUEUE_H
# define QUEUE_DEPTH 64
struct queue;
struct queue *queue_new(void);
int queue_push(struct queue *queue, int job);
#endif
)"},
    {"Python", R"(import sys
from pathlib import Path


def count(path: Path) -> int:
    """Lines of a file.

    Blank ones are not counted, as they say nothing about
    the size of what has to be read.
    """
    lines = path.read_text().splitlines()
    return sum(1 for line in lines if line.strip())


for name in sys.argv[1:]:
    print(name, count(Path(name)))
)"},
    {"numbered, as cat -n prints it",
     "     1\tpackage queue\n     2\t\n     3\tfunc (q *Queue) Len() int {\n     4\t\tq.mu.Lock()\n"
     "     5\t\tdefer q.mu.Unlock()\n     6\t\treturn len(q.jobs)\n     7\t}\n"},
    {"numbered, with an arrow",
     "    10→  const jobs = [];\n    11→  return {\n    12→    push(job) {\n"
     "    13→      jobs.push(job);\n    14→    },\n    15→  };\n    16→}\n"},
    {"numbered, with a colon",
     "1: fn main() {\n2:     let jobs = read_jobs();\n3:     for job in jobs {\n"
     "4:         println!(\"{job}\");\n5:     }\n6: }\n"},
    {"a piece from the middle",
     "    }\n    if (depth > limit) {\n      return false;\n    }\n"
     "    depth += 1;\n    queue.push(next);\n"},
    {"TypeScript", R"(import { Job } from "./job";

export class Queue<T extends Job> {
  private jobs: T[] = [];

  push(job: T): void {
    this.jobs.push(job);
  }
}
)"},
    {"Rust", R"(use std::collections::VecDeque;

impl Queue {
    pub fn take(&mut self) -> Option<Job> {
        self.jobs.pop_front()
    }
}
)"},
    {"Java", R"(package queue;

public final class Queue {
  private final List<Job> jobs = new ArrayList<>();

  @Override
  public String toString() {
    return jobs.toString();
  }
}
)"},
    {"Ruby", R"(require "set"

class Queue
  def initialize
    @jobs = []
  end

  def push(job)
    @jobs << job
  end
end
)"},
    {"a shell script", "#!/bin/sh\nset -eu\ncd \"$(dirname \"$0\")\"\nmake all\n"},
    {"SQL", R"(-- jobs that wait
CREATE TABLE job (
  id INTEGER PRIMARY KEY,
  state TEXT NOT NULL
);
CREATE INDEX job_state ON job (state);
INSERT INTO job (state) VALUES ('new');
)"},
    {"CMake", R"(add_library(queue queue.cpp)
target_link_libraries(queue PUBLIC threads)
if(BUILD_TESTING)
  add_subdirectory(tests)
endif()
)"},
    {"CSS", ".job {\n  color: #333;\n  margin: 0;\n}\n.job:hover {\n  color: #000;\n}\n"},
    {"HTML",
     "<!doctype html>\n<html>\n<body>\n<ul class=\"jobs\">\n<li>one</li>\n</ul>\n</body>\n"
     "</html>\n"},
    {"with a shell's lines in front",
     "Chunk ID: 3f2a\nWall time: 0.05 seconds\nProcess exited with code 0\nOutput:\n"
     "int push(int job) {\n  if (full()) {\n    return -1;\n  }\n  jobs[size++] = job;\n"
     "  return 0;\n}\nint take(void) {\n  return jobs[--size];\n}\n"},
    {"an enumeration with dates in its comments",
     "// 2026-05-01: first\nenum State {\n  waiting = 0,\n  running = 1,\n  done = 2,\n};\n"
     "State next(State state);\n"},
};

const std::vector<Example> other = {
    {"nothing", ""},
    {"one line", "int n = 0;\n"},
    {"prose",
     "The queue keeps its jobs in the order in which they came.\n"
     "For each worker there is one thread; if it fails, another one\n"
     "takes its place. This is how it was meant to be used.\n"},
    {"Markdown",
     "# Queue\n\nJobs wait here.\n\n## Use\n\n- push a job\n- take it again\n\n"
     "See the manual for what the limits are, and why.\n"},
    {"a log",
     "2026-05-01T10:00:00Z INFO job=1 state=done;\n2026-05-01T10:00:01Z INFO job=2 {}\n"
     "2026-05-01T10:00:02Z INFO job=3 state=done;\n"},
    {"a system journal",
     "Aug 27 10:00:01 host queue[12]: job(1);\n"
     "Aug 27 10:00:02 host queue[12]: job(2);\n"
     "Aug 27 10:00:03 host queue[12]: job(3);\n"},
    {"rows of a search",
     "src/queue.ts:1:export const A = true;\nsrc/queue.ts:2:export const B = 2;\n"
     "src/other.ts:9:export const C = false;\n"},
    {"rows of a search with context",
     "src/a.c-8-int f(void) {\nsrc/a.c:9:  return 1;\nsrc/a.c-10-}\n--\nsrc/b.c-1-int g(void);\n"},
    {"JSON",
     "{\n  \"name\": \"queue\",\n  \"files\": [\n    \"a.js\"\n  ],\n  \"main\": \"a.js\"\n}\n"},
    {"numbered JSON", "     1\t[\n     2\t  {\n     3\t    \"id\": 1\n     4\t  }\n     5\t]\n"},
    {"a piece of JSON",
     "    \"a\": {\n      \"b\": 1,\n      \"c\": 2\n    },\n    \"d\": {\n"
     "      \"e\": 3\n    },\n"},
    {"one JSON object a line", "{\"id\":1,\"ok\":true}\n{\"id\":2,\"ok\":true}\n{\"id\":3}\n"},
    {"YAML",
     "name: queue\non:\n  push:\n    branches: [main]\njobs:\n  test:\n    steps:\n"
     "      - uses: checkout\n"},
    {"CSV", "id,name,state\n1,one,done\n2,two,done\n3,three,waiting\n"},
    {"a listing",
     "total 12\n-rw-r--r-- 1 root root  812 Nov 30 14:54 queue.c\n"
     "-rw-r--r-- 1 root root 1020 Nov 30 14:54 queue.h\n"},
    {"pairs of a log",
     "job=1 state=done took=12\njob=2 state=done took=9\njob=3 state=lost took=0\n"},
    {"system calls",
     "openat(AT_FDCWD, \"/etc/passwd\", O_RDONLY) = 3\nread(3, \"root\", 4096) = 4096\n"
     "close(3)                                = 0\nexit_group(0) = ?\n"},
    {"a traceback",
     "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\n"
     "    main()\n  File \"a.py\", line 2, in main\n    take(queue)\n"
     "  File \"b.py\", line 7, in take\n    raise Empty()\nEmpty: nothing waits\n"},
    {"a test run",
     "=== RUN   TestPush\n--- PASS: TestPush (0.00s)\n=== RUN   TestTake\n"
     "--- PASS: TestTake (0.01s)\nok\n"},
};

}  // namespace

TEST_CASE("what counts as source code") {
  for (const auto& example : source) {
    INFO(example.name);
    CHECK(is_source(example.text));
  }
}

TEST_CASE("what does not count as source code") {
  for (const auto& example : other) {
    INFO(example.name);
    CHECK_FALSE(is_source(example.text));
  }
}

TEST_CASE("no published text counts as source code, and neither do generated outputs") {
  for (const auto task : tare::test::published_tasks) {
    for (int index = 0; index < 45; ++index) {
      INFO(task << " " << index);
      CHECK_FALSE(is_source(tare::test::published_text(task, index).text));
    }
  }
  tare::test::Random random(1);
  for (const auto& kind : tare::test::text_classes) {
    if (kind.name == "mixed" || kind.name == "diff") continue;  // these may hold source
    for (int i = 0; i < 20; ++i) {
      const auto text = tare::test::make_text(kind, random);
      INFO(kind.name << "\n" << text);
      CHECK(is_source(text) == (kind.name == "source"));
    }
  }
}

TEST_CASE("a very long line, a million lines and odd bytes are looked at quickly") {
  CHECK_FALSE(is_source(std::string(10 << 20, '{')));
  CHECK(is_source([] {
    std::string text;
    for (int i = 0; i < 200'000; ++i) text += "  x = f(x);\n";
    return text;
  }()));
  CHECK_FALSE(is_source("\x00\xff\xfe\n\r\n\t\n\x80\n"));
}
