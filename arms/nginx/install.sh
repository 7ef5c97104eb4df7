#!/bin/sh
# Looks for the distribution's nginx, installs it when that may be done here, and links it as FOLDER/nginx: install.sh FOLDER
# Prints its identity as JSON on stdout; all else goes to stderr.
set -eu
exec 3>&1 1>&2

PATH="$PATH:/usr/sbin:/sbin"
if ! command -v nginx >/dev/null; then
  install="apt-get install -y --no-install-recommends nginx-light"
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "nginx is not here; type: sudo $install"
    exit 3
  fi
  # The package would start a server of its own unless a policy says no; the harness starts nginx itself.
  policy=/usr/sbin/policy-rc.d
  if [ ! -e "$policy" ]; then
    trap 'rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' > "$policy"
    chmod +x "$policy"
  fi
  apt-get update -q
  DEBIAN_FRONTEND=noninteractive $install
fi

program=$(command -v nginx)
ln -sfn "$program" "$1/nginx"
version=$(nginx -v 2>&1 | sed 's/^nginx version: //')
sha256=$(sha256sum "$program" | cut -d' ' -f1)
printf '{"version": "%s", "files": {"nginx": "%s"}}\n' "$version" "$sha256" >&3
