#!/bin/sh
# Compiles into a new directory, to which the link `dist` then leads: a server that runs loads some files when it first
# needs them, and has to find those that it was started from. The directories of the last builds are kept for that.
set -e
kept=4

# The last build is current if it is of the same commit, and nothing that it read has been written or removed since. Unlike the
# time of modification, that of the inode cannot be set by a program that copies an earlier version.
sources="src grammar build.sh bundle.mjs package.json package-lock.json tsconfig.json $(ls -d test 2> /dev/null || true)"
changed() { find $sources -cnewer dist/built -not -path 'src/query/generated*' || echo unknown; }
commit() { git rev-parse HEAD 2> /dev/null || true; }
if [ -f dist/built ] && [ -z "$(changed)" ] && [ "$(commit)" = "$(cat dist/commit)" ]; then exit; fi

node -e 'const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Evalstore needs Node.js 20.19 or newer, and this is ${process.versions.node}`);
  process.exit(1);
}
if (process.config.variables.node_shared === true) {
  console.error("Evalstore does not run with a Node.js that uses libnode, such as the package nodejs of Debian, where a failed thread can end the process: use a build of nodejs.org");
  process.exit(1);
}'
started=$(date +%s)
step() { echo "building: $1"; }

new=$(mktemp -d dist.XXXXXX)
trap 'rm -rf "$new"' EXIT
chmod 755 "$new"
mkdir -p src/query/generated
touch "$new/built"

step 'the parser, from the grammar'
npx antlr-ng -Dlanguage=TypeScript -v true -l false -o src/query/generated -- grammar/QueryLexer.g4 grammar/QueryParser.g4

# The console is checked with settings of its own.
step 'the server and the console, compiled'
npx tsc -p src/console &
console=$!
npx tsc --outDir "$new"
wait "$console"
step 'the server and the console, bundled'
node bundle.mjs "$new"
cp src/evalstore.sh "$new/evalstore"
chmod 755 "$new/evalstore"

step 'the manual and the reference'
mkdir "$new/reference"
for file in swagger-ui-bundle.js swagger-ui-bundle.js.LICENSE.txt swagger-ui.css LICENSE NOTICE; do
  cp "node_modules/swagger-ui-dist/$file" "$new/reference"
done
node "$new/src/manual/build.js" "$new"
commit > "$new/commit"
step "done in $(($(date +%s) - started)) s"

if [ -L dist ] && diff -rq dist/ "$new" > /dev/null 2>&1; then
  touch -r "$new/built" dist/built
  exit
fi
ln -s "$new" "$new/link"
[ -L dist ] || rm -rf dist
# Replaces the link in one step.
node -e "fs.renameSync('$new/link', 'dist')"
trap - EXIT
ls -dt dist.*/ | tail -n +$((kept + 1)) | xargs rm -rf
