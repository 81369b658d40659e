package desk

import (
	"errors"
	"fmt"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/store"
)

// History gives every line of the skills' histories to out, the archive's first, in the order in which they were
// written; of one run, or of all for "". One line is in memory at a time. Damaged lines are passed over and reported
// together at the end.
func (d *Desk) History(skills []loop.Skill, runID string, out report.History) error {
	v, err := d.visit()
	if err != nil {
		return errors.Join(err, out.Close())
	}
	h := history{runID: runID, out: out, whole: out.Whole()}
	if v.files != nil {
		defer v.files.Close()
		err = v.inOrder(func(files *store.Store) error { return h.read(files, skills) })
	}
	if err == nil && runID != "" && !h.found {
		return hint.New("the runs are listed by `hooks loop list`", "there is no iteration of run %q", runID)
	}
	return errors.Join(err, out.Close(), h.complaint())
}

// history is one way through all lines.
type history struct {
	runID string
	out   report.History
	whole bool // the lines go out as they are
	found bool
	damages
}

// damages are what could not be read: the first ones, and how many more.
type damages struct {
	list []error
	more int
}

// mostDamage bounds how many damaged lines are told one by one.
const mostDamage = 5

func (d *damages) add(err error) {
	if len(d.list) == mostDamage {
		d.more++
		return
	}
	d.list = append(d.list, err)
}

func (d *damages) complaint() error {
	err := store.Hinted(errors.Join(d.list...))
	if d.more > 0 {
		err = errors.Join(err, fmt.Errorf("and %d more damaged lines", d.more))
	}
	return err
}

func (h *history) read(files *store.Store, skills []loop.Skill) error {
	for _, skill := range skills {
		for raw, err := range files.RawLines(skill) {
			var r report.HistoryRow
			if err == nil {
				r, err = h.row(raw)
			}
			switch {
			case err != nil:
				h.add(err)
			case h.runID == "" || r.RunID == h.runID:
				h.found = true
				if err := h.out.Row(r); err != nil {
					return fmt.Errorf("write history: %w", err)
				}
			}
		}
	}
	return nil
}

// row takes out of a line what a table shows. One that goes out as it stands is checked whole.
func (h *history) row(raw store.RawLine) (r report.HistoryRow, err error) {
	r.JSON = raw.JSON
	if h.whole {
		if err = raw.Check(); err != nil || h.runID == "" {
			return r, err
		}
	}
	snapshot, err := raw.Skim(field(&r), "stop_conditions_fired", "denied", "overrun")
	if err == nil && r.Outcome == string(loop.Stopped) {
		r.Unbegun = gjson.GetBytes(snapshot, "iterations_used").Int() < r.Iteration
	}
	return r, err
}

// field fills in one field of a line.
func field(r *report.HistoryRow) func(name string, v gjson.Result) {
	return func(name string, v gjson.Result) {
		switch name {
		case "run_id":
			r.RunID = v.String()
		case "seq":
			r.Seq = v.Int()
		case "iteration":
			r.Iteration = v.Int()
		case "skill":
			r.Skill = v.String()
		case "outcome":
			r.Outcome = v.String()
		case "started_at":
			r.Started, _ = time.Parse(time.RFC3339, v.Str)
		case "ended_at":
			r.Ended, _ = time.Parse(time.RFC3339, v.Str)
		case "dollars_this_iter":
			_ = r.Dollars.UnmarshalJSON([]byte(v.Raw))
		case "tokens_in_this_iter":
			r.TokensIn = v.Int()
		case "tokens_out_this_iter":
			r.TokensOut = v.Int()
		case "agents_dispatched_this_iter":
			r.Agents = v.Int()
		case "comments_pushed_this_iter":
			r.Comments = v.Int()
		case "merges_attempted_this_iter":
			r.Merges = v.Int()
		case "prs_touched_this_iter":
			r.PRs = texts(v)
		case "stop_conditions_fired":
			r.Causes = texts(v)
		case "denied":
			r.Refused = 0
			v.ForEach(func(_, d gjson.Result) bool {
				r.Refused += d.Get("times").Int()
				return true
			})
		case "overrun":
			_ = r.Over.UnmarshalJSON([]byte(v.Get("over").Raw))
		}
	}
}

func texts(list gjson.Result) (out []string) {
	list.ForEach(func(_, v gjson.Result) bool {
		out = append(out, v.String())
		return true
	})
	return out
}
