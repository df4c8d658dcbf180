#!/usr/bin/env bash
# Sets everything up, runs all tests, and closes with a line "N passed, N failed".
# Arguments are passed on to `bazel test`.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bash bazel/setup.sh || { echo "0 passed, 1 failed"; exit 1; }
events=$(mktemp)
trap 'rm -f "$events"' EXIT
bazel test --keep_going --noshow_progress --build_event_json_file="$events" "$@" //...
status=$?
.venv/bin/python tests/summary.py "$events" "$status"
