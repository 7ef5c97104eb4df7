#!/bin/sh
# Looks for the distribution's nginx and links it as FOLDER/nginx: install.sh FOLDER
. ../distribution.sh
install_program nginx nginx-light "$1"
print_identity nginx "$(nginx -v 2>&1 | sed 's/^nginx version: //')"
