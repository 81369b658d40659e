package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"hooks/internal/guard/effect"
	"hooks/internal/loop"
	"hooks/internal/page"
)

// Why explains why a loop stopped, or what would stop it.
type Why struct {
	Skill   loop.Skill  `json:"skill"`
	Project string      `json:"project,omitempty"` // see Stand
	RunID   string      `json:"run_id"`
	Command string      `json:"command"`
	Status  loop.Status `json:"status"`
	Alive   bool        `json:"owner_alive"`
	Resume  string      `json:"resume,omitempty"` // command that continues a stopped loop
	Budgets []Axis      `json:"budgets"`
	// Stopped is set if the run is halted or paused. Otherwise Conditions and Gates are set.
	Stopped    *StopWhy         `json:"stopped,omitempty"`
	Conditions []loop.Explained `json:"conditions"`
	Gates      []loop.Explained `json:"gates"`
	// Trouble lists a task loop's symptoms, each with its cause and fix (T80).
	Trouble []string `json:"trouble,omitempty"`
	// Denied lists the calls refused in the open iteration or, if none is open, in the last one.
	Denied []loop.Denial `json:"denied,omitempty"`

	style, title string
}

// NewWhy returns an explanation that holds a loop's state but no reasons yet.
func NewWhy(st Stand) Why {
	b := st.Run
	w := Why{Skill: b.Skill, Project: st.Project, RunID: b.RunID, Command: b.Command,
		Status: b.Status, Alive: st.OwnerAlive, Resume: st.Resume, Budgets: st.Budgets}
	w.style, w.title = st.title()
	return w
}

// Last adds the symptoms and refusals of run b's last iteration. last may be nil.
func (w *Why) Last(b *loop.Budget, last *loop.Iteration) {
	if own, ok := b.Own.(Lister); ok {
		w.Trouble = own.Trouble(b, last)
	}
	if last != nil {
		w.Denied = last.Denied
	}
}

// StopWhy describes why a run ended or is paused.
type StopWhy struct {
	Number    int    `json:"number,omitempty"` // condition number; 0 if no condition stopped it
	Condition string `json:"condition,omitempty"`
	Cause     string `json:"cause"`
	Text      string `json:"text"`
	Gate      string `json:"gate,omitempty"` // gate answered with stop
	Iteration int    `json:"iteration"`
	// the run stopped after that iteration had ended
	Between   bool      `json:"between_iterations,omitempty"`
	Since     time.Time `json:"since"`
	Also      []string  `json:"also_fired"` // other causes that held in the same iteration
	Do        []string  `json:"do"`         // steps for a person, in order
	Waiting   []Waiting `json:"waiting"`
	LastError string    `json:"last_error,omitempty"` // last qmd error
	// Overrun is the amount by which the last iteration exceeded the dollar ceiling.
	Overrun *loop.Overrun `json:"overrun,omitempty"`
}

// StoppedBy explains a halted or paused run. last is its last line or nil; path is as for Resume.
func StoppedBy(b *loop.Budget, last *loop.Iteration, gates []Waiting, path string) *StopWhy {
	s := &StopWhy{Cause: b.StopCause, Text: stopText(b), Iteration: b.IterationsUsed,
		Gate: cmp.Or(b.StopDetail, &loop.StopDetail{}).Gate, Waiting: gates}
	if last != nil {
		s.Iteration, s.Since, s.LastError = last.Iteration, last.EndedAt, last.LastQmdError
		s.Overrun = last.Overrun
		if !last.Began() {
			s.Iteration, s.Between = last.Budget.IterationsUsed, true
		}
		s.Also = loop.Without(last.Fired, b.StopCause)
	}
	if c, ok := loop.ConditionOf(b.StopCause); ok {
		s.Number, s.Condition = c.Number, c.Name
		s.Do = loop.AppendNew(s.Do, c.Way)
	}
	s.Do = append(s.Do, each(unanswered(gates), func(w Waiting) string { return w.Answer })...)
	s.Do = loop.AppendNew(s.Do, Resume(b, path))
	return s
}

