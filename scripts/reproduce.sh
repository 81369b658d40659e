#!/bin/sh
# Builds the commit that is checked out in two folders, the second time without a cache, and
# compares the bytes: sh scripts/reproduce.sh [PROGRAM]. With PROGRAM, as in hooks/bin/hooks of a
# release, that is compared too; then Go must have the version that `PROGRAM version` prints, and
# GOOS and GOARCH must name its platform.
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
