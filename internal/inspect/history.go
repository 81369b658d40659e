package inspect

import (
	"errors"
	"fmt"
	"strings"
	"time"

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
	err := d.ask(func(v *question) error {
		if out.Runs != nil {
			runs, err := v.spentRuns(skills, runID)
			if err == nil {
				found = found || len(runs) > 0
				err = out.Runs(v.project, runs)
			}
			if err != nil {
				return fmt.Errorf("write history: %w", err)
			}
		}
		return v.folders(false, func(files *store.Store, _ bool) error {
			for _, skill := range skills {
				r := reader{whole: out.Whole,
					unread: out.Whole && runID == "" && out.Runs == nil,
					behind: []string{"stop_conditions_fired", "denied", "overrun", "task", "audit"}}
				err := bad.lines(files, skill, r, func(l *line) error {
					if runID != "" && l.RunID != runID {
						return nil
					}
					found, l.Project = true, v.named()
					return out.Row(l.HistoryRow)
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

// line is a line of a history as far as it is read.
type line struct {
	report.HistoryRow
	usage    gjson.Result // by model
	gates    gjson.Result // asked in it
	snapshot []byte       // the budget after it; good until the next line
}

// reader is how much of each line is read.
type reader struct {
	whole  bool     // the line itself is printed, so all of it must be sound
	unread bool     // none of its fields is needed
	costs  bool     // its PRs are not
	behind []string // the fields that are needed of those behind the snapshot
}

// damages are the lines that could not be read: the first ones, and how many more.
type damages struct {
	list []error
	more int
}

// maxDamages bounds how many damaged lines are reported one by one.
const maxDamages = 5

// lines reads a history from its beginning and collects the damaged lines.
func (d *damages) lines(files *store.Store, skill loop.Skill, r reader,
	each func(*line) error) error {
	for raw, err := range files.RawLines(skill) {
		l := line{HistoryRow: report.HistoryRow{JSON: raw.JSON}}
		if err == nil && r.whole {
			err = raw.Check()
		}
		if err == nil && !r.unread {
			err = l.read(raw, r)
		}
		if err == nil {
			if err := each(&l); err != nil {
				return err
			}
		} else if len(d.list) < maxDamages {
			d.list = append(d.list, err)
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

func (l *line) read(raw store.RawLine, r reader) (err error) {
	l.snapshot, err = raw.Scan(func(name string, v gjson.Result) {
		if !r.costs || name != "prs_touched_this_iter" {
			l.field(name, v)
		}
	}, r.behind...)
	if l.Outcome == string(loop.Stopped) {
		l.Unbegun = gjson.GetBytes(l.snapshot, "iterations_used").Int() < l.Iteration
	}
	return err
}

// field fills in one field.
func (l *line) field(name string, v gjson.Result) {
	switch name {
	case "run_id":
		l.RunID = v.String()
	case "seq":
		l.Seq = v.Int()
	case "iteration":
		l.Iteration = v.Int()
	case "skill":
		l.Skill = v.String()
	case "outcome":
		l.Outcome = v.String()
	case "started_at":
		l.Started, _ = time.Parse(time.RFC3339, v.Str)
	case "ended_at":
		l.Ended, _ = time.Parse(time.RFC3339, v.Str)
	case "dollars_this_iter":
		_ = l.Dollars.UnmarshalJSON([]byte(v.Raw))
	case "tokens_in_this_iter":
		l.TokensIn = v.Int()
	case "tokens_out_this_iter":
		l.TokensOut = v.Int()
	case "agents_dispatched_this_iter":
		l.Agents = v.Int()
	case "comments_pushed_this_iter":
		l.Comments = v.Int()
	case "merges_attempted_this_iter":
		l.Merges = v.Int()
	case "prs_touched_this_iter":
		l.PRs = texts(v)
	case "stop_conditions_fired":
		l.Causes = texts(v)
	case "denied":
		l.Refused = 0
		v.ForEach(func(_, d gjson.Result) bool {
			l.Refused += d.Get("times").Int()
			return true
		})
	case "overrun":
		_ = l.Over.UnmarshalJSON([]byte(v.Get("over").Raw))
	case "task":
		l.Task, l.Try = v.Get("task").Int(), v.Get("try").Int()
		l.Verdict = strings.Clone(v.Get("judgement.verdict").String())
	case "audit":
		l.Audit = new(loop.AuditLine)
		_ = codec.Decode(v, l.Audit) // as far as it can be read
	case "usage_by_model":
		l.usage = v
	case "gates":
		l.gates = v
	}
}

func texts(list gjson.Result) (out []string) {
	list.ForEach(func(_, v gjson.Result) bool {
		out = append(out, v.String())
		return true
	})
	return out
}
