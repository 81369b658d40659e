#!/usr/bin/env bash
# Runs the real gh, glab and tea-cli, from Debian's packages, against servers on loopback. It
# unpacks the packages into a folder of the user's cache and installs nothing. GitHub's schema comes
# from npm. It skips what cannot be fetched.
set -euo pipefail
cd "$(dirname "$0")/../.."

suites=(bookworm trixie)
schema=15.26.1
cache=${XDG_CACHE_HOME:-$HOME/.cache}/hooks-forges
keys=/usr/share/keyrings/debian-archive-keyring.gpg

skip() {
    echo "skipped: $*"
    exit 0
}

for need in apt-get dpkg-deb npm; do
    command -v "$need" >/dev/null || skip "$need, which fetches the clients, is not here"
done
[ -r "$keys" ] || skip "the keys of Debian's packages are not here"
mkdir -p "$cache"

# unpack SUITE fetches the clients of a Debian release and unpacks them below $cache/SUITE.
unpack() {
    local suite=$1 work list
    [ -x "$cache/$suite/usr/bin/gh" ] && return
    work=$(mktemp -d)
    mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/debs"
    echo "deb [signed-by=$keys] http://deb.debian.org/debian $suite main" >"$work/sources.list"
    list=(-o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null
        -o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work" -o APT::Sandbox::User=root)
    if timeout 300 apt-get "${list[@]}" update -qq >/dev/null 2>&1; then
        for package in gh glab tea-cli; do # a release may lack some of them
            (cd "$work/debs" && timeout 300 apt-get "${list[@]}" download "$package") \
                >/dev/null 2>&1 || true
        done
    fi
    for deb in "$work"/debs/*.deb; do
        [ -e "$deb" ] && dpkg-deb -x "$deb" "$work/root"
    done
    if [ -d "$work/root" ]; then
        rm -rf "${cache:?}/$suite"
        mv "$work/root" "$cache/$suite"
    fi
    rm -rf "$work"
}

# having NAME prints the paths of a client in all releases, separated by colons.
having() {
    local found='' suite
    for suite in "${suites[@]}"; do
        # It may be built for a newer libc than this machine has.
        if "$cache/$suite/usr/bin/$1" --version >/dev/null 2>&1; then
            found=$found${found:+:}$cache/$suite/usr/bin/$1
        fi
    done
    [ -n "$found" ] || echo "skipped: no $1 that runs here" >&2
    echo "$found"
}

for suite in "${suites[@]}"; do
    unpack "$suite"
done
HOOKS_GH=$(having gh) HOOKS_GLAB=$(having glab) HOOKS_TEA=$(having tea-cli)
HOOKS_GITHUB_SCHEMA=$cache/schema-$schema/node_modules/@octokit/graphql-schema/schema.graphql
if [ ! -r "$HOOKS_GITHUB_SCHEMA" ] && ! timeout 300 npm install --prefix "$cache/schema-$schema" \
    --no-audit --no-fund --no-save --ignore-scripts "@octokit/graphql-schema@$schema" \
    >/dev/null 2>&1; then
    echo "skipped: npm does not give GitHub's schema"
    HOOKS_GITHUB_SCHEMA=
fi
export HOOKS_GH HOOKS_GLAB HOOKS_TEA HOOKS_GITHUB_SCHEMA
for client in ${HOOKS_GH//:/ } ${HOOKS_GLAB//:/ } ${HOOKS_TEA//:/ }; do
    printf '%s: %s\n' "${client#"$cache"/}" "$("$client" --version 2>&1 | head -n 1)"
done
go test -tags forges -count 1 -timeout 15m ./scripts/forges "$@"
