#!/bin/sh
# Runs the users' programs: `test.sh [--newest]`. With --newest, with the newest published versions of all packages.
set -e
cd "$(dirname "$0")/../../.."
case "$*" in
  '') ;;
  --newest) export EVALSTORE_PYTHON_VERSIONS=newest ;;
  *) echo "usage: npm run test:clients [-- --newest]" >&2 && exit 1 ;;
esac
npm run --silent build
sh test/clients/python/install.sh "$@"
npx mocha --no-config --parallel --jobs 2 --require dist/test/support/unhandled-rejections.js --timeout 1200000 \
  --enable-source-maps 'dist/test/clients/python/*.slow.js'
