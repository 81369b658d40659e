package usage

import (
	"fmt"

	"hooks/internal/loop"
)

// Spent is Count as a run takes it in. What could not be counted, or not surely, is told in notes, one line each; so is
// the error, after which nothing is spent.
func Spent(transcript string, cursors []loop.Cursor, table Table) (loop.Spent, []string, error) {
	r, err := Count(transcript, cursors, table)
	spent, notes := r.taken(table, err)
	return spent, notes, err
}

// Done is Spent, with the calls that the same lines tell: those that ended well and whose result has the address of a pull
// or merge request, in the order of their results, file by file.
func Done(transcript string, cursors []loop.Cursor, table Table) (loop.Spent, []Call, []string, error) {
	c := newCounter(table)
	c.tools = true
	r, err := c.count(transcript, cursors)
	spent, notes := r.taken(table, err)
	if err == nil {
		spent.By = c.by
	}
	return spent, c.done, notes, err
}

func (r *Result) taken(table Table, err error) (loop.Spent, []string) {
	if err != nil {
		return loop.Spent{Source: table.Source()}, []string{fmt.Sprintf("Usage could not be counted: %v", err)}
	}
	var notes []string
	if r.Skipped > 0 {
		notes = append(notes, fmt.Sprintf("%d lines of the transcripts could not be read: what they spent is not counted", r.Skipped))
	}
	for _, m := range r.Unknown {
		notes = append(notes, fmt.Sprintf("Unknown model in cost accounting: %s — priced like the nearest known one. "+
			"Add a row to ### Loop Cost Rates in CLAUDE.md to fix.", m))
	}
	return loop.Spent{ByModel: r.ByModel, Cursors: r.Cursors, Source: table.Source(), Skipped: r.Skipped}, notes
}
