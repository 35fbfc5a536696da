#!/bin/sh
# Downloads and builds what the program of the generated client in Go needs.
set -e
cd "$(dirname "$0")"
go version > /dev/null 2>&1 || {
  echo 'Go 1.26 or newer is missing: see https://go.dev/doc/install' >&2
  exit 1
}
export GOTOOLCHAIN=local
go build -o ../../../.go/oapi-codegen github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen
go build github.com/oapi-codegen/runtime github.com/oapi-codegen/runtime/types
