#!/usr/bin/env bash
# Installs entroly into FOLDER/venv from the hash lock beside this script: install.sh FOLDER
. ../pypi.sh
install_locked entroly "$1"
print_identity entroly "$1"
