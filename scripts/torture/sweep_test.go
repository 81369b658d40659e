//go:build linux

package torture

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"hooks/scripts/driver"
)

// sweep makes the calls of one program fail in some scenarios.
type sweep struct {
	*torture
	*findings
	program   string
	dir       string // relative to the torture's
	scenarios []scenario
	calls     []string
	faults    []fault
	few       bool // only calls on the loop's own files
	thin      bool // kill before each change, one other fault for each place, no second try
	ways      int  // ways to continue that are tried after each fault; 0 for all
	most      int  // number of violations that ends the sweep

	tries, struck, kills int
}

// faults makes every call that matters fail.
func (t *torture) faults(f *findings) string {
	if !canTrace() {
		return noStrace
	}
	s := &sweep{torture: t, findings: f, dir: "faults", calls: failing, most: 40,
		faults: allFaults, few: !t.whole, thin: !t.whole}
	s.program = t.build(f, variant{name: "pinned"}, true)
	s.scenarios = slices.DeleteFunc(slices.Clone(scenarios), func(sc scenario) bool {
		return !strings.Contains(sc.name, t.name)
	})
	if t.drawn > 0 {
		dice := rand.New(rand.NewPCG(uint64(t.seed), 1))
		dice.Shuffle(len(s.scenarios), func(i, j int) {
			s.scenarios[i], s.scenarios[j] = s.scenarios[j], s.scenarios[i]
		})
		s.scenarios = s.scenarios[:min(t.drawn, len(s.scenarios))]
	}
	if !t.whole {
		s.faults, s.ways = allFaults[:3], 1
	}
	s.run()
	return fmt.Sprintf("%d scenarios, %d faults in %d tries (%d kills); %d starts of the program",
		len(s.scenarios), s.struck, s.tries, s.kills, f.starts)
}

// job is one fault in one kind of call, for every k.
type job struct {
	scenario *scenario
	call     string
	fault    fault
}

func (s *sweep) run() {
	jobs := make(chan job)
	var workers sync.WaitGroup
	for n := range s.workers {
		workers.Go(func() {
			w := &worker{sweep: s, dir: filepath.Join(s.dir, fmt.Sprint(n))}
			w.stages = map[string]*stage{}
			for j := range jobs {
				w.do(j)
			}
		})
	}
	for i := range s.scenarios {
		for _, c := range s.calls {
			for _, f := range s.faults {
				jobs <- job{&s.scenarios[i], c, f}
			}
		}
	}
	close(jobs)
	workers.Wait()
}

// worker plays in its own folder. It plays each scenario up to its event only once.
type worker struct {
	*sweep
	dir    string
	stages map[string]*stage
}

// stage is a scenario immediately before its event.
type stage struct {
	*player
	*scenario
	saved *driver.Snapshot
	calls map[string][]int // indexes of the calls that matter within their thread
	seen  map[string][]int // those that change what other processes see
}

func (w *worker) stage(sc *scenario) *stage {
	st := w.stages[sc.name]
	if st == nil {
		st = &stage{player: w.player(filepath.Join(w.dir, sc.name), w.program), scenario: sc}
		w.stages[sc.name] = st
		st.Spend(500, 700, false)
		sc.before(st.player)
		w.take(st.player, sc.name+", before anything fails")
		st.saved = st.Save()
		w.rehearse(st)
	}
	st.Restore(st.saved)
	return st
}

func (w *worker) log() string { return filepath.Join(w.torture.dir, w.dir, "trace") }

// rehearse plays the event and every way to continue without a fault. It records the event's calls
// and checks their order.
func (w *worker) rehearse(st *stage) {
	list, _ := w.fail(st, st.name+", nothing fails", strace(w.log(), strings.Join(failing, ",")), 0)
	st.calls, st.seen = map[string][]int{}, map[string][]int{}
	counts, places := map[string]int{}, map[string]bool{}
	for _, c := range list {
		counts[c.thread+c.name]++
		k := counts[c.thread+c.name]
		if (w.few && !st.own(c)) || slices.Contains(st.calls[c.name], k) {
			continue
		}
		if place := c.place(); !w.thin || !places[place] {
			places[place] = true
			st.calls[c.name] = append(st.calls[c.name], k)
		}
		if c.shows() {
			st.seen[c.name] = append(st.seen[c.name], k)
		}
	}

	st.order(list)
	w.take(st.player, st.name+", order of calls")
}

