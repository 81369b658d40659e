package usage

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"hooks/internal/loop"
)

// Running counts new usage while an iteration runs. It returns the cursors of changed transcripts.
// A long run leaves many ended subagents behind, so Running counts only fresh ones and those with a
// cursor; the count at the end of the iteration includes all of them. It skips files that cannot be
// read and names them in the error.
func Running(
	transcript string, cursors []loop.Cursor, fresh []string, t Table,
) (l loop.RunningNow, err error) {
	var names []string
	for _, c := range cursors {
		if loop.AgentOf(c.Path) != "" {
			names = append(names, c.Path)
		}
	}
	c, err := count(transcript, cursors, loop.AppendNew(names, fresh...), t, nil)
	l.Dollars = loop.Sum(c.res.ByModel).Dollars
	for _, s := range c.list {
		if !s.moved() {
			continue
		}
		l.Cursors = append(l.Cursors, s.cursor)
		// a smaller offset means that the file was replaced
		if l.Read += s.cursor.Offset; s.cursor.Offset >= s.was.Offset {
			l.Read -= s.was.Offset
		}
	}
	return l, err
}

// MainModel returns the model of the last request in the main transcript that the cursors remember,
// or "" if there is none. It ignores advisor requests.
func MainModel(cursors []loop.Cursor) string {
	for _, c := range cursors {
		for _, r := range slices.Backward(c.Open) {
			advisor := strings.Contains(r.ID, " advisor-")
			if loop.AgentOf(c.Path) == "" && r.Model != "" && !advisor {
				return r.Model
			}
		}
	}
	return ""
}

// maxSpenders is the maximum length of the list of largest spenders.
const maxSpenders = 5

// Spenders returns the largest spenders of a count. Each is a thread and a model. Workers are
// described by the client's notes about them.
func (r *Result) Spenders(transcript string) (all []loop.Spender) {
	for _, s := range r.sources {
		for model, u := range s.spent {
			if u.Dollars > 0 {
				all = append(all, loop.Spender{Who: s.name, Model: model, Dollars: u.Dollars})
			}
		}
	}
	slices.SortFunc(all, func(a, b loop.Spender) int {
		return cmp.Or(cmp.Compare(b.Dollars, a.Dollars),
			cmp.Compare(a.Who, b.Who), cmp.Compare(a.Model, b.Model))
	})
	all = all[:min(len(all), maxSpenders)]
	for i, spender := range all {
		if spender.Who == transcript {
			all[i].Who = "main thread"
			continue
		}
		note, _ := readNote(AgentPath(transcript, spender.Who))
		all[i].Who = "worker " + loop.AgentOf(spender.Who)
		about := note.Get("agentType").String() + ": " + note.Get("description").String()
		if about = strings.Trim(about, ": "); about != "" {
			all[i].Who += " (" + about + ")"
		}
	}
	return all
}

// Present is the current state of a run and its open iteration.
type Present struct {
	Run   *loop.Budget // the run, including Since
	Tick  *loop.Tick   // the open iteration or nil; interrupted if the client recorded an Esc
	Since loop.Spent   // usage beyond the run's cursors
	Notes []string     // see Result
}

// Now reads a run's uncounted usage. It reads the transcript of the open iteration t or, if there
// is none, that of the run's session. If the client is dead, it reads only the transcript of an
// open iteration. counted returns the run's cursors for a transcript, including those of ended
// workers. Now does not save anything.
func Now(
	b *loop.Budget, t *loop.Tick, alive bool, counted func(transcript string) []loop.Cursor,
	table Table, now time.Time,
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
		r, _ := Count(path, counted(path), table)
		p.Since, p.Notes = r.Spent, r.Notes
		if t != nil && !t.Halting() && t.Failed == "" && r.Marked(t.Prompts, !t.Draining) {
			ended := *t
			ended.Interrupt(loop.ByEsc)
			ended.Pending = nil
			p.Tick = &ended
		}
	}
	p.Run = b.Now(p.Tick, p.Since, alive, now)
	return p
}
