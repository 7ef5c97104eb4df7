#!/usr/bin/env bash
# Installs HeadRoom into FOLDER/venv from the hash lock beside this script: install.sh FOLDER
# At once when that lock is there already. Prints its identity as JSON on stdout; all else goes to stderr.
set -euo pipefail
exec 3>&1 1>&2

here=$(cd "$(dirname "$0")" && pwd)
folder=$1
lock="$here/requirements.lock"
lock_sha256=$(sha256sum "$lock" | cut -d' ' -f1)

# The lock's wheels are for CPython 3.11 on linux x86_64.
fits() { "$1" -c 'import ensurepip, platform, sys, venv
sys.exit(sys.version_info[:2] != (3, 11) or platform.machine() != "x86_64" or sys.platform != "linux")' 2>/dev/null; }
python=""
for candidate in /usr/bin/python3 /usr/bin/python3.11 python3.11 python3; do
  if fits "$candidate"; then python=$candidate; break; fi
done
if [ -z "$python" ]; then
  echo "HeadRoom's hash lock needs CPython 3.11 with venv on linux x86_64; on Debian 12 type: sudo apt-get install -y python3 python3-venv"
  exit 3
fi

venv="$folder/venv"
stamp="$folder/stamp"
if [ "$(cat "$stamp" 2>/dev/null)" != "$lock_sha256" ]; then
  echo "HeadRoom: installing $(grep -c '==' "$lock") locked packages; about a minute, 1 GB"
  rm -rf "$venv" "$stamp"
  "$python" -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --upgrade 'pip >= 26'
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps --only-binary :all: -r "$lock"
  echo "$lock_sha256" > "$stamp"
fi

# The model of its text compressor comes from a model hub: whoever has it names the hub's folder in HF_HOME.
[ -z "${HF_HOME:-}" ] || ln -sfn "$(realpath "$HF_HOME")" "$folder/hf"

"$venv/bin/python" "$here/identity.py" "$folder" "$lock_sha256" >&3
