#!/usr/bin/env bash
# Fuzzes every target of the repository, or of one package, each for the given time or number of
# inputs: scripts/fuzz.sh 10m, or scripts/fuzz.sh 3000x ./internal/event.
#
# Before Go 1.27, a target may fail at the end of its time although no input fails
# (golang.org/issue/75804). It then reports only "context deadline exceeded", which this script
# ignores. A run with a number of inputs cannot fail in this way.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-10s}
built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT
case $time in
*x) found=$built/found ;;                # begin with the same inputs on every machine
*) found=$(go env GOCACHE)/fuzz/hooks ;; # a long run continues from what the last one found
esac

# ended reports whether a target failed only because its time ended. Its failure then has one line.
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

if [ $# -lt 2 ]; then # fuzz packages in parallel, each with one worker
    grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u |
        xargs -P "$(getconf _NPROCESSORS_ONLN)" -n 1 scripts/fuzz.sh "$time"
    exit
fi
go test -c -fuzz . -o "$built/test" "$2" # build once for all targets of the package
for name in $(sed -n 's/^func \(Fuzz[A-Za-z0-9]*\).*/\1/p' "$2"/*_test.go); do
    target "$2" "$name"
done
