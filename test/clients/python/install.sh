#!/bin/sh
# Creates the virtual environments in which the tests run Python programs: `install.sh [--newest | --pin] [environment...]`.
# `environments/<name>.in` names the packages of an environment, `<name>.txt` the versions of these and of all that they need.
# --newest installs the newest published versions, elsewhere; --pin writes these versions into `<name>.txt`.
set -e
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
environments="$here/environments"
folder="$root/.python"

mode=pinned
case "$1" in --newest | --pin) mode=${1#--} && shift ;; esac
[ $# -gt 0 ] || set -- $(cd "$environments" && ls *.in | sed 's/\.in$//')

python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2> /dev/null || {
  echo 'Python 3.11 or newer with venv is missing: apt-get install -y python3 python3-venv' >&2
  exit 1
}

export UV_PYTHON_DOWNLOADS=never UV_SYSTEM_CERTS=1
uv="$folder/uv/bin/uv"
if [ ! -x "$uv" ]; then
  rm -rf "$folder/uv"
  python3 -m venv "$folder/uv"
  "$folder/uv/bin/pip" install --quiet uv==0.13.9
fi
pin() {
  mkdir -p "$(dirname "$2")"
  "$uv" pip compile --quiet --upgrade --universal --python-version 3.11 --no-header --no-annotate \
    "$environments/$1.in" -o "$2"
}

for name in "$@"; do
  versions="$environments/$name.txt"
  installed="$folder/$mode/$name"
  if [ $mode = newest ]; then versions="$folder/newest/$name.txt"; fi
  if [ $mode != pinned ]; then pin "$name" "$versions"; fi
  if [ $mode = pin ]; then continue; fi
  # The list is copied last: an environment that has it is whole.
  if cmp -s "$versions" "$installed/versions.txt"; then continue; fi
  "$uv" venv --quiet --clear --python "$(command -v python3)" "$installed"
  "$uv" pip install --quiet --python "$installed/bin/python" -r "$versions"
  cp "$versions" "$installed/versions.txt"
done
