# For installers of arms that are Python packages with a hash lock beside them; sourced by them.
#   . ../pypi.sh
#   install_locked "HeadRoom" FOLDER [WEIGHT]      FOLDER/venv from ./requirements.lock; at once when that lock is there already
#   print_identity DISTRIBUTION FOLDER [DEGRADED]  the identity as JSON on stdout
# All else goes to stderr.
set -euo pipefail
exec 3>&1 1>&2

lock=$PWD/requirements.lock
lock_sha256=$(sha256sum "$lock" | cut -d' ' -f1)

# The locks' wheels are for CPython 3.11 on linux x86_64.
fits() { "$1" -c 'import ensurepip, platform, sys, venv
sys.exit(sys.version_info[:2] != (3, 11) or platform.machine() != "x86_64" or sys.platform != "linux")' 2>/dev/null; }

find_python() {
  for candidate in /usr/bin/python3 /usr/bin/python3.11 python3.11 python3; do
    if fits "$candidate"; then echo "$candidate"; return; fi
  done
  echo "$1's hash lock needs CPython 3.11 with venv on linux x86_64; on Debian 12 type: sudo apt-get install -y python3 python3-venv" >&2
  exit 3
}

install_locked() {
  local title=$1 folder=$2 weight=${3:-} python
  [ "$(cat "$folder/stamp" 2>/dev/null)" != "$lock_sha256" ] || return 0
  python=$(find_python "$title")
  echo "$title: installing $(grep -c '==' "$lock") locked packages${weight:+; $weight}"
  rm -rf "$folder/venv" "$folder/stamp"
  "$python" -m venv "$folder/venv"
  "$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check --upgrade 'pip >= 26'
  "$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps --only-binary :all: -r "$lock"
  echo "$lock_sha256" > "$folder/stamp"
}

print_identity() {
  local folder=$2
  "$folder/venv/bin/python" - "$1" "$lock_sha256" "${3:-}" >&3 <<'PY'
import importlib.metadata, json, platform, sys
name, lock, degraded = sys.argv[1:]
print(json.dumps({"version": importlib.metadata.version(name), "files": {"requirements.lock": lock},
                  "python": platform.python_version(), "degraded": [degraded] if degraded else []}))
PY
}
