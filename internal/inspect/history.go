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

// History writes every line of the skills' histories, or of one run, to out: the archived runs
// first, in the order in which they were written. One line is in memory at a time. Damaged lines
// are skipped and reported together at the end.
func (d *Inspector) History(skills []loop.Skill, runID string, out report.History) error {
	var bad damages
	found := runID == ""
	err := d.askTrees(func(v *question) error {
		project := v.named() // looked up once, not for each line
		return v.folders(false, func(files *store.Store, _ bool) error {
			for _, skill := range skills {
				read := skim("cursors", "gates", "usage_by_model")
				if out.Whole { // the line itself is printed, so all of it must be sound
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

// damages are the lines that could not be read: the first ones, and how many more.
type damages struct {
	list []error
	more int
}

// maxDamages bounds how many damaged lines are reported one by one.
const maxDamages = 5

// reader fills an iteration from a line.
type reader func(raw store.RawLine, l *loop.Iteration) error

// readLine is a line that waits to be read, or was.
type readLine struct {
	raw store.RawLine
	l   *loop.Iteration
	err error
}

// maxWaiting is the length of the lines, in bytes, that are read at once on all processors.
const maxWaiting = 1 << 20

// lines reads a history from its beginning and collects the damaged lines. Each line comes with its
// text, which is good until the next one.
func (d *damages) lines(files *store.Store, skill loop.Skill, read reader,
	each func(l *loop.Iteration, text []byte) error) error {
	var waiting []readLine
	var text []byte // of those that wait
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

// scan reads a line whose whole text is checked.
func scan(raw store.RawLine, l *loop.Iteration) error {
	return fields(raw.Scan, l, nil)
}

// skim reads lines whose snapshot is only searched for what crashes leave. It leaves out the named
// fields and those that no page shows, because reading them takes as long as the rest.
func skim(without ...string) reader {
	without = append(without, "backlog_snapshot", "failures", "plan")
	return func(raw store.RawLine, l *loop.Iteration) error {
		return fields(raw.Skim, l, without)
	}
}

// fields reads the fields beside the snapshot. Of the snapshot it reads what distinguishes a stop
// between two iterations, and lines of the SPEC's own format, which have no run id.
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
	if l.Outcome == loop.Stopped || l.Outcome == loop.Waiting { // it may be the run's last
		_ = codec.Setter(&l.Budget)("dollars_outside", gjson.GetBytes(snapshot, "dollars_outside"))
	}
	if l.RunID == "" {
		_ = codec.Setter(&l.Budget)("started_at", gjson.GetBytes(snapshot, "started_at"))
	}
	return err
}
