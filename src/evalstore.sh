#!/bin/sh
# The command `evalstore`, beside the directory `server` of a build. Sets the allocator of the C library, which reads its settings when a
# process begins (src/duckdb/README.md).
self=$0
# npm links to it.
while [ -L "$self" ]; do
  target=$(readlink "$self")
  case $target in
    /*) self=$target ;;
    *) self=$(dirname "$self")/$target ;;
  esac
done
MALLOC_ARENA_MAX=${MALLOC_ARENA_MAX:-2} MALLOC_MMAP_THRESHOLD_=${MALLOC_MMAP_THRESHOLD_:-131072}
export MALLOC_ARENA_MAX MALLOC_MMAP_THRESHOLD_
exec node "$(dirname "$self")/server/evalstore.cjs" "$@"
