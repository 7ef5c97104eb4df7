#!/usr/bin/env bash
# Installs leantokens into FOLDER/venv from the hash lock beside this script: install.sh FOLDER
. ../pypi.sh
install_locked leantokens "$1"
print_identity leantokens "$1"
