package desk

import (
	"bytes"
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
	if err != nil || v.files == nil {
		return errors.Join(err, out.Close())
	}
	defer v.files.Close()
	h := history{runID: runID, out: out, whole: out.Whole()}
	err = errors.Join(v.inOrder(func(files *store.Store) error { return h.read(files, skills) }), out.Close())
	if err == nil && runID != "" && !h.found {
		return hint.New("the runs are listed by `hooks loop list`", "there is no iteration of run %q", runID)
	}
	return errors.Join(err, h.complaint())
}

// history is one way through all lines.
type history struct {
	runID   string
	out     report.History
	whole   bool // the lines go out as they are
	scratch []byte
	found   bool
	damage  []error
	more    int // damaged lines beyond those told
}

// mostDamage bounds how many damaged lines are told one by one.
const mostDamage = 5

func (h *history) complaint() error {
	err := store.Hinted(errors.Join(h.damage...))
	if h.more > 0 {
		err = errors.Join(err, fmt.Errorf("and %d more damaged lines", h.more))
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
			case err != nil && len(h.damage) < mostDamage:
				h.damage = append(h.damage, err)
			case err != nil:
				h.more++
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

// row takes out of a line what a table shows. A line that goes out whole is checked whole; else, where it has the order in
// which this program writes, the snapshot of the budget, most of it, is not even looked at.
func (h *history) row(raw store.RawLine) (report.HistoryRow, error) {
	r := report.HistoryRow{JSON: raw.JSON}
	if h.whole && h.runID == "" {
		return r, raw.Check()
	}
	if head, ok := h.head(raw.JSON); ok && !h.whole {
		return head, nil
	} else if err := raw.Check(); err != nil || ok {
		return head, err
	}
	gjson.ParseBytes(raw.JSON).ForEach(field(&r))
	return r, nil
}

const (
	snapshot = `,"budget_snapshot":{`
	fired    = `,"stop_conditions_fired":[`
)

// head reads a line up to its snapshot, and the conditions that fired behind it.
func (h *history) head(line []byte) (r report.HistoryRow, ok bool) {
	at := bytes.Index(line, []byte(snapshot))
	if at < 0 || line[len(line)-1] != '}' {
		return r, false
	}
	h.scratch = append(append(h.scratch[:0], line[:at]...), '}')
	tail := at + bytes.Index(line[at:], []byte(fired))
	if tail < at || !gjson.ValidBytes(h.scratch) {
		return r, false
	}
	r.JSON = line
	gjson.ParseBytes(h.scratch).ForEach(field(&r))
	if causes := line[tail+len(fired)-1:]; causes[1] != ']' {
		r.Causes = texts(gjson.ParseBytes(causes))
	}
	return r, true
}

// field fills in one field of a line.
func field(r *report.HistoryRow) func(key, v gjson.Result) bool {
	return func(key, v gjson.Result) bool {
		switch key.Str {
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
		}
		return true
	}
}

func texts(list gjson.Result) (out []string) {
	for _, v := range list.Array() {
		out = append(out, v.String())
	}
	return out
}
