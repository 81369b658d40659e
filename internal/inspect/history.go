package inspect

import (
	"errors"
	"fmt"

	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/store"
)

// History writes every line of the skills' histories, or of one run, to out: archived runs first,
// in the order of writing. It holds one line in memory. Damaged lines are skipped and reported
// together at the end.
func (d *Inspector) History(skills []loop.Skill, runID string, out report.History) error {
	var bad damages
	found, w := runID == "", d.walk()
	for v := range w.each(w.projects()) {
		project := v.named()
		for files := range v.folders(false) {
			for _, skill := range skills {
				err := bad.lines(files, skill, func(l *loop.Iteration, text []byte) error {
					if runID != "" && l.RunID != runID {
						return nil
					}
					found = true
					return out.Row(project, l, text)
				}, "cursors", "gates", "usage_by_model")
				if err != nil {
					return fmt.Errorf("write history: %w", err)
				}
			}
		}
	}
	err := w.err()
	if err == nil && !found {
		return hint.New("the runs are listed by `hooks loop list`",
			"there is no iteration of run %q", runID)
	}
	return errors.Join(err, out.Close(), bad.complaint())
}

// damages holds the errors of the first lines that could not be read, and the number of the others.
type damages struct {
	list []error
	more int
}

// maxDamages bounds the damaged lines that are reported one by one.
const maxDamages = 5

// lines skims a history from its beginning, without the named fields, and collects the errors of
// damaged lines. text is valid only until each returns.
func (d *damages) lines(
	files *store.Store, skill loop.Skill, each func(l *loop.Iteration, text []byte) error,
	without ...string,
) error {
	for raw, err := range files.RawLines(skill) {
		var l *loop.Iteration
		if err == nil {
			l, err = raw.Skim(without...)
		}
		switch {
		case err == nil:
			if err := each(l, raw.JSON); err != nil {
				return err
			}
		case len(d.list) < maxDamages:
			d.list = append(d.list, err)
		default:
			d.more++
		}
	}
	return nil
}

func (d *damages) complaint() error {
	err := store.Hinted(errors.Join(d.list...))
	if d.more > 0 {
		err = errors.Join(err, errors.New("and "+loop.Plural(d.more, "more damaged line")))
	}
	return err
}
