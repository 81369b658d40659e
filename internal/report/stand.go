package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"

	"hooks/internal/loop"
)

// Stand is how one loop stands now.
type Stand struct {
	Run        *loop.Budget `json:"run"`
	Tick       *loop.Tick   `json:"tick,omitempty"`
	Lock       *loop.Lock   `json:"lock,omitempty"`
	Minutes    int          `json:"minutes_now"`
	LockAlive  bool         `json:"lock_alive"`
	OwnerAlive bool         `json:"owner_alive"`
	Open       loop.USD     `json:"open_iteration_dollars"` // spent since the last iteration ended
	Budgets    []Axis       `json:"budgets"`
	Gates      []Waiting    `json:"gates"`
	Last       *Ran         `json:"last_iteration,omitempty"`
	Next       string       `json:"next_tick"`
	Deferred   []string     `json:"deferred_targets"`
	Notes      []string     `json:"notes"`
	Resume     string       `json:"resume,omitempty"` // what to type to go on; empty while the loop runs
}

// ending says that the open iteration is the last one: a person ended it, or a condition holds already.
func (st Stand) ending() bool { return st.Tick != nil && st.Tick.Halting() }

// Ran is one iteration that has ended.
type Ran struct {
	Iteration int          `json:"iteration"`
	Outcome   loop.LineOutcome `json:"outcome"`
	Ended     time.Time    `json:"ended_at"`
	Minutes   int          `json:"minutes"`
	Dollars   loop.USD     `json:"dollars"`
	PRs       []string     `json:"prs_touched"`
}

// RanIn is an iteration's line in short.
func RanIn(l *loop.Iteration) *Ran {
	return &Ran{l.Iteration, l.Outcome, l.EndedAt, minutesOf(l.StartedAt, l.EndedAt), l.Dollars, append([]string{}, l.PRsTouched...)}
}

// minutesOf is a stretch of time in whole minutes, rounded; a clock that went backwards makes none.
func minutesOf(from, to time.Time) int { return int(max(0, to.Sub(from)+30*time.Second) / time.Minute) }

// Waiting is a question that waits for a person.
type Waiting struct {
	Skill  loop.Skill `json:"skill"`
	Gate   loop.Gate  `json:"gate"`
	Paused bool       `json:"paused"` // answered with `hooks gate answer`; otherwise in the session's dialog
	Answer string     `json:"answer"` // how, exactly
}

// AnswerWord stands for a person's answer where a command is told; it is none itself.
const AnswerWord = "ANSWER"

// Wait is a gate with the exact way to answer it.
func Wait(skill loop.Skill, g loop.Gate, paused bool) Waiting {
	w := Waiting{Skill: skill, Gate: g, Paused: paused, Answer: "in the session's dialog"}
	switch {
	case g.Answer != "":
		w.Answer = fmt.Sprintf("%q, acts on --resume", g.Answer)
	case paused:
		w.Answer = "hooks gate answer " + gateName(g) + " " + AnswerWord
	}
	return w
}

// NameLoops adds the loop's name where the same answer would fit a gate of two loops.
func NameLoops(list []Stand) {
	times := map[string]int{}
	for _, st := range list {
		for _, w := range st.Gates {
			times[w.Answer]++
		}
	}
	for _, st := range list {
		for i := range st.Gates {
			if w := &st.Gates[i]; w.Paused && !w.answered() && times[w.Answer] > 1 {
				name := string(w.Skill) + ":" + strings.Trim(gateName(w.Gate), "'")
				w.Answer = "hooks gate answer " + oneWord(name) + " " + AnswerWord
			}
		}
	}
}

// answered says that a person has answered already; the answer acts when the run is resumed.
func (w Waiting) answered() bool { return w.Gate.Answer != "" }

// way is the answer with what can be answered. A shell takes no part of the choice for a command.
func (w Waiting) way() string {
	if w.answered() || !w.Paused || len(w.Gate.Options) == 0 {
		return w.Answer
	}
	return w.Answer + " (" + labels(w.Gate.Options) + ")"
}

func (w Waiting) label() string {
	if w.answered() {
		return "answered"
	}
	return "answer"
}

// gateName is a gate as it is named on a command line; the target tells several of a name apart.
func gateName(g loop.Gate) string {
	if g.Target == "" {
		return g.Name
	}
	return "'" + g.Name + ":" + strings.ReplaceAll(g.Target, "'", "") + "'"
}

// Standing prints how a loop stands.
func Standing(s Screen, st Stand) string {
	p, b := newPage(s), st.Run
	p.line(mood(st), "%s: %s", invocation(b), state(st))
	p.row("run", plain, "%s, started %s", orUnknown(b.RunID), p.at(b.StartedAt))
	p.axes(st.Budgets)
	if a := firstToEnd(st.Budgets); a != nil && b.Status == loop.Active && st.OwnerAlive && !st.ending() {
		p.row("ends first", strong, "%s%s", a.Name, p.ahead(a))
	}
	for _, g := range st.Gates {
		p.row("waiting", warn, "[%s] %s", g.Gate.Name, g.Gate.Question)
		p.row(g.label(), strong, "%s", g.way())
	}
	if st.Lock != nil {
		p.row("lock", plain, "pid %d (%s), iteration %d, since %s", st.Lock.PID, lives(st.LockAlive), st.Lock.Iteration, p.at(st.Lock.StartedAt))
	}
	p.row("session", plain, "%s", session(st))
	if l := st.Last; l != nil {
		p.row("last", plain, "iteration %d: %s at %s, %d min, $%s%s", l.Iteration, l.Outcome, p.at(l.Ended), l.Minutes, l.Dollars, list(", ", l.PRs))
	}
	p.row("next tick", plain, "%s", st.Next)
	if len(st.Deferred) > 0 {
		p.row("deferred", plain, "%s", strings.Join(st.Deferred, ", "))
	}
	for _, n := range st.Notes {
		p.row("note", plain, "%s", n)
	}
	if st.Resume != "" {
		p.row("go on", strong, "%s", st.Resume)
	}
	return p.String()
}

