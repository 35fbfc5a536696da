#!/bin/sh
# Makes `release`, the part of a build that the package has.
set -e
npm run --silent build
rm -rf release
mkdir release
cp -R dist/evalstore dist/server dist/console dist/manual dist/reference dist/third-party-licences.txt dist/commit src/manual/deploy/evalstore.service release
# A server of the tests.
rm -f release/server/store-process.*
