#!/bin/sh
# Makes the branch for a marketplace: sh scripts/carry.sh [BRANCH], by default "released". Its newest commit adds the
# programs for all platforms, as bin/hooks_OS_ARCH, to the commit that is checked out. In a plugin that the client cloned
# from it, launch/hooks.sh can thus put the right program in its place. This script does not change the checkout and does
# not push. HOOKS_PLATFORMS may name fewer platforms, such as "linux/amd64".
set -eu

fail() {
    printf 'error: %s\nhint: %s\n' "$1" "$2" >&2
    exit 1
}

branch=${1:-released}
cd "$(dirname "$0")/.."
[ -z "$(git status --porcelain)" ] || fail "the checkout has uncommitted changes" "commit or stash them"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

GIT_INDEX_FILE=$tmp/index
export GIT_INDEX_FILE
git read-tree HEAD
for platform in ${HOOKS_PLATFORMS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64}; do
    os=${platform%/*} arch=${platform#*/} exe=
    [ "$os" != windows ] || exe=.exe
    GOOS=$os GOARCH=$arch CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o "$tmp/program" ./hooks
    blob=$(git hash-object -w "$tmp/program")
    git update-index --add --cacheinfo "100755,$blob,bin/hooks_${os}_$arch$exe"
done
tree=$(git write-tree)
version=$(sed -n 's/.*"version": *"\([^"]*\)".*/\1/p' .claude-plugin/plugin.json)
before=$(git rev-parse -q --verify "refs/heads/$branch") || before=
commit=$(git commit-tree "$tree" ${before:+-p "$before"} -p HEAD -m "hooks $version with its programs")
git update-ref "refs/heads/$branch" "$commit" ${before:+"$before"}
printf '%s is hooks %s with its programs\nnext: git push origin %s\n' "$branch" "$version" "$branch"
