package inspect

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"sync"

	"hooks/internal/english"
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
				for l, text := range bad.lines(files, skill, "cursors", "gates", "usage_by_model") {
					if runID != "" && l.RunID != runID {
						continue
					}
					found = true
					if err := out.Row(project, l, text); err != nil {
						return fmt.Errorf("write history: %w", err)
					}
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

// skimmed is a raw line of a history with the result of parsing it.
type skimmed struct {
	raw store.RawLine
	l   *loop.Iteration
	err error
}

// lines yields the lines of a history with their texts, the oldest first, without the named fields.
// It skips damaged lines and collects their errors. It parses a batch of lines on all processors,
// because parsing takes most of the time of a long history.
func (d *damages) lines(
	files *store.Store, skill loop.Skill, without ...string,
) iter.Seq2[*loop.Iteration, []byte] {
	return func(yield func(*loop.Iteration, []byte) bool) {
		var batch []skimmed
		size := 0
		for raw, err := range files.RawLines(skill) {
			raw.JSON = bytes.Clone(raw.JSON)
			batch, size = append(batch, skimmed{raw: raw, err: err}), size+len(raw.JSON)
			if size > maxBatch {
				if !d.skim(batch, yield, without) {
					return
				}
				batch, size = batch[:0], 0
			}
		}
		d.skim(batch, yield, without)
	}
}

// skim parses a batch and yields its lines. It reports whether more lines are wanted.
func (d *damages) skim(
	batch []skimmed, yield func(*loop.Iteration, []byte) bool, without []string,
) bool {
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
			if !yield(s.l, s.raw.JSON) {
				return false
			}
		case len(d.list) < maxDamages:
			d.list = append(d.list, s.err)
		default:
			d.more++
		}
	}
	return true
}

func (d *damages) complaint() error {
	err := store.Hinted(errors.Join(d.list...))
	if d.more > 0 {
		err = errors.Join(err, errors.New("and "+english.Plural(d.more, "more damaged line")))
	}
	return err
}
