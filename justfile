# every recipe is a plain command that you can also type without just

_help:
    @just -l

# build the program where the plugin expects it
build:
    CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o bin/hooks ./hooks

# all tests except those of the real client, including the checks of the repository itself
test:
    go test ./...

# format, vet (also for the other systems), staticcheck
lint:
    test -z "$(gofmt -l .)"
    go vet -tags e2e,forges,pages ./...
    GOOS=windows go vet ./...
    GOOS=darwin go vet ./...
    go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 -tags e2e,forges,pages ./...

# run the suite against the real client, which is fetched once into the user's cache (HOOKS_CLIENT names another)
e2e:
    go test -count=1 -tags e2e -timeout 15m ./scripts/e2e/...

# run the real skills of the sdd plugin from its checkout, as in: just upstream ~/src/claude-plugin-sdd
upstream checkout:
    HOOKS_UPSTREAM={{absolute_path(checkout)}} go test -count=1 -v -tags e2e -run TestTheRealSkills ./scripts/e2e/

# compare the report card, as chromium draws it, with recorded pictures; -record replaces them
pictures *flags:
    go test -count=1 -tags pages ./scripts/pages {{flags}}

# measure the time and memory of a hook call
bench:
    go test -run '^$' -bench . -benchmem ./...

# fuzz one target for a while, as in: just fuzz ./internal/tracker FuzzHead 5m
fuzz package="./internal/event" target="FuzzRead" time="1m":
    go test -run '^$' -fuzz '^{{target}}$' -fuzztime {{time}} -fuzzminimizetime 10x {{package}}

# fuzz every target of the repository for a while or with a number of inputs, as in: just fuzz-all 10m
fuzz-all time="1m":
    scripts/fuzz.sh {{time}}

# play random histories on a model of the specification and on the program, as in: just model 5000
model checks="2000" steps="60":
    go test -count=1 -timeout 6h ./scripts/model -rapid.checks={{checks}} -rapid.steps={{steps}}

# show the coverage by function, the least covered first
cover:
    go test -coverprofile cover.out ./...
    go tool cover -func cover.out | sort -k3 -n

# make every system call of every event fail, kill the program and race it, as in: just torture -run Kills -kills 500
torture *flags="-whole":
    go test -count=1 -v -timeout 0 ./scripts/torture {{flags}}

# run all checks that a change must pass
ci:
    .ci/run

# find small mistakes in a package that its own tests do not detect, as in: just mutants ./internal/guard
mutants package="./internal/loop":
    go run github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0 unleash --timeout-coefficient 100 -S lc \
        --invert-logical --invert-loopctrl --invert-assignments --remove-self-assignments {{package}}
