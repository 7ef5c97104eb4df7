"""Prints what was installed as one line of JSON: identity.py FOLDER LOCK_SHA256

Also links the tokenizer ranks into FOLDER/ranks when a package of the lock ships them unchanged, so that HeadRoom finds
them without a network.
"""

import hashlib
import importlib.metadata
import json
import pathlib
import platform
import sys

# Name in tiktoken's cache -> sha256 of the ranks: o200k_base, cl100k_base.
RANKS = {
    "fb374d419588a4632f3f557e76b4b70aebbca790": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "9b5ad71b2ce5302211f9c61530b329a4922fc6a4": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
}
WEIGHTS = "hub/models--chopratejas--kompress-v2-base"


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def link_ranks(folder):
    """Whether every file of RANKS now stands in folder/ranks."""
    shipped = pathlib.Path(importlib.metadata.distribution("litellm").locate_file("litellm/litellm_core_utils/tokenizers"))
    ranks = folder / "ranks"
    ranks.mkdir(exist_ok=True)
    for name, expected in RANKS.items():
        source, link = shipped / name, ranks / name
        link.unlink(missing_ok=True)
        if source.is_file() and sha256(source) == expected:
            link.symlink_to(source)
    return all((ranks / name).exists() for name in RANKS)


def main():
    folder, lock_sha256 = pathlib.Path(sys.argv[1]), sys.argv[2]
    degraded = []
    if not (folder / "hf" / WEIGHTS).is_dir():
        degraded.append("without Kompress weights")
    if not link_ranks(folder):
        degraded.append("without tokenizer ranks")
    print(json.dumps({
        "version": importlib.metadata.version("headroom-ai"),
        "files": {"requirements.lock": lock_sha256},
        "python": platform.python_version(),
        "degraded": degraded,
    }))


main()
