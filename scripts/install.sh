#!/bin/sh
# Installs hooks into PREFIX/bin and its plugin into PREFIX/share/hooks:
# sh scripts/install.sh [PREFIX], by default ~/.local.
# HOOKS_BASE_URL is the folder of a release, with its archives and checksums.txt. Without it, the script builds its own
# checkout with Go. It installs nothing unless the archive matches its checksum and the program runs.
set -eu
umask 022

fail() {
    printf 'error: %s\nhint: %s\n' "$1" "$2" >&2
    exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

system() {
    case $(uname -s) in
    Linux) echo linux ;;
    Darwin) echo darwin ;;
    *) fail "there is no archive for $(uname -s) that this script unpacks" "on Windows unpack hooks_windows_amd64.zip or hooks_windows_arm64.zip" ;;
    esac
}

machine() {
    case $(uname -m) in
    x86_64 | amd64) echo amd64 ;;
    aarch64 | arm64) echo arm64 ;;
    *) fail "there is no archive for $(uname -m)" "build it with Go from a checkout: unset HOOKS_BASE_URL" ;;
    esac
}

fetch() {
    if have curl; then
        curl -fsSL -o "$2" "$1"
    elif have wget; then
        wget -q -O "$2" "$1"
    else
        fail "neither curl nor wget is installed" "install one of them"
    fi || fail "$1 cannot be fetched" "check HOOKS_BASE_URL: it is the folder of a release"
}

checksum() {
    if have sha256sum; then
        sum=$(sha256sum "$1")
    elif have shasum; then
        sum=$(shasum -a 256 "$1")
    else
        fail "neither sha256sum nor shasum is installed" "install one of them; nothing is installed unchecked"
    fi
    echo "${sum%% *}"
}

download() {
    os=$(system)
    arch=$(machine)
    name=hooks_${os}_$arch.tar.gz
    fetch "$1/checksums.txt" "$tmp/checksums.txt"
    fetch "$1/$name" "$tmp/$name"
    want=$(awk -v name="$name" '$2 == name || $2 == "*" name { print $1; exit }' "$tmp/checksums.txt")
    [ -n "$want" ] || fail "checksums.txt does not name $name" "the release is incomplete; nothing was installed"
    got=$(checksum "$tmp/$name")
    [ "$got" = "$want" ] || fail "$name has the checksum $got, not $want" "fetch it again; nothing was installed"
    tar -xzf "$tmp/$name" -C "$tmp" hooks
    cp -p "$tmp/hooks/bin/hooks" "$tmp/program"
    plugin=$tmp/hooks
}

build() {
    root=$(cd "$(dirname "$0")/.." && pwd)
    grep -q '^module hooks$' "$root/go.mod" 2>/dev/null || fail "HOOKS_BASE_URL is not set, and this is no checkout of hooks" "set it to the folder of a release, or run scripts/install.sh of a checkout"
    have go || fail "HOOKS_BASE_URL is not set, and Go is not installed" "set it to the folder of a release, or install Go"
    plugin=$root
    (cd "$root" && CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o "$tmp/program" ./hooks)
}

prefix=${1:-$HOME/.local}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

if [ -n "${HOOKS_BASE_URL:-}" ]; then
    download "${HOOKS_BASE_URL%/}"
else
    build
fi
chmod 755 "$tmp/program"
version=$("$tmp/program" version) || fail "the program does not run on this machine" "nothing was installed"

# one rename, so that a running session starts the old program or the new one, never a part of one
mkdir -p "$prefix/bin"
prefix=$(cd "$prefix" && pwd)
cp -p "$tmp/program" "$prefix/bin/.hooks.$$"
mv -f "$prefix/bin/.hooks.$$" "$prefix/bin/hooks"

# The plugin's folder is the archive's, or a link to the checkout, whose bin/hooks then links to the installed program.
share=$prefix/share/hooks
[ ! -d "$plugin/.claude-plugin" ] || mkdir -p "$prefix/share"
if [ "$plugin" = "$tmp/hooks" ]; then
    if [ -d "$plugin/.claude-plugin" ]; then
        rm -rf "$share.new" && mv "$plugin" "$share.new" && rm -rf "$share" && mv "$share.new" "$share"
    fi
else
    if [ -L "$share" ] || [ -d "$share/.claude-plugin" ]; then rm -rf "$share"; fi
    [ -e "$share" ] || ln -s "$plugin" "$share"
    mkdir -p "$plugin/bin" 2>/dev/null && ln -sf "$prefix/bin/hooks" "$plugin/bin/hooks" || :
fi

hooks=hooks
case ":$PATH:" in
*":$prefix/bin:"*) ;;
*) hooks=$prefix/bin/hooks ;;
esac
[ "$hooks" = hooks ] || note="note: $prefix/bin is not in your PATH; in your shell's start file: export PATH=\"$prefix/bin:\$PATH\"
"
printf '%s\ninstalled as %s\n%snext:\n' "$version" "$prefix/bin/hooks" "${note:-}"
printf '    %s %-4s # %s\n' "$hooks" init "set it up with the client" \
    "$hooks" demo "watch a whole loop, without the client"
