package inspect

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/store"
)

// History writes every line of the skills' histories, or of one run, to out: archived runs first,
// in the order of writing. It holds one batch of lines in memory. Damaged lines are skipped and
// reported together at the end.
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

// maxBatch is the number of bytes of history lines above which a batch is parsed.
const maxBatch = 1 << 20

// skimmed is a line of a history and what was read from it.
type skimmed struct {
	raw store.RawLine
	l   *loop.Iteration
	err error
}

// lines skims a history from its beginning, without the named fields, and collects the errors of
// damaged lines. It parses a batch of lines on all processors, because a long history takes most of
// its time to parse.
func (d *damages) lines(
	files *store.Store, skill loop.Skill, each func(l *loop.Iteration, text []byte) error,
	without ...string,
) error {
	var batch []skimmed
	size := 0
	for raw, err := range files.RawLines(skill) {
		raw.JSON = bytes.Clone(raw.JSON)
		batch, size = append(batch, skimmed{raw: raw, err: err}), size+len(raw.JSON)
		if size > maxBatch {
			if err := d.skim(batch, each, without); err != nil {
				return err
			}
			batch, size = batch[:0], 0
		}
	}
	return d.skim(batch, each, without)
}

func (d *damages) skim(
	batch []skimmed, each func(l *loop.Iteration, text []byte) error, without []string,
) error {
	var done sync.WaitGroup
	for part := range slices.Chunk(batch, len(batch)/runtime.GOMAXPROCS(0)+1) {
		done.Go(func() {
			for i := range part {
				if s := &part[i]; s.err == nil {
					s.l, s.err = s.raw.Skim(without...)
				}
			}
		})
	}
	done.Wait()
	for _, s := range batch {
		switch {
		case s.err == nil:
			if err := each(s.l, s.raw.JSON); err != nil {
				return err
			}
		case len(d.list) < maxDamages:
			d.list = append(d.list, s.err)
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