func session(st Stand) string {
	b := st.Run
	if b.Owner.PID == 0 {
		return orUnknown(b.SessionID) + ", process unknown"
	}
	return fmt.Sprintf("%s, pid %d (%s)", orUnknown(b.SessionID), b.Owner.PID, lives(st.OwnerAlive))
}

func list(lead string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return lead + strings.Join(names, ", ")
}

// mood is the colour of a loop's state.
func mood(s Stand) string {
	switch {
	case s.Run.Status == loop.Halted:
		return bad
	case s.Run.Status == loop.Paused, len(s.Gates) > 0, !s.OwnerAlive, s.ending():
		return warn
	}
	return good
}

func (p *page) axes(axes []Axis) {
	room := 0
	for _, a := range axes {
		room = max(room, len(a.standing()))
	}
	for _, a := range axes {
		width := min(max(p.Width/5, 6), 24)
		text := bar(int64(a.Used), int64(a.Ceiling), width) + "  " + pad(a.standing(), room, false) + a.rest(p.Width < 60)
		p.row(a.Name, a.mood(), "%s", text)
	}
}

func (a Axis) mood() string {
	switch {
	case a.Ceiling > 0 && a.Used >= a.Ceiling:
		return bad
	case a.Ceiling > 0 && a.Used/4 >= a.Ceiling/5: // the gate's 80 %
		return warn
	}
	return plain
}

// standing is what is used, of how much.
func (a Axis) standing() string {
	switch {
	case a.Name != "dollars":
		return fmt.Sprintf("%d/%d", a.Used/one, a.Ceiling/one)
	case a.Ceiling == 0:
		return "$" + loop.USD(a.Used).String()
	}
	return "$" + loop.USD(a.Used).String() + "/" + ceiling(loop.USD(a.Ceiling))
}

// rest is how far the rest goes; in short, without the pace.
func (a Axis) rest(short bool) string {
	each := ""
	switch {
	case a.Name == "dollars" && a.Ceiling == 0:
		each = "  no ceiling"
	case short:
	case a.Name == "dollars" && a.Each > 0:
		each = "  $" + loop.USD(a.Each).String() + " an iteration"
	case a.Name != "iterations" && a.Each > 0:
		each = fmt.Sprintf("  %d.%d an iteration", a.Each/one, a.Each%one/(one/10))
	}
	switch {
	case a.More == nil:
		return each
	case each != "":
		return fmt.Sprintf("%s, %d more", each, *a.More)
	}
	return fmt.Sprintf("  %d more", *a.More)
}

// ahead says what the rest buys and until when.
func (p *page) ahead(a *Axis) string {
	s := ""
	switch {
	case a.More != nil && *a.More == 0:
		return ", no whole iteration more"
	case a.More != nil:
		s = fmt.Sprintf(", %d more", *a.More)
	}
	if a.EndsAt != nil {
		s += ", about " + p.at(*a.EndsAt)
	}
	return s
}

func state(s Stand) string {
	switch b := s.Run; {
	case b.Status == loop.Halted:
		return fmt.Sprintf("halted, %s — %s", b.StopCause, b.StopText)
	case b.Status == loop.Paused && !slices.ContainsFunc(s.Gates, func(w Waiting) bool { return !w.answered() }):
		return "paused, goes on with --resume"
	case b.Status == loop.Paused:
		return "paused, a question waits for a person"
	case !s.OwnerAlive && s.Tick != nil:
		return fmt.Sprintf("active, but its session is gone in the middle of iteration %d", s.Tick.Iteration)
	case !s.OwnerAlive:
		return "active, but its session is gone"
	case s.ending():
		return fmt.Sprintf("active, ends with iteration %d (%s)", s.Tick.Iteration, s.Tick.HaltedBy())
	case s.Tick != nil:
		return fmt.Sprintf("active, iteration %d runs", s.Tick.Iteration)
	}
	return "active, between iterations"
}

func lives(alive bool) string {
	if alive {
		return "alive"
	}
	return "gone"
}

// WaitingQuestion prints a waiting question, what can be answered, and how.
func WaitingQuestion(s Screen, w Waiting) string {
	p := newPage(s)
	p.line(warn, "%s: [%s] %s", w.Skill, w.Gate.Name, w.Gate.Question)
	room := len(w.label())
	for _, o := range w.Gate.Options {
		room = max(room, displaywidth.String(clean(o.Label)))
	}
	item := func(label, style, text string) { p.put("  "+pad(label, room+2, false), 2+room+2, style, text) }
	for _, o := range w.Gate.Options {
		item(clean(o.Label), plain, o.Description)
	}
	item(w.label(), strong, w.Answer)
	return p.String()
}
