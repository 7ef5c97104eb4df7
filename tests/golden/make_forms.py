#!/usr/bin/env python3
"""Writes forms/NAME.txt and forms/NAME.LEVEL.form with the reference implementation of the form.

usage: make_forms.py PATH/form.py

Run once; the results are committed and expand_golden_test.cpp expands each. Forms that two levels
write alike are kept once. The reference's own gate is off, so that small gains are there too.
"""
import importlib.util
import pathlib
import re
import sys

from texts import texts

# Texts that use the rarer parts of the form are there in a second size.
TWICE = ("heartbeat-log counters aligned-counters test-run cycles-of-two-lines repeated-blocks "
         "several-repeats same-values long-names marks-in-text").split()
HERE = pathlib.Path(__file__).resolve().parent


def load(path):
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location("form", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    reference = load(pathlib.Path(sys.argv[1]))
    folder = HERE / "forms"
    folder.mkdir(exist_ok=True)
    for old in [*folder.glob("*.form"), *folder.glob("*.txt")]:
        old.unlink()
    pairs, size, features = 0, 0, {}
    made = texts(seed=1, size=36)
    again = texts(seed=2, size=60)
    made.update({name + "-longer": again[name] for name in TWICE})
    for name, original in made.items():
        seen = set()
        for level, options in reference.LEVELS.items():
            text = original.decode("utf-8", "surrogateescape")
            form, outcome = reference.compact(text, gate=False, **options)
            if outcome != "ok" or form in seen:
                print("%s, %s: %s" % (name, level, outcome if outcome != "ok" else "as before"))
                continue
            seen.add(form)
            written = form.encode("utf-8", "surrogateescape")
            (folder / ("%s.%s.form" % (name, level))).write_bytes(written)
            pairs, size = pairs + 1, size + len(written)
            for feature in re.findall(r": (.*)\]", form.split("\n", 1)[0]):
                for words in feature.split("; "):
                    features[words] = features.get(words, 0) + 1
        if seen:
            (folder / (name + ".txt")).write_bytes(original)
            size += len(original)
    for words, count in sorted(features.items(), key=lambda item: -item[1]):
        print("%4d  %s" % (count, words))
    print("%d pairs, %d bytes" % (pairs, size))


if __name__ == "__main__":
    main()
