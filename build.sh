#!/bin/sh
# Compiles into a new directory, to which the link `dist` then leads: a server that runs loads some files when it first
# needs them, and has to find those that it was started from. The directories of the last builds are kept for that.
set -e
kept=4

# The parser, from the grammar.
npx antlr-ng -Dlanguage=TypeScript -v true -l false -o src/query/generated -- grammar/QueryLexer.g4 grammar/QueryParser.g4

new=$(mktemp -d dist.XXXXXX)
trap 'rm -rf "$new"' EXIT
chmod 755 "$new"
# The console: checked with settings of its own, and bundled into files whose names are hashes of their content.
npx tsc -p src/console &
console=$!
npx tsc --outDir "$new"
wait "$console"
node bundle.mjs "$new"
npx esbuild src/console/main.tsx --bundle --splitting --format=esm --minify --target=es2022 --jsx=automatic \
  --define:process.env.NODE_ENV='"production"' --legal-comments=none --log-level=warning \
  --entry-names='[name]-[hash]' --chunk-names='[name]-[hash]' --outdir="$new/console"
git rev-parse HEAD > "$new/commit" 2> /dev/null || rm -f "$new/commit"

if [ -L dist ] && diff -rq dist/ "$new" > /dev/null 2>&1; then exit; fi
ln -s "$new" "$new/link"
[ -L dist ] || rm -rf dist
# Replaces the link in one step.
node -e "fs.renameSync('$new/link', 'dist')"
trap - EXIT
ls -dt dist.*/ | tail -n +$((kept + 1)) | xargs rm -rf
