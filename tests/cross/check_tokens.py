#!/usr/bin/env python3
"""Holds `tare tokens count` against tiktoken: check_tokens.py [--texts N] [--seed N] [FOLDER...]

Every file below the folders, and N random texts of all kinds of characters, must have the same o200k_base count. Needs
tiktoken (pip install tiktoken==0.14.0, outside this tree) and the ranks (tare tokens install).
"""

import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TIKTOKEN_NAME = "fb374d419588a4632f3f557e76b4b70aebbca790"

ALPHABETS = [
    "abcdefghijklmnopqrstuvwxyz",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "0123456789",
    " ",
    " \t\n\r\v\f\x1c\x1f\u0085\u00a0\u2003\u2028\u3000",
    "\n",
    "'",
    "!\"#$%&()*+,-./:;<=>?@[\\]^_`{|}~",
    "/\r\n",
    "äöüßéñçøåœ",
    "ÄÖÜÉÑÇØÅŒ",
    "ДжЯшΩλДЖ",
    "ǅǈǋᾈ",  # title case
    "ʰʲˠⁿ",  # modifier letters
    "日本語中文字한국어",
    "عربيעברית",
    "\u0301\u0308\u0903\u20dd",  # marks
    "٣४²½Ⅷ",  # numbers
    "😀🎉👩‍💻→€∑",
    "ſK\u017f",
]
WORDS = ["don't", "I'LL", "we've", "x'S", "'ſ", "HTTPServer", "camelCase", "snake_case", "  indent", "://", "</tag>",
         "\r\n\r\n", "1234567", "   \n  ", "0x7fff", "==========", "--------------------------------"]


def random_text(rng):
    parts = []
    for _ in range(rng.randrange(1, 40)):
        kind = rng.randrange(10)
        if kind == 0:
            parts.append(rng.choice(WORDS))
        elif kind == 1:
            code = rng.randrange(0x110000)
            parts.append(chr(code) if not 0xD800 <= code < 0xE000 else "?")
        else:
            alphabet = rng.choice(ALPHABETS)
            longest = rng.choice([1, 2, 3, 8, 8, 300 if rng.random() < 0.05 else 4])
            parts.append("".join(rng.choice(alphabet) for _ in range(rng.randrange(1, longest + 1))))
    text = "".join(parts).encode()
    if rng.random() < 0.1:  # what is not UTF-8
        place = rng.randrange(len(text) + 1)
        text = text[:place] + bytes(rng.randrange(128, 256) for _ in range(rng.randrange(1, 4))) + text[place:]
    return text


def counts_of_tare(tare, files):
    counts = []
    for begin in range(0, len(files), 1000):
        argv = [tare, "tokens", "count", *files[begin:begin + 1000]]
        lines = subprocess.run(argv, check=True, capture_output=True, text=True).stdout.splitlines()
        counts += [int(line.split("\t", 1)[0]) for line in lines]
    return counts


def tiktoken_encoding(tare):
    """tiktoken with the ranks that tare has."""
    import tiktoken
    ranks = pathlib.Path(os.environ.get("TARE_TOKEN_RANKS") or subprocess.run(
        [tare, "tokens", "install"], check=True, capture_output=True, text=True).stdout.rsplit(": ", 1)[0])
    with tempfile.TemporaryDirectory() as cache:
        (pathlib.Path(cache) / TIKTOKEN_NAME).symlink_to(ranks.resolve())
        os.environ["TIKTOKEN_CACHE_DIR"] = cache
        return tiktoken.get_encoding("o200k_base")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tare", default=str(ROOT / "build/release/bin/tare"))
    parser.add_argument("--texts", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("folders", nargs="*")
    options = parser.parse_args()
    encoding = tiktoken_encoding(options.tare)

    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        files = [str(f) for name in options.folders for f in sorted(pathlib.Path(name).rglob("*")) if f.is_file()]
        of_folders = len(files)
        for number in range(options.texts):
            file = pathlib.Path(folder) / str(number)
            file.write_bytes(random_text(rng))
            files.append(str(file))
        counts = counts_of_tare(options.tare, files)
        different, tokens = 0, 0
        for file, count in zip(files, counts, strict=True):
            text = pathlib.Path(file).read_bytes().decode("utf-8", "replace")
            expected = len(encoding.encode_ordinary(text))
            tokens += expected
            if count != expected:
                different += 1
                if different <= 10:
                    print(f"{file}: tare {count}, tiktoken {expected}: {text[:200]!r}")
    print(f"{of_folders} files and {options.texts} random texts (seed {options.seed}), {tokens} tokens: "
          f"{different} counted differently")
    sys.exit(different > 0)


main()
