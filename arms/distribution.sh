# For installers of arms that are programs of the distribution; sourced by them.
#   install_program PROGRAM PACKAGE FOLDER      looks for it, installs it when that may be done here, links it as FOLDER/PROGRAM
#   print_identity PROGRAM VERSION              the identity as JSON on stdout
# All else goes to stderr.
set -eu
exec 3>&1 1>&2
PATH="$PATH:/usr/sbin:/sbin"

install_program() {
  if ! command -v "$1" >/dev/null; then
    install="apt-get install -y --no-install-recommends $2"
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
      echo "$1 is not here; type: sudo $install"
      exit 3
    fi
    # The package would start a server of its own unless a policy says no; the harness starts the program itself.
    policy=/usr/sbin/policy-rc.d
    if [ ! -e "$policy" ]; then
      trap 'rm -f "$policy"' EXIT
      printf '#!/bin/sh\nexit 101\n' > "$policy"
      chmod +x "$policy"
    fi
    apt-get update -q
    DEBIAN_FRONTEND=noninteractive $install
    # Nor at the next boot.
    systemctl disable --quiet "$1.service" 2>/dev/null || true
  fi
  ln -sfn "$(command -v "$1")" "$3/$1"
}

print_identity() {
  sha256=$(sha256sum "$(command -v "$1")" | cut -d' ' -f1)
  printf '{"version": "%s", "files": {"%s": "%s"}}\n' "$2" "$1" "$sha256" >&3
}
