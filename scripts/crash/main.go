//go:build linux

// Command crash kills the program at random moments and lets many of it work at once, thousands of times, and holds
// what lies on disk against a ledger of what really happened.
//
//	go run ./scripts/crash                 a minute of each
//	go run ./scripts/crash -kills 20000 -rounds 2000 -sessions 64
//	go run ./scripts/crash -only race -kind dead
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"hooks/scripts/drive"
)

func main() {
	var t trial
	flag.IntVar(&t.kills, "kills", 2000, "how many programs are killed inside whole loops")
	flag.IntVar(&t.rounds, "rounds", 200, "how many times sessions race for one lock, of each kind")
	flag.IntVar(&t.sessions, "sessions", 64, "how many sessions race")
	flag.IntVar(&t.parallel, "parallel", 100, "how many times hooks of one session run at the same moment")
	flag.StringVar(&t.kind, "kind", "", "race only where the name of what they meet has this text")
	flag.StringVar(&t.only, "only", "", "try only what has this text in its name")
	flag.IntVar(&t.workers, "j", runtime.NumCPU(), "how many loops are played at once")
	flag.Int64Var(&t.seed, "seed", time.Now().UnixNano(), "of the random moments")
	flag.Parse()
	if err := t.run(); err != nil {
		fmt.Fprintf(os.Stderr, "error: %v\n", err)
		os.Exit(1)
	}
}

// trial is what is tried, and how often.
type trial struct {
	kills, rounds, sessions, parallel, workers int
	seed                                       int64
	only, kind                                 string

	dir     string
	program string
	schemas drive.Schemas
	clients drive.Clients
}

// prepare builds the program and everything that the trials share.
func (t *trial) prepare() (clean func(), err error) {
	if err := t.clients.Start(); err != nil {
		return nil, err
	}
	if t.dir, err = os.MkdirTemp(drive.Memory(), "hooks-crash-"); err != nil {
		return nil, fmt.Errorf("make folder: %w", err)
	}
	clean = func() {
		t.clients.End()
		_ = os.RemoveAll(t.dir)
	}
	if t.schemas, err = drive.Compile(); err == nil {
		t.program = filepath.Join(t.dir, "hooks")
		err = drive.Build(t.program)
	}
	if err != nil {
		clean()
	}
	return clean, err
}

func (t *trial) run() error {
	clean, err := t.prepare()
	if err != nil {
		return err
	}
	defer clean()
	fmt.Printf("seed %d\n", t.seed)
	bad := 0
	for _, part := range []struct {
		name string
		play func() (outcome, error)
	}{
		{"kill -9 in whole loops", t.loops}, {"a race for the lock", t.race}, {"hooks of one session at once", t.together},
		{"two sessions in one project", t.pair}, {"disks that are full or closed", t.disks},
	} {
		if !strings.Contains(part.name, t.only) {
			continue
		}
		began := time.Now()
		o, err := part.play()
		if err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		for i, v := range o.bad {
			if i < 10 {
				fmt.Println(v)
			}
		}
		bad += len(o.bad)
		fmt.Printf("%s: %s; %d violations; %s\n", part.name, o.done, len(o.bad), time.Since(began).Round(time.Second))
	}
	if bad > 0 {
		return fmt.Errorf("%d violations", bad)
	}
	return nil
}

// outcome is what came of one trial.
type outcome struct {
	done string
	bad  []string
}

// stage is an empty world of its own.
func (t *trial) stage(name string, program string) (*drive.Player, error) {
	w, err := drive.New(filepath.Join(t.dir, name), program, t.clients.First)
	if err != nil {
		return nil, err
	}
	return &drive.Player{World: w, Schemas: t.schemas}, nil
}
