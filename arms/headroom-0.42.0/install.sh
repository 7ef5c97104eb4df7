#!/usr/bin/env bash
# Installs HeadRoom into FOLDER/venv from the hash lock beside this script: install.sh FOLDER
. ../pypi.sh
install_locked HeadRoom "$1" "about a minute, 1 GB"

# The model of its text compressor comes from a model hub: whoever has it names the hub's folder in HF_HOME.
[ -z "${HF_HOME:-}" ] || ln -sfn "$(realpath "$HF_HOME")" "$1/hf"

"$1/venv/bin/python" ../headroom-0.37.0/identity.py "$1" "$lock_sha256" >&3
