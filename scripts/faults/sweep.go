//go:build linux

package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"hooks/scripts/drive"
)

// sweep is a program and everything that is tried on it.
type sweep struct {
	program   string
	dir       string
	schemas   drive.Schemas
	scenarios []scenario
	faults    []fault
	workers   int
	few       bool // only calls on the loop's own files
	ways      int  // how many ways to go on are tried after each fault; 0 is all
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
	places              map[string]bool // by scenario, every place a fault could strike
	struck              map[string]bool // those that one did
	bad                 []violation
}

type violation struct {
	where, what string
	trace       []string
}

// all runs every job and returns what came of them.
func (s *sweep) all() (*tally, error) {
	t := &tally{places: map[string]bool{}, struck: map[string]bool{}}
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
		for _, c := range calls {
			for _, f := range s.faults {
				jobs <- job{&s.scenarios[i], c, f}
			}
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
	calls    map[string][]int // of each system call, which ones matter, counted within their thread
}

func (w *worker) stage(s *scenario) (*stage, error) {
	if st := w.stages[s.name]; st != nil {
		return st, st.Restore(st.at)
	}
	world, err := drive.New(filepath.Join(w.dir, s.name), w.program, livingClient)
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
	st.calls = map[string][]int{}
	counts := map[string]int{}
	for _, c := range list {
		counts[c.thread+c.name]++
		if k := counts[c.thread+c.name]; (!w.few || st.own(c)) && !slices.Contains(st.calls[c.name], k) {
			st.calls[c.name] = append(st.calls[c.name], k)
		}
	}
	if w.few {
		list = slices.DeleteFunc(list, func(c call) bool { return !st.own(c) })
	}
	w.tally.Lock()
	for place := range numbered(st.scenario.name, list) {
		w.tally.places[place] = true
	}
	w.tally.Unlock()
	for _, bad := range order(list, st.State()) {
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
	}
	return strings.Contains(c.args, st.Dir) || strings.HasPrefix(c.args, "1<")
}

// numbered gives each call a name that it has in every run: what it is done to, and the how manieth of these it is.
func numbered(scenario string, list []call) map[string]bool {
	seen, names := map[string]int{}, map[string]bool{}
	for _, c := range list {
		seen[c.place()]++
		names[fmt.Sprintf("%s: %s #%d", scenario, c.place(), seen[c.place()])] = c.hit
	}
	return names
}

// do lets the k-th call fail, for each k that matters and on until the event makes no such call any more.
func (w *worker) do(j job) error {
	log := filepath.Join(w.dir, "trace")
	st, err := w.stage(j.s)
	if err != nil || len(st.calls[j.call]) == 0 {
		return err
	}
	missed, last := 0, slices.Max(st.calls[j.call])
	for k := 1; k <= last || !w.few && missed < 2; k++ {
		if w.few && !slices.Contains(st.calls[j.call], k) {
			continue
		}
		if st, err = w.stage(j.s); err != nil {
			return err
		}
		where := fmt.Sprintf("%s, %s %s %d", j.s.name, j.call, j.fault.name, k)
		st.Broken = strings.HasSuffix(j.fault.name, " on")
		list, killed, err := w.fail(st, where, log, injecting(log, j.call, j.fault, k), k)
		if err != nil {
			return err
		}
		if missed++; w.tally.strike(j.s.name, list, killed) {
			missed = 0
		}
	}
	return nil
}

// strike notes where faults struck, and says whether one did.
func (t *tally) strike(scenario string, list []call, killed bool) bool {
	t.Lock()
	defer t.Unlock()
	if t.runs++; killed {
		t.kills++
	}
	struck := killed
	for place, hit := range numbered(scenario, list) {
		if hit {
			struck, t.struck[place] = true, true
		}
	}
	return struck
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
