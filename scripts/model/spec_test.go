package model

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// The model of a project's loops by the specification, in the plainest words. Money is in whole
// cents.

type ceilings struct{ iterations, prs, minutes, cents int }

type flags struct {
	ceilings
	named  []string // the ceilings that the command names
	lock   string   // skip, wait or force
	resume bool
	pr     int
	budget string // --budget-file
}

// same: these flags make the same run (R15; the lock mode and --resume do not make another).
func (f flags) same(o flags) bool { return f.ceilings == o.ceilings && f.pr == o.pr }

func (f flags) args() string {
	words := []string{"--loop"}
	for _, n := range f.named {
		words = append(words, map[string]string{
			"iterations": fmt.Sprintf("--max-iterations %d", f.iterations),
			"prs":        fmt.Sprintf("--max-prs %d", f.prs),
			"minutes":    fmt.Sprintf("--max-minutes %d", f.minutes),
			"dollars":    fmt.Sprintf("--max-dollars %d", f.cents/100),
		}[n])
	}
	if f.lock != "skip" {
		words = append(words, "--lock="+f.lock)
	}
	if f.resume {
		words = append(words, "--resume")
	}
	if f.pr != 0 {
		words = append(words, fmt.Sprintf("--pr %d", f.pr))
	}
	if f.budget != "" {
		words = append(words, "--budget-file "+f.budget)
	}
	return strings.Join(words, " ")
}

// over lifts or lowers the ceilings that the command names (R16).
func (f flags) over(c ceilings) ceilings {
	for _, n := range f.named {
		switch n {
		case "iterations":
			c.iterations = f.iterations
		case "prs":
			c.prs = f.prs
		case "minutes":
			c.minutes = f.minutes
		case "dollars":
			c.cents = f.cents
		}
	}
	return c
}

type gate struct {
	name, target string
	raise        ceilings
	head         string // of the PR to merge, when it was asked about
	given        string // answered in a terminal
}

func (g gate) key() string { return g.name + ":" + g.target }

type answered struct{ name, target, text string }

type failure struct {
	number int
	cause  string
}

type run struct {
	flags
	typed       []flags // of other commands that a person typed for it
	session     string
	owner       *client
	left        bool // its session has ended
	ceilings    ceilings
	used        int
	prs         []string
	comments    int
	merges      int
	agents      int
	before      int // minutes of earlier stretches
	since       time.Time
	minutes     int // as last written
	cents       int
	outside     int // cents spent while no iteration was open
	qmd         int
	status      string
	cause       string
	gate        string // at which it was stopped
	gateIn      int
	why         string          // no one answered, while it is paused
	failed      []int           // issues it worked on and did not finish: their label is its own
	heard       map[string]bool // sessions in which PostToolUse came
	single      int
	underLoop   bool
	pending     []gate
	carried     []answered
	deferred    []string
	scheduled   []string
	lastPrompts []string
	blocksOf    string
	blocks      []string
	counted     map[string]int // spends of a session's transcript already counted
	marksOf     map[string]int // and interrupt marks
}

// answered: a person has answered in a terminal all that the run waits for.
func (r *run) answered() bool {
	return r.status == "paused" && len(r.pending) > 0 &&
		!slices.ContainsFunc(r.pending, func(g gate) bool { return g.given == "" })
}

// at is the run's active time: a clock that goes backwards takes none away (R31, R32).
func (r *run) at(now time.Time) int {
	return max(r.minutes, r.before+max(0, int(now.Sub(r.since)/time.Minute)))
}

type tick struct {
	session     string
	iteration   int
	started     time.Time
	prompts     []string
	unattended  bool
	body        bool
	draining    bool
	interrupted bool
	failed      bool
	fired       []string
	gate        string
	gateIn      int
	pending     []gate
	given       []gate
	answers     []answered
	carry       []answered
	// PRs whose merge a person allowed, not used yet, with the commit they were asked about
	approved   map[int]string
	heads      map[int]string // last commit known of the PRs it follows, "" where none is
	untold     *untold        // answers that stand in the transcript alone
	asked      bool           // a dialog showed what waits
	workers    []string
	taken      []int
	unnamed    bool // a worker without an issue was refused
	replan     bool // a person asked for a new plan
	reviews    []review
	agents     int
	prs        []string
	seen       int // comments that were seen to be pushed
	comments   int
	merges     int
	qmd        outage
	off        []string // targets left alone in this tick
	reported   bool
	backlog    *backlog
	edges      [][2]int
	plan       []int
	issues     map[int]string
	issueOrder []int
	failures   []failure
	feedback   map[int]bool // reported: human feedback was addressed
	state      map[int]string
	outcome    string
	landed     map[int]bool // seen to be merged
}

