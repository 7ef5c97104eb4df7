#!/usr/bin/env bash
# Installs Kompact into FOLDER/venv from the hash lock beside this script: install.sh FOLDER
. ../pypi.sh
install_locked Kompact "$1"
print_identity kompact "$1"
