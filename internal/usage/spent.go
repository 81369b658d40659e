package usage

import (
	"fmt"

	"hooks/internal/loop"
)

// Spent is Count as a run takes it in. Notes, one line each, name what could not be counted, or not
// surely; after an error nothing is spent.
func Spent(transcript string, cursors []loop.Cursor, table Table) (loop.Spent, []string, error) {
	spent, _, notes, err := newCounter(table).spend(transcript, cursors)
	return spent, notes, err
}

// Done is Spent with the calls in the same lines: those that ended well and whose result has the
// address of a pull or merge request, in the order of their results, file by file.
func Done(transcript string, cursors []loop.Cursor, table Table) (
	loop.Spent, []Call, []string, error) {
	c := newCounter(table)
	c.tools = true
	spent, calls, notes, err := c.spend(transcript, cursors)
	if err == nil {
		spent.By = c.spenders()
	}
	return spent, calls, notes, err
}

func (c *counter) spend(transcript string, cursors []loop.Cursor) (
	loop.Spent, []Call, []string, error) {
	r, err := c.count(transcript, cursors)
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
