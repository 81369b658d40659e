//go:build linux

// Command torture checks that the program loses no state, reports nothing untrue and traps no turn.
// It injects errors into system calls (by strace), kills the program, runs many processes at once
// and fills the disk. After every event it checks the state on disk against a ledger of the events.
//
//	go run ./scripts/torture                  some minutes of every part
//	go run ./scripts/torture -whole           every call, fault and way to continue: an hour
//	go run ./scripts/torture -part mistakes   builds in known mistakes, and must find each
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"hooks/scripts/driver"
)

// torture holds the options, and the parts that all tests share.
type torture struct {
	whole                                      bool
	part, name                                 string
	kills, rounds, sessions, parallel, workers int
	planted, drawn                             int // mistakes and scenarios; 0 for all
	seed                                       int64

	dir     string
	program string
	schemas schemaSet
	clients driver.Clients
}

func main() {
	var t torture
	flag.BoolVar(&t.whole, "whole", false, "try every fault and every way on, and far more kills")
	flag.StringVar(&t.part, "part", "", "try only parts with this text in their names")
	flag.StringVar(&t.name, "name", "", "only scenarios, mistakes and races with this text")
	flag.IntVar(&t.kills, "kills", 500, "kills inside whole loops")
	flag.IntVar(&t.planted, "mistakes", 0, "planted mistakes, drawn by the seed; 0 for all")
	flag.IntVar(&t.drawn, "scenarios", 0, "scenarios of faults, drawn by the seed; 0 for all")
	flag.IntVar(&t.rounds, "rounds", 10, "races for one lock, of each kind")
	flag.IntVar(&t.sessions, "sessions", 64, "sessions in a race")
	flag.IntVar(&t.parallel, "parallel", 20, "how often hooks of one session run at once")
	flag.IntVar(&t.workers, "j", runtime.NumCPU(), "players at work at once")
	flag.Int64Var(&t.seed, "seed", time.Now().UnixNano(), "of the random moments")
	flag.Parse()
	if t.whole {
		t.kills, t.rounds, t.parallel = 40*t.kills, 50*t.rounds, 25*t.parallel
	}
	if err := t.run(); err != nil {
		fmt.Fprintf(os.Stderr, "error: %v\n", err)
		os.Exit(1)
	}
}

type part struct {
	name string
	play func(*findings) (summary string)
}

func (t *torture) parts() []part {
	return []part{
		{"faults", t.faults}, {"mistakes", t.mistakes}, {"kills in whole loops", t.killed},
		{"races for the lock", t.races}, {"hooks at once", t.atOnce},
		{"two sessions in one project", t.pair}, {"disks", t.disks},
	}
}

// prepare compiles the program and starts the clients. clean ends and removes everything.
func (t *torture) prepare() (clean func(), err error) {
	driver.InMemory()
	if t.dir, err = os.MkdirTemp("", "hooks-torture-"); err != nil {
		return nil, err
	}
	clean = func() {
		t.clients.End()
		_ = os.RemoveAll(t.dir)
	}
	if err = t.clients.Start(); err == nil {
		t.schemas, err = compileSchemas()
	}
	if err == nil {
		t.program = filepath.Join(t.dir, "hooks")
		err = driver.Build(t.program, "./hooks")
	}
	if err != nil {
		clean()
	}
	return clean, err
}

// build compiles a variant, if pinned is set with its work pinned to one thread.
func (t *torture) build(f *findings, v variant, pinned bool) (program string) {
	if pinned {
		v.patches = append(v.patches, readVariant("variants/pinned.txt").patches...)
	}
	program = filepath.Join(t.dir, v.name)
	if err := driver.Build(program, "./hooks", v.patches...); err != nil {
		f.Lock()
		defer f.Unlock()
		f.add(v.name + ": " + err.Error())
	}
	return program
}

func (t *torture) run() error {
	clean, err := t.prepare()
	if err != nil {
		return err
	}
	defer clean()
	fmt.Printf("seed %d\n", t.seed)
	bad := 0
	for _, p := range t.parts() {
		if !strings.Contains(p.name, t.part) {
			continue
		}
		began, f := time.Now(), &findings{}
		summary := p.play(f)
		bad += len(f.bad)
		fmt.Printf("%s: %s; %d violations; %s\n",
			p.name, summary, len(f.bad), time.Since(began).Round(time.Second))
	}
	if bad > 0 {
		return fmt.Errorf("%d violations", bad)
	}
	return nil
}

// player returns a player with a new world.
func (t *torture) player(name, program string) *player {
	w := driver.New(filepath.Join(t.dir, name), program, t.clients.First)
	return &player{World: w, schemas: t.schemas, clients: &t.clients}
}

// findings collects the violations of one part.
type findings struct {
	sync.Mutex
	quiet  bool
	starts int // of the program
	bad    []string
}

// take adds the errors and the trace of a player.
func (f *findings) take(p *player, where string) {
	f.Lock()
	defer f.Unlock()
	f.starts += len(p.trace)
	if len(p.Errors) > 0 {
		f.add(where + ": " + strings.Join(p.Errors, "\n    ") +
			"\n  " + strings.Join(p.trace, "\n  "))
	}
	p.Errors, p.trace = nil, nil
}

func (f *findings) add(violation string) {
	f.bad = append(f.bad, violation)
	if !f.quiet {
		fmt.Println(violation)
	}
}

func (f *findings) count() int {
	f.Lock()
	defer f.Unlock()
	return len(f.bad)
}

// end removes a player's world and adds its errors.
func (f *findings) end(p *player, where string) {
	p.Check(os.RemoveAll(p.Dir))
	f.take(p, where)
}
