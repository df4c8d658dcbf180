#!/usr/bin/env bash
# Sets up everything that building, auditing and testing need, inside this folder:
# Debian's packages (as root, else it says which are missing), .venv with torch and
# the test tools, Bazel's pointer to that Python, the built wheel in .venv.
#
#   bash bazel/setup.sh
#
# Safe to run again at any time: what is there already is left as it is. Takes
# KWKER_BASE_PYTHON (a CPython 3.11 to make .venv from) from the environment.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf 'setup: %s\n' "$*" >&2; }
fail() { say "$*"; exit 2; }

[ "$(uname -sm)" = "Linux x86_64" ] || fail "needs Linux on x86-64, this is $(uname -sm)"
case $PWD in *[[:space:]]*) fail "the path of this folder has blanks, which Bazel cannot take: $PWD" ;; esac
[ -r /etc/debian_version ] || fail "needs Debian 12 or 13 (apt); on other systems see bazel/README.md"

# --- Debian's packages ------------------------------------------------------------
# shellcheck source=/dev/null
codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
boost=; [ "$codename" != bookworm ] || boost=1.81 # 12's default is too old for C++20
packages=(
  bazel-bootstrap bazel-rules-java g++ git
  libcli11-dev nlohmann-json3-dev libxxhash-dev libfmt-dev
  "libboost${boost}-dev" "libboost-filesystem${boost}-dev"
  libgtest-dev libbenchmark-dev
)

is_311() {
  [ -n "$1" ] && "$1" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11) or sys.implementation.name != "cpython")' 2>/dev/null
}
find_python() {
  local candidate
  for candidate in "${KWKER_BASE_PYTHON:-}" python3.11 python3 /usr/bin/python3.11; do
    candidate=$(command -v "$candidate" 2>/dev/null || true)
    if is_311 "$candidate"; then echo "$candidate"; return; fi
  done
}
if [ -n "${KWKER_BASE_PYTHON:-}" ] && ! is_311 "$KWKER_BASE_PYTHON"; then
  fail "KWKER_BASE_PYTHON is not a CPython 3.11: $KWKER_BASE_PYTHON"
fi
python=$(find_python)
if [ -z "$python" ] || [ "$(readlink -f "$python")" = /usr/bin/python3.11 ]; then
  # Debian 12's own Python, with its headers (which bring libpython).
  if [ "$codename" = bookworm ]; then
    packages+=(python3 python3-venv python3-dev)
  elif [ -z "$python" ]; then
    fail "no CPython 3.11 found, and Debian's archive for '$codename' has none: install one and name it, KWKER_BASE_PYTHON=/path/to/python3.11 bash bazel/setup.sh"
  fi
fi

missing=()
for package in "${packages[@]}"; do
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
done
if [ "${#missing[@]}" -gt 0 ]; then
  if [ "$(id -u)" != 0 ]; then
    say "Debian packages are missing; install them and run this again:"
    echo "sudo apt-get install --no-install-recommends ${missing[*]}"
    exit 2
  fi
  say "installing Debian packages: ${missing[*]}"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >apt.log 2>&1 ||
    { tail -n 5 apt.log >&2; fail "apt-get failed (all of its output: apt.log)"; }
  rm -f apt.log
fi
python=$(find_python)
[ -n "$python" ] || fail "no CPython 3.11 on PATH"

# --- .venv ------------------------------------------------------------------------
venv=$PWD/.venv
if ! is_311 "$venv/bin/python" || ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
  say "making .venv from $python"
  rm -rf "$venv"
  "$python" -m venv "$venv" >&2 || fail "$python cannot make virtual environments (Debian: apt-get install python3-venv)"
fi
stamp=$venv/.requirements
if ! cmp -s bazel/requirements.txt "$stamp"; then
  say "installing torch and the tools of bazel/requirements.txt into .venv (some minutes)"
  PIP_DISABLE_PIP_VERSION_CHECK=1 "$venv/bin/python" -m pip install --quiet --requirement bazel/requirements.txt >&2
  cp bazel/requirements.txt "$stamp"
fi

# torchvision's wheel may be built for another torch (CUDA), then its C++ operators do not load.
if ! "$venv/bin/python" -c 'import torchvision' 2>/dev/null; then
  say "making torchvision importable beside this torch"
  site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  cp bazel/torchvision_operators.py "$site/_torchvision_operators.py"
  echo 'import _torchvision_operators' >"$site/_torchvision_operators.pth"
  "$venv/bin/python" -c 'import torchvision.transforms.v2' || fail "torchvision cannot be imported"
fi

# --- build ------------------------------------------------------------------------
line="common --repo_env=KWKER_PYTHON=$venv/bin/python"
grep -qxF "$line" user.bazelrc 2>/dev/null || {
  [ ! -f user.bazelrc ] || sed -i '/--repo_env=KWKER_PYTHON=/d' user.bazelrc
  echo "$line" >>user.bazelrc
}
# Bazel keeps what it knows of the Python until it is told; a new torch or a
# package that was missing would go unseen.
facts=$(cat bazel/requirements.txt "$venv/pyvenv.cfg"; printf '%s\n' "${packages[@]}" "$venv")
if [ "$facts" != "$(cat "$venv/.bazel-facts" 2>/dev/null)" ]; then
  bazel sync --configure >/dev/null 2>&1 || true
  printf '%s\n' "$facts" >"$venv/.bazel-facts"
fi
say "building (the first time some minutes)"
bazel build --config=quiet //:kwker ||
  { say "the build failed; its messages are above"; exit 1; }
wheel=$(find -L bazel-bin -maxdepth 1 -name 'kwker-*.whl' -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d ' ' -f 2-)
[ -n "$wheel" ] || fail "the build left no wheel in bazel-bin"
sum=$(sha256sum <"$wheel")
if [ "$sum" != "$(cat "$venv/.wheel" 2>/dev/null)" ] || ! [ -x "$venv/bin/kwker" ]; then
  say "installing $(basename "$wheel") into .venv"
  PIP_DISABLE_PIP_VERSION_CHECK=1 "$venv/bin/python" -m pip install --quiet --no-deps --force-reinstall "$wheel" >&2
  echo "$sum" >"$venv/.wheel"
fi
say "ready: .venv/bin/kwker"