// where describes when the run stopped, for example "after iteration 3".
func (s *StopWhy) where() string {
	switch {
	case !s.Between:
		return fmt.Sprintf("iteration %d", s.Iteration)
	case s.Iteration == 0:
		return "before its first iteration"
	}
	return fmt.Sprintf("after iteration %d", s.Iteration)
}

// Draw writes why a loop stopped, or the state of every condition and gate that could stop it.
func (w Why) Draw(p *page.Text) {
	p.Line(w.style, "%s", w.title)
	var about page.Facts
	about.Given("project", w.Project)
	if stop := w.Stopped; stop != nil {
		about = slices.Concat(about, stop.facts(p.Screen), budgets(p.Screen, w.Budgets))
		about.Rows("next", page.Strong, stop.Do)
	} else {
		p.Table(couldStop("condition", w.Conditions))
		p.Blank()
		p.Table(couldStop("gate", w.Gates))
		about.Given("next", w.Resume)
	}
	about.Rows("trouble", page.Warn, w.Trouble)
	about.Rows("refused", page.Plain, each(w.Denied, refusal))
	p.Facts(about)
}

// couldStop returns a table of the conditions or gates that apply to a run, each with its state.
func couldStop(name string, list []loop.Explained) page.Table {
	t := page.Table{Columns: []page.Column{{Name: name}, {Name: "now", Loose: true}}}
	for _, e := range list {
		style, name, now := page.Plain, e.Name, e.Now
		if e.Number > 0 {
			name = fmt.Sprintf("%2d %s", e.Number, e.Name)
		}
		switch {
		case !e.Applies:
			continue
		case e.Holds != "" && e.Number > 0:
			style, now = page.Warn, "holds: "+e.Now
		case e.Holds != "":
			style, now = page.Warn, "waits: "+e.Holds
		}
		t.Add(name, now).Style = style
	}
	return t
}

// facts returns why, when and where the run stopped, and its pending questions.
func (s *StopWhy) facts(screen page.Screen) (list page.Facts) {
	if s.Condition != "" {
		list.Row("condition", page.Plain, "%d %s (%s)", s.Number, s.Condition, s.Cause)
	} else {
		list.Row("cause", page.Plain, "%s", s.Cause)
	}
	list.Given("gate", s.Gate)
	list.Row("since", page.Plain, "%s, %s", screen.At(s.Since), s.where())
	list.Given("also held", commas(s.Also...))
	list.Given("last error", s.LastError)
	if s.Overrun != nil {
		list.Row("overrun", page.Warn, "%s", s.Overrun)
	}
	return append(list, slices.Concat(each(s.Waiting, Waiting.facts)...)...)
}

// Explanation describes how the guard reads a command.
type Explanation struct {
	Command string       `json:"command"`
	Acts    []effect.Act `json:"acts,omitempty"`
	Opaque  []string     `json:"opaque,omitempty"` // unreadable parts, with reasons
	// true if the command may run while a question is pending
	ReadOnly bool   `json:"read_only"`
	Verdict  string `json:"verdict"`
	// HeldBy names the mechanism that prevents the command from merging without approval. It is
	// empty for a command that only reads.
	HeldBy string `json:"held_by,omitempty"`
}

func (e Explanation) Draw(p *page.Text) {
	for _, a := range e.Acts {
		p.Line(page.Plain, "%s: %s", a.Kind, a.Command)
		if len(a.Via) > 0 {
			p.Put("  ", 4, page.Plain, "through "+strings.Join(a.Via, ", "))
		}
	}
	p.Notes("cannot be read", e.Opaque)
	if len(e.Acts)+len(e.Opaque) == 0 {
		p.Line(page.Plain, "contains nothing that a loop guards against")
	}
	verdict, hint, more := strings.Cut(e.Verdict, "\nhint: ")
	p.Line(page.Plain, "in a loop: %s", verdict)
	if more {
		p.Line(page.Plain, "hint: %s", hint)
	}
	if e.HeldBy != "" {
		p.Line(page.Plain, "held by: %s", e.HeldBy)
	}
}
