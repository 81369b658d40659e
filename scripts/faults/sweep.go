//go:build linux

package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"hooks/scripts/drive"
)

// sweep is a program and everything that is tried on it.
type sweep struct {
	program   string
	dir       string
	schemas   drive.Schemas
	scenarios []scenario
	calls     []string
	faults    []fault
	workers   int
	few       bool // only calls on the loop's own files
	thin      bool // each call is killed, and fails in one other way; no second try if none was hit
	ways      int  // how many ways to go on are tried after each fault; 0 is all
	loud      bool // how far it is goes to stderr
	most      int  // violations after which it ends
}

// job is one kind of fault at one kind of call, for every k.
type job struct {
	s     *scenario
	call  string
	fault fault
}

// tally is what came of a sweep.
type tally struct {
	sync.Mutex
	runs, kills, starts int
	places              int      // how many pairs of a call and a fault there are
	missed              []string // and which of them never came together
	bad                 []violation
	told                int // of them, as it went on
}

type violation struct {
	where, what string
	trace       []string
}

// all runs every job and returns what came of them.
func (s *sweep) all() (*tally, error) {
	t, began := &tally{}, time.Now()
	jobs := make(chan job)
	errs := make(chan error, s.workers)
	var workers sync.WaitGroup
	for n := range s.workers {
		workers.Add(1)
		go func() {
			defer workers.Done()
			w := &worker{sweep: s, dir: filepath.Join(s.dir, fmt.Sprint(n)), tally: t, stages: map[string]*stage{}}
			for j := range jobs {
				if t.full(s.most) {
					continue
				}
				if err := w.do(j); err != nil {
					errs <- err
					for range jobs {
					}
					return
				}
			}
		}()
	}
	for i := range s.scenarios {
		for _, c := range s.calls {
			for _, f := range s.faults {
				jobs <- job{&s.scenarios[i], c, f}
			}
		}
		if s.loud {
			t.progress(s.scenarios[i].name, i+1, len(s.scenarios), began)
		}
	}
	close(jobs)
	workers.Wait()
	select {
	case err := <-errs:
		return t, err
	default:
		return t, nil
	}
}

// progress tells whoever waits for a sweep of hours how far it is, and what was found since it last told. What has just
// been handed out is still at work.
func (t *tally) progress(name string, n, of int, began time.Time) {
	t.Lock()
	defer t.Unlock()
	fmt.Fprintf(os.Stderr, "%s  %d of %d handed out (%s): %d faults, %d kills, %d violations\n", time.Since(began).Round(time.Second), n, of, name, t.runs, t.kills, len(t.bad))
	for ; t.told < len(t.bad); t.told++ {
		fmt.Fprintf(os.Stderr, "    %s: %s\n", t.bad[t.told].where, t.bad[t.told].what)
	}
}

func (t *tally) full(most int) bool {
	t.Lock()
	defer t.Unlock()
	return most > 0 && len(t.bad) >= most
}

func (t *tally) add(p *drive.Player, where string) {
	t.Lock()
	defer t.Unlock()
	t.starts += len(p.Trace)
	if len(p.Bad) > 0 {
		t.bad = append(t.bad, violation{where, strings.Join(p.Bad, "\n    "), slices.Clone(p.Trace)})
	}
	p.Bad, p.Trace = nil, nil
}

// worker plays in a folder of its own; each scenario is played up to its event once.
type worker struct {
	*sweep
	dir    string
	tally  *tally
	stages map[string]*stage
}

// stage is a scenario right before its event.
type stage struct {
	*drive.Player
	scenario *scenario
	at       *drive.Snapshot
	calls    map[string][]int           // of each system call, which ones matter, counted within their thread
	places   map[string]map[string]bool // of each system call, where on the loop's files it is made
}

func (w *worker) stage(s *scenario) (*stage, error) {
	if st := w.stages[s.name]; st != nil {
		return st, st.Restore(st.at)
	}
	world, err := drive.New(filepath.Join(w.dir, s.name), w.program, clients.First)
	if err != nil {
		return nil, err
	}
	st := &stage{Player: &drive.Player{World: world, Schemas: w.schemas}, scenario: s}
	s.before(st.Player)
	w.tally.add(st.Player, s.name+", before anything fails")
	if st.at, err = st.Save(); err != nil {
		return nil, err
	}
	w.stages[s.name] = st
	return st, w.rehearse(st)
}

// rehearse plays the event and every way on without a fault, notes the calls it makes, and holds their order against
// the rules of durability.
func (w *worker) rehearse(st *stage) error {
	log := filepath.Join(w.dir, "trace")
	list, _, err := w.fail(st, st.scenario.name+", nothing fails", log, tracing(log), 0)
	if err != nil {
		return err
	}
	st.calls, st.places = map[string][]int{}, map[string]map[string]bool{}
	counts := map[string]int{}
	for _, c := range list {
		counts[c.thread+c.name]++
		if k := counts[c.thread+c.name]; (!w.few || st.own(c)) && !slices.Contains(st.calls[c.name], k) {
			st.calls[c.name] = append(st.calls[c.name], k)
		}
	}
	all := slices.Clone(list)
	list = slices.DeleteFunc(list, func(c call) bool { return !st.own(c) })
	for place := range numbered(list) {
		name, _, _ := strings.Cut(place, " ")
		if st.places[name] == nil {
			st.places[name] = map[string]bool{}
		}
		st.places[name][place] = true
	}
	for _, bad := range order(all, st.State()) {
		st.Say("%s", bad)
	}
	w.tally.add(st.Player, st.scenario.name+", order of calls")
	return st.Restore(st.at)
}

