#!/bin/sh
# Builds the checked-out commit twice, in two folders and the second time without a cache, and
# compares the bytes: sh scripts/reproduce.sh [PROGRAM]. If PROGRAM is given, for example
# hooks/bin/hooks of a release, it is compared too. Go must then have the version that
# `PROGRAM version` prints, and GOOS and GOARCH must name the platform of PROGRAM.
set -eu
cd "$(dirname "$0")/.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

build() {
    git clone -q . "$2"
    (cd "$2" && CGO_ENABLED=0 \
        go build -trimpath -buildvcs=true -ldflags '-s -w' -o "$tmp/$1" ./hooks)
}

build first "$tmp/a"
GOCACHE=$tmp/cache
export GOCACHE
build second "$tmp/another/folder"
for other in "$tmp/second" ${1:+"$1"}; do
    cmp "$tmp/first" "$other" && continue
    printf 'error: %s differs from a build of %s\nhint: %s\n' "$other" "$(git rev-parse HEAD)" \
        "is it the same commit, Go version, GOOS and GOARCH?" >&2
    exit 1
done
sha256sum "$tmp/first" 2>/dev/null | cut -d ' ' -f 1 || true
echo "the same bytes, with $(go version)"
