#!/usr/bin/env bash
# Fuzzes every target of the repository in turn, each for the given time: scripts/fuzz.sh 10m
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-10s}
built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT

grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u | while read -r package; do
    go test -c -fuzz . -o "$built/test" "$package" # built once, however many targets it has
    for target in $(grep -h '^func Fuzz' "$package"/*_test.go | sed 's/func \(Fuzz[A-Za-z0-9]*\).*/\1/'); do
        if ! out=$(cd "$package" && "$built/test" -test.run '^$' -test.fuzz "^$target\$" -test.fuzztime "$time" \
            -test.fuzzminimizetime 10x -test.fuzzcachedir "$(go env GOCACHE)/fuzz/hooks/$package" </dev/null 2>&1); then
            printf '%s\n' "$out"
            exit 1
        fi
        printf '%s %s: %s\n' "$package" "$target" "$(grep -o 'execs: [0-9]*' <<<"$out" | tail -n 1)"
    done
done