// own is a call on the loop's files, the reply or a transcript. What only reads or closes matters less.
func (st *stage) own(c call) bool {
	switch c.name {
	case "read", "pread64", "close":
		return false
	case "openat":
		return strings.Contains(c.args, "O_CREAT") && strings.Contains(c.args, st.Dir)
	}
	return strings.Contains(c.args, st.Dir) || strings.HasPrefix(c.args, "1<")
}

// numbered gives each call a name that it has in every run: what it is done to, and the how manieth of these it is. It
// says which were made to fail.
func numbered(list []call) map[string]bool {
	seen, names := map[string]int{}, map[string]bool{}
	for _, c := range list {
		seen[c.place()]++
		names[fmt.Sprintf("%s #%d", c.place(), seen[c.place()])] = c.hit
	}
	return names
}

// rounds are how often the calls of one kind are gone through until a fault has struck each of them: a busy machine
// makes the program look once more whether a lock is free.
const rounds = 2

func (s *sweep) rounds() int {
	if s.thin {
		return 1
	}
	return rounds
}

// turn says that the k-th call fails in this way where the ways take turns. All are killed.
func (j job) turn(k int) bool {
	at := slices.IndexFunc(faults, func(f fault) bool { return f.name == j.fault.name })
	return at == 0 || k%2 == at%2
}

// do lets the k-th call fail, for each k that matters.
func (w *worker) do(j job) error {
	st, err := w.stage(j.s)
	if err != nil || len(st.calls[j.call]) == 0 {
		return err
	}
	open := maps.Clone(st.places[j.call])
	for round := range w.rounds() {
		last, missed := slices.Max(st.calls[j.call]), 0
		for k := 1; k <= last || !w.few && round == 0 && missed < 2; k++ {
			if round > 0 && len(open) == 0 || w.tally.full(w.most) {
				break
			}
			if w.few && !slices.Contains(st.calls[j.call], k) || w.thin && !j.turn(k) {
				continue
			}
			struck, err := w.try(j, k)
			if err != nil {
				return err
			}
			if missed++; len(struck) > 0 {
				missed = 0
			}
			for place := range struck {
				delete(open, place)
			}
		}
	}
	w.tally.leave(j, len(st.places[j.call]), open)
	return nil
}

// try lets one call fail and gives the places where the fault struck.
func (w *worker) try(j job, k int) (map[string]bool, error) {
	st, err := w.stage(j.s)
	if err != nil {
		return nil, err
	}
	st.Broken = strings.HasSuffix(j.fault.name, " on")
	log := filepath.Join(w.dir, "trace")
	list, killed, err := w.fail(st, fmt.Sprintf("%s, %s %s %d", j.s.name, j.call, j.fault.name, k), log, injecting(log, j.call, j.fault, k), k)
	if err != nil {
		return nil, err
	}
	struck := numbered(list)
	maps.DeleteFunc(struck, func(_ string, hit bool) bool { return !hit })
	w.tally.Lock()
	defer w.tally.Unlock()
	if w.tally.runs++; killed {
		w.tally.kills++
	}
	return struck, nil
}

// leave notes the places of one kind of call and fault, and which of them stayed open.
func (t *tally) leave(j job, total int, open map[string]bool) {
	t.Lock()
	defer t.Unlock()
	t.places += total
	for place := range open {
		t.missed = append(t.missed, fmt.Sprintf("%s, %s at %s", j.s.name, j.fault.name, place))
	}
}

// impossible: the language's runtime wakes its own threads through a counter in the kernel, which cannot fail, and
// gives up where it does.
func impossible(list []call) bool {
	return slices.ContainsFunc(list, func(c call) bool { return c.hit && strings.Contains(c.args, "[eventfd]") })
}

// fail plays the event under a command line, and then each way on from what it left. It gives the calls that were
// traced.
func (w *worker) fail(st *stage, where, log string, prefix []string, k int) (list []call, killed bool, err error) {
	e := st.scenario.event(st.Player)
	r := st.Do(e, prefix...)
	if list, err = readTrace(log); err != nil || !r.Killed && impossible(list) {
		st.Bad, st.Trace = nil, nil
		return list, r.Killed, err
	}
	if k == 0 && r.Code != 0 {
		st.Say("the event itself fails: code %d, %s", r.Code, r.Err)
	}
	if st.scenario.after != nil {
		st.scenario.after(st.Player, r)
	}
	w.tally.add(st.Player, where)
	st.Broken = false
	left, err := st.Save()
	if err != nil {
		st.Say("%v", err)
	}
	ways := st.scenario.ways
	if w.ways > 0 && k > 0 { // a few of them each time, all of them in turn
		ways = append(slices.Clone(ways), ways...)[k%len(ways):][:min(w.ways, len(ways))]
	}
	for _, on := range ways {
		if err := st.Restore(left); err != nil {
			st.Say("%v", err)
		}
		on.play(st.Player)
		st.Settle()
		if st.scenario.extra != nil {
			st.scenario.extra(st.Player, st.Disk())
		}
		st.Trace = append([]string{fmt.Sprintf("event: code %d\n  out %s\n  err %s", r.Code, r.Out, r.Err)}, st.Trace...)
		w.tally.add(st.Player, where+"; then "+on.name)
	}
	return list, r.Killed, nil
}
