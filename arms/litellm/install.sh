#!/usr/bin/env bash
# Installs LiteLLM into FOLDER/venv from the hash lock beside this script: install.sh FOLDER
. ../pypi.sh
install_locked LiteLLM "$1"
print_identity litellm "$1"
