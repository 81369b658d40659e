# every recipe is a plain command: it can be typed without just

_help:
    @just -l

# build the program where the plugin expects it
build:
    CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o bin/hooks ./hooks

# all tests but the real client's; checks of the repository itself are among them
test:
    go test ./...

# format, vet (also for the other systems), staticcheck
lint:
    test -z "$(gofmt -l .)"
    go vet -tags e2e,forges,pages ./...
    GOOS=windows go vet ./...
    GOOS=darwin go vet ./...
    go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 -tags e2e,forges,pages ./...

# the suite against the real client, which is fetched once into the user's cache (HOOKS_CLIENT names another)
e2e:
    go test -count=1 -tags e2e -timeout 15m ./scripts/e2e/...

# the skills of the sdd plugin itself, from a checkout of it, as in: just upstream ~/src/claude-plugin-sdd
upstream checkout:
    HOOKS_UPSTREAM={{absolute_path(checkout)}} go test -count=1 -v -tags e2e -run TestTheRealSkills ./scripts/e2e/

# the morning page as chromium draws it, against the recorded pictures; -record takes new ones
pictures *flags:
    go test -count=1 -tags pages ./scripts/pages {{flags}}

# what a hook call costs
bench:
    go test -run '^$' -bench . -benchmem ./...

# fuzz one target for a while, as in: just fuzz ./internal/tracker FuzzHead 5m
fuzz package="./internal/event" target="FuzzRead" time="1m":
    go test -run '^$' -fuzz '^{{target}}$' -fuzztime {{time}} -fuzzminimizetime 10x {{package}}

# fuzz every target of the repository, each for a while or a number of inputs, as in: just fuzz-all 10m
fuzz-all time="1m":
    scripts/fuzz.sh {{time}}

# random histories on the model of the specification and on the program, as in: just model 5000
model checks="2000" steps="60":
    go test -count=1 -timeout 6h ./scripts/model -rapid.checks={{checks}} -rapid.steps={{steps}}

# coverage by function, the least covered first
cover:
    go test -coverprofile cover.out ./...
    go tool cover -func cover.out | sort -k3 -n

# make every system call of every event fail, kill the program and race it, as in: just torture -run Kills -kills 500
torture *flags="-whole":
    go test -count=1 -v -timeout 0 ./scripts/torture {{flags}}

# everything that is checked before a change goes in
ci:
    .ci/run

# single mistakes in a package that its own tests let live, as in: just mutants ./internal/guard
mutants package="./internal/loop":
    go run github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0 unleash --timeout-coefficient 100 -S lc \
        --invert-logical --invert-loopctrl --invert-assignments --remove-self-assignments {{package}}
