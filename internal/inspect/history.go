package inspect

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/tidwall/gjson"

	"hooks/internal/codec"
	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/store"
)

// History writes every line of the skills' histories, or of one run, to out: archived runs first,
// in the order of writing. It holds about maxWaiting bytes of lines in memory. Damaged lines are
// skipped and reported together at the end.
func (d *Inspector) History(skills []loop.Skill, runID string, out report.History) error {
	var bad damages
	found := runID == ""
	err := d.askTrees(func(v *question) error {
		project := v.named() // once, not for each line
		return v.folders(false, func(files *store.Store, _ bool) error {
			for _, skill := range skills {
				read := skim("cursors", "gates", "usage_by_model")
				if out.Whole { // the whole line is printed, so all of it must be valid
					read = scan
				}
				if out.Whole && runID == "" { // no field is needed
					read = func(raw store.RawLine, _ *loop.Iteration) error { return raw.Check() }
				}
				err := bad.lines(files, skill, read,
					func(l *loop.Iteration, text []byte) error {
						if runID != "" && l.RunID != runID {
							return nil
						}
						found = true
						return out.Row(project, l, text)
					})
				if err != nil {
					return fmt.Errorf("write history: %w", err)
				}
			}
			return nil
		})
	})
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

// reader decodes a line into an iteration.
type reader func(raw store.RawLine, l *loop.Iteration) error

// readLine is a line before and after decoding.
type readLine struct {
	raw store.RawLine
	l   *loop.Iteration
	err error
}

// maxWaiting is the size in bytes of a batch of lines, which is decoded on all processors.
const maxWaiting = 1 << 20

// lines reads a history from its beginning and collects the errors of damaged lines. text is valid
// only during the call of each.
func (d *damages) lines(files *store.Store, skill loop.Skill, read reader,
	each func(l *loop.Iteration, text []byte) error) error {
	var waiting []readLine
	var text []byte // of the waiting lines
	for raw, err := range files.RawLines(skill) {
		if len(text)+len(raw.JSON) > cap(text) {
			if err := d.read(waiting, read, each); err != nil {
				return err
			}
			waiting, text = waiting[:0], slices.Grow(text[:0], max(maxWaiting, len(raw.JSON)))
		}
		text = append(text, raw.JSON...)
		raw.JSON = text[len(text)-len(raw.JSON):]
		waiting = append(waiting, readLine{raw, new(loop.Iteration), err})
	}
	return d.read(waiting, read, each)
}

func (d *damages) read(list []readLine, read reader,
	each func(l *loop.Iteration, text []byte) error) error {
	var done sync.WaitGroup
	for part := range slices.Chunk(list, len(list)/runtime.GOMAXPROCS(0)+1) {
		done.Go(func() {
			for i := range part {
				if part[i].err == nil {
					part[i].err = read(part[i].raw, part[i].l)
				}
			}
		})
	}
	done.Wait()
	for _, line := range list {
		if line.err == nil {
			if err := each(line.l, line.raw.JSON); err != nil {
				return err
			}
		} else if len(d.list) < maxDamages {
			d.list = append(d.list, line.err)
		} else {
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

// scan decodes a line and checks its whole text.
func scan(raw store.RawLine, l *loop.Iteration) error {
	return fields(raw.Scan, l, nil)
}

// skim returns a reader that checks the snapshot of a line only for traces of crashes. It omits the
// named fields and those that no page shows, because decoding them takes as long as the rest.
func skim(without ...string) reader {
	without = append(without, "backlog_snapshot", "failures", "plan")
	return func(raw store.RawLine, l *loop.Iteration) error {
		return fields(raw.Skim, l, without)
	}
}

// fields decodes the fields outside of the snapshot. From the snapshot it takes only the fields
// that identify a stop between iterations, the spend outside of iterations, and the start of a run
// in the SPEC's own format, which has no run id.
func fields(
	read func(each func(name string, v gjson.Result)) ([]byte, error), l *loop.Iteration,
	without []string,
) error {
	set := codec.Setter(l)
	snapshot, err := read(func(name string, v gjson.Result) {
		if !slices.Contains(without, name) {
			_ = set(name, v) // as far as it can be read
		}
	})
	if l.Outcome == loop.Stopped {
		l.Budget.IterationsUsed = int(gjson.GetBytes(snapshot, "iterations_used").Int())
	}
	if l.Outcome == loop.Stopped || l.Outcome == loop.Waiting { // may be the run's last line
		_ = codec.Setter(&l.Budget)("dollars_outside", gjson.GetBytes(snapshot, "dollars_outside"))
	}
	if l.RunID == "" {
		_ = codec.Setter(&l.Budget)("started_at", gjson.GetBytes(snapshot, "started_at"))
	}
	return err
}
