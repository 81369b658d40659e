package usage

import (
	"fmt"
	"os"
	"slices"
	"time"

	"hooks/internal/loop"
)

// Present is the current state of a run and its open iteration.
type Present struct {
	Run   *loop.Budget // including Since
	Tick  *loop.Tick   // nil if none is open; interrupted if the client has marked an Esc
	Since loop.Spent   // beyond the run's cursors
	Notes []string     // one line each, about usage not counted or uncertain
}

// Now reads the usage beyond the run's cursors from the transcript of the open iteration t or, if
// the run has none, from that of its session. If the client is dead, it reads only the transcript
// of an open iteration. It saves nothing.
func Now(
	b *loop.Budget, t *loop.Tick, alive bool, past Past, table Table, now time.Time,
) Present {
	if t != nil && t.RunID != b.RunID {
		t = nil
	}
	p, path := Present{Tick: t}, ""
	switch {
	case t != nil:
		path = t.Transcript
	case b.Status == loop.Active && alive:
		path = b.Transcript()
	}
	if path != "" {
		c := newCounter(table)
		cursors, names := past.unsettled(path, b.Cursors, t)
		p.Since, _, p.Notes, _ = c.spend(path, cursors, names)
		if t != nil && !t.Halting() && t.Failed == "" && c.res.Marked(t.Prompts, !t.Draining) {
			ended := *t
			ended.Interrupt(loop.ByEsc)
			ended.Pending = nil
			p.Tick = &ended
		}
	}
	p.Run = b.Now(p.Tick, p.Since, alive, now)
	return p
}

// Past holds the facts from the run's history that Now needs.
type Past struct {
	Written time.Time // last change, by the file system's clock; zero if there is no history
	// Ended returns the cursors of ended workers, for the named transcripts.
	Ended func(transcript string, names []string) []loop.Cursor
}

// unsettled returns the subagents' transcripts that may hold uncounted usage, and the cursors from
// which to count. A worker without a cursor is fully counted if its transcript has not changed for
// a while before the last history line, so the history is not searched for it: a long run has many
// workers. A skipped tick may write a line during an iteration, so only lines before the open
// iteration are relied on.
func (p Past) unsettled(
	transcript string, cursors []loop.Cursor, t *loop.Tick,
) (from []loop.Cursor, names []string) {
	since := p.Written
	if t != nil && t.StartedAt.Before(since) {
		since = t.StartedAt
	}
	var ended []string
	for _, name := range agents(transcript) {
		if !slices.ContainsFunc(cursors, func(c loop.Cursor) bool { return c.Path == name }) {
			fi, err := os.Stat(agentPath(transcript, name))
			if err == nil && since.Sub(fi.ModTime()) > settled {
				continue
			}
			if t == nil || !Began(transcript, name).After(t.StartedAt) {
				ended = append(ended, name)
			}
		}
		names = append(names, name)
	}
	if len(ended) > 0 {
		cursors = loop.Overlay(p.Ended(transcript, ended), cursors)
	}
	return cursors, names
}

// Done counts as Count does, in the form in which a run takes it. It also returns the finished
// calls in those lines whose results contain the address of a pull or merge request or a sign that
// qmd was unreachable, in the order of their results, file by file. Notes, one line each, describe
// usage not counted or uncertain. After an error, no usage is returned.
func Done(transcript string, cursors []loop.Cursor, table Table) (
	loop.Spent, []Call, []string, error) {
	c := newCounter(table)
	c.tools = true
	spent, calls, notes, err := c.spend(transcript, cursors, agents(transcript))
	if err == nil {
		spent.By = c.spenders()
	}
	return spent, calls, notes, err
}

func (c *counter) spend(transcript string, cursors []loop.Cursor, names []string) (
	loop.Spent, []Call, []string, error) {
	r, err := c.count(transcript, cursors, names)
	spent := loop.Spent{Source: c.table().Source()}
	if err != nil {
		return spent, c.done, []string{fmt.Sprintf("Usage could not be counted: %v", err)}, err
	}
	spent.ByModel, spent.Cursors, spent.Skipped = r.ByModel, r.Cursors, r.Skipped
	var notes []string
	if r.Skipped > 0 {
		notes = append(notes, loop.Plural(r.Skipped, "line")+" of the transcripts could not be "+
			"read: what they spent is not counted")
	}
	for _, m := range r.Unknown {
		notes = append(notes, fmt.Sprintf("Unknown model in cost accounting: %s — priced like the "+
			"nearest known one. Add a row to ### Loop Cost Rates in CLAUDE.md to fix.", m))
	}
	return spent, c.done, notes, nil
}
