//go:build linux

package torture

import (
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"hooks/scripts/driver"
)

// torture holds the options, and what all tests share.
type torture struct {
	whole                                      bool
	name                                       string
	kills, rounds, sessions, parallel, workers int
	planted, drawn                             int // mistakes and scenarios; 0 for all
	seed                                       int64

	dir     string
	program string
	schemas schemaSet
	clients driver.Clients
}

var options torture

func TestMain(m *testing.M) {
	o := &options
	flag.BoolVar(&o.whole, "whole", false, "try every fault and every way on, and far more kills")
	flag.StringVar(&o.name, "name", "", "only scenarios, mistakes and races with this text")
	flag.IntVar(&o.kills, "kills", 20, "kills inside whole loops")
	flag.IntVar(&o.planted, "mistakes", 0, "planted mistakes, drawn by the seed")
	flag.IntVar(&o.drawn, "scenarios", 0, "scenarios of faults, drawn by the seed")
	flag.IntVar(&o.rounds, "rounds", 1, "races for one lock, of each kind")
	flag.IntVar(&o.sessions, "sessions", 8, "sessions in a race")
	flag.IntVar(&o.parallel, "at-once", 3, "how often hooks of one session run at once")
	flag.IntVar(&o.workers, "j", runtime.NumCPU(), "players at work at once")
	flag.Int64Var(&o.seed, "seed", time.Now().UnixNano(), "of the random moments")
	flag.Parse()
	if o.whole {
		o.kills, o.rounds, o.sessions, o.parallel = 1000*o.kills, 500*o.rounds, 64, 150*o.parallel
	}
	driver.InMemory()
	code := m.Run()
	o.clients.End()
	_ = os.RemoveAll(o.dir) // "" if no test prepared it
	os.Exit(code)
}

// prepared compiles the program and starts the clients, for the first test that needs them.
var prepared = sync.OnceValue(func() (err error) {
	o := &options
	if o.dir, err = os.MkdirTemp("", "hooks-torture-"); err != nil {
		return err
	}
	if err = o.clients.Start(); err == nil {
		o.schemas, err = compileSchemas()
	}
	if err == nil {
		o.program = filepath.Join(o.dir, "hooks")
		err = driver.Build(o.program, "./hooks")
	}
	return err
})

// R64, R68, R112, R118: the program is killed anywhere, raced by many, and put on a full or closed
// disk, and each of its calls fails. Nothing is lost, counted twice or stuck.

func TestKillsInWholeLoops(t *testing.T)  { play(t, options.killed) }
func TestRacesForTheLock(t *testing.T)    { play(t, options.races) }
func TestHooksAtOnce(t *testing.T)        { play(t, options.atOnce) }
func TestTwoSessionsAtWork(t *testing.T)  { play(t, options.pair) }
func TestFullAndClosedDisks(t *testing.T) { play(t, options.disks) }

func TestFaults(t *testing.T) {
	if !options.whole && options.drawn == 0 {
		t.Skip("takes minutes: give -scenarios N or -whole")
	}
	play(t, options.faults)
}

func TestMistakes(t *testing.T) {
	if !options.whole && options.planted == 0 {
		t.Skip("takes minutes: give -mistakes N or -whole")
	}
	play(t, options.mistakes)
}

func play(t *testing.T, part func(*findings) (summary string)) {
	if err := prepared(); err != nil {
		t.Fatal(err)
	}
	t.Logf("seed %d", options.seed)
	t.Log(part(&findings{log: t.Log, report: t.Error}))
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

// player returns a player with a new world.
func (t *torture) player(name, program string) *player {
	w := driver.New(filepath.Join(t.dir, name), program, t.clients.First)
	return &player{World: w, schemas: t.schemas, clients: &t.clients}
}

// findings collects the violations of one part. log and report are nil where violations are
// expected.
type findings struct {
	sync.Mutex
	log    func(...any)
	report func(...any)
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
	if f.report != nil {
		f.report(violation)
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