// own reports whether a call changes the loop's files, the reply or a transcript.
func (st *stage) own(c call) bool {
	switch c.name {
	case "read", "pread64", "close":
		return false
	case "openat":
		return strings.Contains(c.args, "O_CREAT") && strings.Contains(c.args, st.Dir)
	}
	return strings.Contains(c.args, st.Dir) || strings.HasPrefix(c.args, "1<")
}

// do makes the k-th call fail, for each k that matters, and one more for calls that a failure adds.
func (w *worker) do(j job) {
	if w.count() >= w.most {
		return
	}
	matter := w.stage(j.scenario).calls[j.call]
	if w.thin && j.fault == allFaults[0] {
		matter = w.stage(j.scenario).seen[j.call]
	}
	if len(matter) == 0 {
		return
	}
	for k, missed := 1, 0; k <= slices.Max(matter) || !w.few && missed < 2; k++ {
		if w.count() >= w.most {
			return
		}
		if w.few && !slices.Contains(matter, k) || w.thin && !j.turn(slices.Index(matter, k)) {
			continue
		}
		// On a busy machine the program may check a lock once more, so the k-th call may be in
		// another thread.
		if w.try(j, k) || !w.thin && w.try(j, k) {
			missed = 0
		} else {
			missed++
		}
	}
}

// turn reports whether this fault is injected into the k-th call. Kills are injected into every
// call.
func (j job) turn(k int) bool {
	n := slices.Index(allFaults, j.fault)
	return n == 0 || k%2 == n%2
}

// try makes one call fail and reports whether the fault struck.
func (w *worker) try(j job, k int) bool {
	st := w.stage(j.scenario)
	st.Failing = strings.HasSuffix(j.fault.name, " on")
	where := fmt.Sprintf("%s, %s %s %d", st.name, j.call, j.fault.name, k)
	list, killed := w.fail(st, where, injecting(w.log(), j.call, j.fault, k), k)
	struck := slices.ContainsFunc(list, func(c call) bool { return c.hit })
	w.Lock()
	defer w.Unlock()
	if w.tries++; struck {
		w.struck++
	}
	if killed {
		w.kills++
	}
	return struck
}

// impossible reports whether the fault hit the eventfd with which the Go runtime wakes its threads.
// It cannot really fail, and the runtime panics if it does.
func impossible(list []call) bool {
	return slices.ContainsFunc(list, func(c call) bool {
		return c.hit && strings.Contains(c.args, "[eventfd]")
	})
}

// fail plays the event under strace, and then each way to continue from the disk that it left. It
// returns the calls in the trace, and whether the program was killed.
func (w *worker) fail(st *stage, where string, prefix []string, k int) (list []call, killed bool) {
	e := st.event(st.player)
	r := st.do(e, prefix...)
	list, err := readTrace(w.log())
	st.Check(err)
	if !r.Killed && impossible(list) {
		st.Errors, st.trace = nil, nil
		return list, false
	}
	if k == 0 && r.Code != 0 {
		st.Errorf("the event itself fails: code %d, %s", r.Code, r.Err)
	}
	if count := counted[st.name]; count != nil {
		count(st.player, r)
	}
	event := st.trace
	w.take(st.player, where)
	st.Failing = false
	left := st.Save()
	st.calm = k == 0
	ways := st.ways
	if w.sweep.ways > 0 && k > 0 { // a few each time, in rotation
		ways = slices.Concat(ways, ways)[k%len(ways):][:min(w.sweep.ways, len(ways))]
	}
	for _, on := range ways {
		st.Restore(left)
		st.trace = slices.Clone(event)
		on.play(st.player)
		st.settle()
		if check := promised[st.name]; check != nil {
			check(st.player)
		}
		w.take(st.player, where+"; then "+on.name)
	}
	return list, r.Killed
}
