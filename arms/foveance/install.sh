#!/usr/bin/env bash
# Installs foveance into FOLDER/venv from the hash lock beside this script: install.sh FOLDER
. ../pypi.sh
install_locked foveance "$1"
print_identity foveance "$1"
