#!/bin/sh
# npm run bench -- [name] [options]: builds the server and the benchmarks, and runs bench/<name>.ts; without a name bench/main.ts.
set -e
name=main
case ${1:--} in
  -*) ;;
  *) name=$1; shift ;;
esac
# The first line of one says so.
if ! head -1 "bench/$name.ts" 2> /dev/null | grep -q '^// npm run bench'; then
  echo "no benchmark is called $name" >&2
  exit 1
fi
npm run --silent build
npx tsc -p bench
exec node "bench/dist/$name.js" "$@"
