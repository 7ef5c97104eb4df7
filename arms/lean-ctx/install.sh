#!/bin/sh
# Builds lean-ctx from its crate into FOLDER/bin: install.sh FOLDER. Over half an hour, and 8 GB while it builds.
# At once when it is there already. Prints its identity as JSON on stdout; all else goes to stderr.
set -eu
exec 3>&1 1>&2

version=3.12.0
folder=$1
if [ "$(cat "$folder/stamp" 2>/dev/null)" != "$version" ]; then
  if ! command -v cargo >/dev/null; then
    echo "cargo is not here, which builds lean-ctx; type: sudo apt-get install -y cargo"
    exit 3
  fi
  # Its lock file does not build: what its dependencies are stands in the identity, by the program's hash only.
  CARGO_TARGET_DIR="$folder/target" cargo install lean-ctx --version "=$version" --root "$folder" --quiet
  rm -rf "$folder/target"
  echo "$version" > "$folder/stamp"
fi
sha256=$(sha256sum "$folder/bin/lean-ctx" | cut -d' ' -f1)
printf '{"version": "%s", "files": {"lean-ctx": "%s"}, "degraded": ["built without its lock"]}\n' "$version" "$sha256" >&3
