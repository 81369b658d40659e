#!/usr/bin/env bash
# Fuzzes every target of the repository, or of one package, each for the given time or number of
# inputs: scripts/fuzz.sh 10m, or scripts/fuzz.sh 3000x ./internal/event.
#
# Until Go 1.27 a time that ends may itself fail a target that failed on no input
# (golang.org/issue/75804): it says "context deadline exceeded" and names no input. That end, and no
# other, passes here; a number of inputs never meets it.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-10s}
built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT
case $time in
*x) found=$built/found ;;                # the same inputs to begin with, wherever it runs
*) found=$(go env GOCACHE)/fuzz/hooks ;; # a long run continues from what the last one found
esac

# ended reports whether a target failed by the end of its time alone: that is the one line of its
# failure.
ended() {
    local why
    why=$(sed -n '/^--- FAIL/,$p' <<<"$1" | sed '/^--- FAIL/d; /^FAIL$/d; s/^ *//')
    [ "$why" = "context deadline exceeded" ]
}

# target PACKAGE NAME fuzzes one of the targets of the built test.
target() {
    local out
    if ! out=$(cd "$1" && "$built/test" -test.run '^$' -test.fuzz "^$2\$" -test.fuzztime "$time" \
        -test.fuzzminimizetime 10x -test.fuzzcachedir "$found/$1" -test.parallel 1 \
        </dev/null 2>&1) && ! ended "$out"; then
        printf '%s\n' "$out"
        return 1
    fi
    printf '%s %s: %s\n' "$1" "$2" "$(grep -o 'execs: [0-9]*' <<<"$out" | tail -n 1)"
}

if [ $# -lt 2 ]; then # packages side by side, each with one worker
    grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u |
        xargs -P "$(getconf _NPROCESSORS_ONLN)" -n 1 scripts/fuzz.sh "$time"
    exit
fi
go test -c -fuzz . -o "$built/test" "$2" # once, however many targets the package has
for name in $(sed -n 's/^func \(Fuzz[A-Za-z0-9]*\).*/\1/p' "$2"/*_test.go); do
    target "$2" "$name"
done
