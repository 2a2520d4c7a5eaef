#!/usr/bin/env bash
# tools/debian_python.sh VERSION FOLDER [SUITE]: unpacks a CPython that this Debian is too old for, with its headers, from the
# packages of a newer one (sid), for PADDLE_PYTHONS. It has a C library and a loader of its own; nothing is installed.
set -euo pipefail
version="${1:?expected a version, as 3.14}" folder="$(mkdir -p "${2:?expected a folder}" && cd "$2" && pwd)" suite="${3:-sid}"

command -v patchelf >/dev/null || {
  sudo=""
  [ "$(id -u)" = 0 ] || sudo=sudo
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends patchelf >/dev/null
}
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{lists,cache/archives}/partial
: >"$work/status"
: >"$work/apt.conf"
mirror="$(apt-get indextargets --format '$(REPO_URI)' | grep -E '/debian/?$' | sort -u | head -1)"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$work/sources.list"
apt=(apt-get -qq -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=/dev/null
     -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null -o Dir::State::lists="$work/lists"
     -o Dir::State::status="$work/status" -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root)
"${apt[@]}" update
"${apt[@]}" install -y --no-install-recommends --download-only "python$version" "libpython$version-dev" "python$version-venv" >/dev/null
for package in "$work"/cache/archives/*.deb; do dpkg -x "$package" "$folder"; done

usr="$folder/usr" libraries="$folder/usr/lib/x86_64-linux-gnu" python="$folder/usr/bin/python$version"
patchelf --set-interpreter "$libraries/ld-linux-x86-64.so.2" --force-rpath --set-rpath "$libraries" "$python"
# What Debian keeps elsewhere: the header that is chosen by architecture, and the wheel of pip for `venv`.
cp "$usr/include/x86_64-linux-gnu/python$version/pyconfig.h" "$usr/include/python$version/pyconfig.h"
sed -i "s|/usr/share/python-wheels/|$usr/share/python-wheels/|" \
  "$usr/lib/python$version"/_sysconfigdata__*.py "$usr/lib/python$version"/_sysconfig_vars__*.json
rm -f "$usr/lib/python$version/EXTERNALLY-MANAGED" "$usr/lib/python$version/ensurepip/__pycache__"/*
"$python" -c 'import ctypes, ssl'
echo "$python"
