#!/bin/sh
# Installs the program of the npm package @llmtrim/linux-x64, which @llmtrim/cli only wraps, as FOLDER/llmtrim: install.sh FOLDER
# At once when it is there already. Prints its identity as JSON on stdout; all else goes to stderr.
set -eu
exec 3>&1 1>&2

version=0.13.4
integrity=VzY5X1Kcljd782EvNS7Gw7gABcFnOMEK7OwIGJzSBth8O0pCXJBp3l/hdFkf9xZx3tu/9YNHVLsjglZLzJEN6A==
package="@llmtrim/linux-x64@$version"
folder=$1

if [ "$(uname -sm)" != "Linux x86_64" ]; then
  echo "llmtrim is installed here for linux x86_64 only"
  exit 3
fi
if [ "$(cat "$folder/stamp" 2>/dev/null)" != "$integrity" ]; then
  if ! command -v npm >/dev/null; then
    echo "npm is not here, which fetches $package; type: sudo apt-get install -y npm"
    exit 3
  fi
  echo "llmtrim: fetching $package, 15 MB"
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  (cd "$scratch" && npm pack --silent "$package" >/dev/null)
  archive=$(echo "$scratch"/*.tgz)
  found=$(openssl dgst -sha512 -binary "$archive" | base64 -w0)
  if [ "$found" != "$integrity" ]; then
    echo "$package is not what was pinned: sha512-$found"
    exit 1
  fi
  tar -xzf "$archive" -C "$scratch" package/bin/llmtrim
  mv "$scratch/package/bin/llmtrim" "$folder/llmtrim"
  chmod +x "$folder/llmtrim"
  echo "$integrity" > "$folder/stamp"
fi

sha256=$(sha256sum "$folder/llmtrim" | cut -d' ' -f1)
printf '{"version": "%s", "files": {"llmtrim": "%s"}, "integrity": "sha512-%s"}\n' "$version" "$sha256" "$integrity" >&3
