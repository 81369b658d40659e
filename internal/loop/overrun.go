package loop

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Running is the open iteration's spending, counted while it runs. It is a lower bound. When the
// iteration ends, everything is counted again from the run's own cursors.
type Running struct {
	// From is the run's dollars_estimate when counting began. If the estimate has changed since, it
	// already includes this count, so the count is void.
	From    USD `json:"from"`
	Dollars USD `json:"dollars"`
	// Cursors holds the cursors of the transcripts that have grown since the run's own cursors.
	Cursors []Cursor `json:"cursors,omitempty"`
}

// Spending returns the iteration's running count and the cursors to continue from.
func (t *Tick) Spending(run *Budget) (r Running, cursors []Cursor) {
	if t.Running == nil || t.Running.From != run.DollarsEstimate {
		return Running{From: run.DollarsEstimate}, run.Cursors
	}
	return *t.Running, Overlay(run.Cursors, t.Running.Cursors)
}

// Count stores a running count if it is valid and has read more bytes than the stored one.
func (t *Tick) Count(run *Budget, r Running) {
	if now, _ := t.Spending(run); r.From == run.DollarsEstimate && r.read() > now.read() {
		t.Running = &r
	}
}

// finds reports whether a running count includes the transcript of a worker that the tick does not
// know. Such a count is saved at once, because calls from other threads do not search for that
// transcript.
func (s State) finds(r Running) bool {
	_, known := s.Tick.Spending(s.Run)
	return slices.ContainsFunc(r.Cursors, func(c Cursor) bool {
		return !slices.ContainsFunc(known, func(k Cursor) bool { return k.Path == c.Path })
	})
}

func (r *Running) read() (n int64) {
	for _, c := range r.Cursors {
		n += c.Offset
	}
	return n
}

// firstTold records that a thread has been told about the dollar ceiling, and reports whether this
// is the first time.
func (t *Tick) firstTold(agent string) bool {
	before := len(t.DollarsTold)
	t.DollarsTold = AppendNew(t.DollarsTold, cmp.Or(agent, "main"))
	return len(t.DollarsTold) > before
}

// overrun returns d increased by percent.
func (d USD) overrun(percent int) USD { return d.Plus(d / 100 * USD(percent)) }

// Overrun describes by how much a run exceeded its dollar ceiling in an iteration, and which
// threads spent the most.
type Overrun struct {
	Ceiling USD       `json:"ceiling"`
	Spent   USD       `json:"spent"` // total spending of the run
	Over    USD       `json:"over"`
	By      []Spender `json:"by"`
}

// Spender is the spending of one thread on one model in an iteration.
type Spender struct {
	Who     string `json:"who"` // "main thread", or a worker by its id, type and task
	Model   string `json:"model"`
	Dollars USD    `json:"dollars"`
}

func (s Spender) String() string { return fmt.Sprintf("%s, %s, $%s", s.Who, s.Model, s.Dollars) }

func (o *Overrun) String() string {
	s := fmt.Sprintf("$%s past the ceiling ($%s / $%s)", o.Over, o.Spent, o.Ceiling)
	if len(o.By) > 0 {
		s += "; largest spender of the iteration: " + o.By[0].String()
	}
	return s
}

// Past reports whether the run exceeds its dollar ceiling once this usage is added.
func (s Spent) Past(run *Budget) bool {
	b := *run
	b.Spend(s)
	return b.overspent(b.DollarsEstimate, 0)
}

// Model is the model of the main thread's last request. Its price is compared with that of the
// most expensive model that the run has recorded.
type Model struct {
	Name   string // "" if unknown
	Than   string // the run's recorded model; see Budget.Model
	Tenths int64  // its price in tenths of Than's price; 0 unless it is more expensive
}

// meetModel records the run's first model and, later, any more expensive one. It returns a message
// about the latter. changed reports whether the run has changed. Cheaper models are not recorded,
// so a client that alternates between two models causes only one message. Without a dollar ceiling,
// meetModel does nothing.
func (b *Budget) meetModel(m Model, spent USD) (line string, changed bool) {
	first := b.Model == ""
	if b.Ceilings.Dollars == 0 || m.Name == "" || m.Than != b.Model || !first && m.Tenths == 0 {
		return "", false
	}
	b.Model = m.Name
	if first {
		return "", true
	}
	times := strings.TrimSuffix(fmt.Sprintf("%d.%d", m.Tenths/10, m.Tenths%10), ".0")
	return fmt.Sprintf("The model is now %s, about %s times as expensive as %s; $%s of $%s left",
		m.Name, times, m.Than, b.Ceilings.Dollars.minus(spent), b.Ceilings.Dollars), true
}

// Cursor records how far a transcript was counted, so that the next count starts there.
type Cursor struct {
	Path   string `json:"path"`
	Offset int64  `json:"offset"` // bytes counted, up to the end of a whole line
	// Open holds the last requests with their counts, because later lines of the same request may
	// increase them.
	Open []Counted `json:"open,omitempty"`
}

// Counted holds the tokens that one request has contributed so far.
type Counted struct {
	ID     string `json:"id"` // message id and request id, joined by a space
	Model  string `json:"model"`
	Tokens Tokens `json:"tokens"`
}

// subagentFolder is the path prefix in a subagent's cursor. The path is relative to the main
// transcript's folder.
const subagentFolder = "subagents/"

// AgentOf returns the id of the subagent with that transcript path, or "" for the main transcript.
func AgentOf(transcript string) string {
	if !strings.HasPrefix(transcript, subagentFolder) {
		return ""
	}
	return strings.TrimPrefix(strings.TrimSuffix(path.Base(transcript), ".jsonl"), "agent-")
}

// Overlay returns newer, followed by the cursors whose transcripts are not in newer.
func Overlay(cursors, newer []Cursor) []Cursor {
	out := slices.Clone(newer)
	for _, c := range cursors {
		if !slices.ContainsFunc(newer, func(n Cursor) bool { return n.Path == c.Path }) {
			out = append(out, c)
		}
	}
	return out
}

// Transcript returns the path of the run's main transcript, or "" if none has been counted.
func (b *Budget) Transcript() string {
	for _, c := range b.Cursors {
		if AgentOf(c.Path) == "" {
			return c.Path
		}
	}
	return ""
}

// openAtEnd bounds the open entries kept for the main thread after its turn: the last two requests,
// which can still grow, and the entry with the latest time.
const openAtEnd = 2 + 1

// endWorkers removes and returns the cursors of workers that have ended or have no open request.
// The history keeps them in case a worker is continued. endWorkers also trims the main thread's
// requests.
func (b *Budget) endWorkers(running []string) (ended []Cursor) {
	var kept []Cursor
	for _, c := range b.Cursors {
		switch agent := AgentOf(c.Path); {
		case agent == "":
			c.Open = c.Open[max(0, len(c.Open)-openAtEnd):]
			kept = append(kept, c)
		case c.Open != nil && slices.Contains(running, agent):
			kept = append(kept, c)
		default:
			c.Open = nil
			ended = append(ended, c)
		}
	}
	b.Cursors = kept
	return ended
}
