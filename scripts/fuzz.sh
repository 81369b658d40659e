#!/usr/bin/env bash
# Fuzzes every target of the repository in turn, each for the given time or number of inputs: scripts/fuzz.sh 10m, or
# scripts/fuzz.sh 3000x.
#
# Until Go 1.27 a time that ends may itself fail a target that failed on no input (golang.org/issue/75804): it says
# "context deadline exceeded" and names no input. That end, and no other, passes here; a number of inputs never meets it.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-10s}
built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT
case $time in
*x) found=$built/found ;;                # the same inputs to begin with, wherever it runs
*) found=$(go env GOCACHE)/fuzz/hooks ;; # a long run goes on from what the last one found
esac

# ended tells whether a target failed by the end of its time alone: its one line of failure is that one.
ended() {
    [ "$(sed -n '/^--- FAIL/,$p' <<<"$1" | sed '/^--- FAIL/d; /^FAIL$/d; s/^ *//')" = "context deadline exceeded" ]
}

grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u | while read -r package; do
    go test -c -fuzz . -o "$built/test" "$package" # built once, however many targets it has
    for target in $(grep -h '^func Fuzz' "$package"/*_test.go | sed 's/func \(Fuzz[A-Za-z0-9]*\).*/\1/'); do
        if ! out=$(cd "$package" && "$built/test" -test.run '^$' -test.fuzz "^$target\$" -test.fuzztime "$time" \
            -test.fuzzminimizetime 10x -test.fuzzcachedir "$found/$package" </dev/null 2>&1); then
            if ! ended "$out"; then
                printf '%s\n' "$out"
                exit 1
            fi
        fi
        printf '%s %s: %s\n' "$package" "$target" "$(grep -o 'execs: [0-9]*' <<<"$out" | tail -n 1)"
    done
done
