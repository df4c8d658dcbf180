#!/usr/bin/env bash
# Sets everything up, then audits a real training run: a character-level
# transformer that learns the text of Python's own standard library with AdamW.
# Ends with exit status 0 if all outputs are equal to the bit.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bash bazel/setup.sh
exec .venv/bin/kwker audit --require-equal --max-time 150 "$@" -- testdata/char_transformer.py --epochs 1
