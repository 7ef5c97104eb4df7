#!/usr/bin/env python3
"""The compact form against its reference implementation, both ways, over generated texts.

usage: check_reference.py --form PATH/form.py [--proxy PATH/tare-proxy] [--seeds N]

Forms that the reference writes, at each of its levels, must expand with `tare-proxy expand` to the
same bytes; forms that `tare-proxy compact` writes, at each level, must expand with the reference to the
same bytes, unless they use what only this project's grammar has (counted).
Exit code 0: all equal. 1: a difference, or nothing compared.
"""
import argparse
import importlib.util
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "golden"))
sys.dont_write_bytecode = True
from texts import texts  # noqa: E402

SIZES = (24, 60)
LEVELS = ("plain", "standard", "full")
NEWER = re.compile(rb" JSON \([^)]*(flat|several documents|first \d+ raw)| inside a JSON string")
LIMIT_S = 60


def load(path):
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location("form", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def decoded(data):
    return data.decode("utf-8", "surrogateescape")


def encoded(text):
    return text.encode("utf-8", "surrogateescape")


class Check:
    def __init__(self, reference, proxy):
        self.reference, self.proxy = reference, proxy
        self.read, self.written, self.unchanged, self.newer, self.faults = 0, 0, 0, 0, 0

    def filter(self, data, *command):
        return subprocess.run([self.proxy, *command], input=data, capture_output=True,
                              timeout=LIMIT_S)

    def fault(self, name, what):
        self.faults += 1
        print("%s: %s" % (name, what))

    def forms_of_the_reference(self, name, original):
        seen = set()
        for level, options in self.reference.LEVELS.items():
            form, outcome = self.reference.compact(decoded(original), gate=False, **options)
            if outcome != "ok" or form in seen:
                continue
            seen.add(form)
            self.read += 1
            done = self.filter(encoded(form), "expand")
            if done.returncode != 0:
                self.fault(name, "%s form of the reference: %s" % (level, decoded(done.stderr).strip()))
            elif done.stdout != original:
                self.fault(name, "%s form of the reference expands to another text" % level)

    def form_of_the_proxy(self, name, original, level):
        done = self.filter(original, "compact", "--level", level)
        if done.returncode != 0:
            return self.fault(name, "compact: " + decoded(done.stderr).strip())
        if done.stdout == original:
            self.unchanged += 1
            return None
        if NEWER.search(done.stdout.split(b"\n", 1)[0]):
            self.newer += 1
            return None
        self.written += 1
        try:
            expanded = encoded(self.reference.expand(decoded(done.stdout)))
        except Exception as error:  # whatever the reference says of a form it cannot read
            return self.fault(name, "the reference cannot expand the proxy's form: %r" % error)
        if expanded != original:
            self.fault(name, "the reference expands the proxy's form to another text")
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--form", type=pathlib.Path, required=True)
    parser.add_argument("--proxy", type=pathlib.Path,
                        default=ROOT / "build" / "release" / "bin" / "tare-proxy")
    parser.add_argument("--seeds", type=int, default=2)
    options = parser.parse_args()
    if not options.form.exists():
        print("%s: not found" % options.form)
        return 1
    if not options.proxy.exists():
        print("%s: not found; build it with: cmake --build --preset release --target tare-proxy"
              % options.proxy)
        return 1
    check = Check(load(options.form), str(options.proxy))
    for seed in range(11, 11 + options.seeds):
        for size in SIZES:
            for name, original in texts(seed, size).items():
                name = "%s (seed %d, size %d)" % (name, seed, size)
                check.forms_of_the_reference(name, original)
                for level in LEVELS:
                    check.form_of_the_proxy(name, original, level)
    print("forms of the reference read: %d; forms of the proxy read by the reference: %d "
          "(texts left as they are: %d, forms of a newer grammar: %d); differences: %d"
          % (check.read, check.written, check.unchanged, check.newer, check.faults))
    return 1 if check.faults or not check.read or not check.written else 0


if __name__ == "__main__":
    sys.exit(main())
