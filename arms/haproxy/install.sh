#!/bin/sh
# Looks for the distribution's haproxy and links it as FOLDER/haproxy: install.sh FOLDER
. ../distribution.sh
install_program haproxy haproxy "$1"
print_identity haproxy "$(haproxy -v | sed -n 's/^HAProxy version \([^ ]*\).*/haproxy\/\1/p')"
