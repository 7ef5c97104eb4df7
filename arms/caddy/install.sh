#!/bin/sh
# Looks for the distribution's caddy and links it as FOLDER/caddy: install.sh FOLDER
. ../distribution.sh
install_program caddy caddy "$1"
print_identity caddy "caddy/$(caddy version | cut -d' ' -f1)"