func (t *tick) halting() bool { return len(t.fired) > 0 || t.interrupted }

func (t *tick) worked() bool {
	return t.agents > 0 || len(t.prs) > 0 || t.comments > 0 ||
		t.merges > 0
}

// holds: a question keeps back everything but a merge.
func (t *tick) holds() bool {
	return slices.ContainsFunc(t.pending,
		func(g gate) bool { return g.name != "post-feedback-merge" })
}

// outage is what is known of a qmd that was not reached.
type outage struct {
	seen string // the error of a call
	told bool   // by a report
	text string // of that
}

func (o outage) down() bool { return o.seen != "" || o.told }

func (o outage) words() string {
	switch {
	case o.told && o.text != "":
		return o.text
	case o.down() && o.seen == "":
		return "qmd unreachable"
	}
	return o.seen
}

// review is one that the iteration let through.
type review struct {
	pr       int
	approval bool
	call     string
}

type backlog struct{ unblocked, progress []int }

type lock struct {
	of        *run
	session   string
	owner     *client
	iteration int
}

type claim struct {
	session   string
	prompt    string
	flags     flags
	since     time.Time
	iteration int
	asks      bool // the force-unlock gate waits
	blocked   bool
	stopped   bool
	waiters   map[string]time.Time
}

// line is one line of the history.
type line struct {
	session   string
	iteration int
	outcome   string
	fired     []string
	gates     []answered
	prs       []string
	agents    int
	comments  int
	merges    int
	cents     int
	used      int
	minutes   int
	backlog   *backlog
	plan      []int
	taken     []int // by its workers, where PRs came of it
	qmd       string
	failures  []failure
	heads     map[int]string
	ended     map[int]bool // PRs that were merged or closed
	worked    bool         // its body ran
	own       *run         // of the run
}

// side is one skill's loop.
type side struct {
	skill string
	// where --budget-file puts its budget, as the history's commands say; empty is the default
	file  string
	run   *run
	tick  *tick
	lock  *lock
	claim *claim
	lines []line
}

// previous is the last iteration of the run in which work was done (R81, R86, R130).
func (s *side) previous() *line {
	for i := len(s.lines) - 1; i >= 0; i-- {
		if l := &s.lines[i]; l.worked && l.own == s.run {
			return l
		}
	}
	return nil
}

func adds[T comparable](list []T, v ...T) []T {
	for _, x := range v {
		if !slices.Contains(list, x) {
			list = append(list, x)
		}
	}
	return list
}

// touched is prs_touched with what the open tick adds; a single-PR run has its own only (R28, R29).
func (s *side) touched(t *tick) []string {
	if s.run.single != 0 {
		return []string{fmt.Sprintf("#%d", s.run.single)}
	}
	all := slices.Clone(s.run.prs)
	if t != nil {
		all = adds(all, t.prs...)
	}
	return all
}

// spent counts what a session's transcript holds beyond what the run has counted.
func (m *model) spent(r *run, session string) int {
	sum := 0
	for _, c := range m.sessions[session].spends[r.counted[session]:] {
		sum += c
	}
	return sum
}

func (m *model) take(r *run, session string) int {
	sum := m.spent(r, session)
	r.counted[session] = len(m.sessions[session].spends)
	r.marksOf[session] = len(m.sessions[session].marks)
	r.cents += sum
	return sum
}

// aside counts what was spent while no iteration was open. A run that is paused or has ended spends
// nothing.
func (m *model) aside(r *run, session string) {
	if sum := m.take(r, session); r.status == "active" {
		r.outside += sum
	} else {
		r.cents -= sum
	}
}

// escaped reports whether the transcript has a person's mark, in a turn of this tick, after the
// part that was counted.
func (m *model) escaped(r *run, t *tick) bool {
	marks := m.sessions[t.session].marks
	return slices.ContainsFunc(marks[min(r.marksOf[t.session], len(marks)):],
		func(p string) bool { return slices.Contains(t.prompts, p) })
}
