package inspect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/codec"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/store"
	"hooks/internal/usage"
)

// ledger is one run with everything that shows what it spent.
type ledger struct {
	in    string // the project, where several are asked
	run   loop.Budget
	ended time.Time        // its last line
	spent []iterationSpent // the last ones, oldest first; only for --by iteration or day
	older iterationSpent   // the sum of those before them, and how many they are
	parts []usage.Stretch  // only for --by agent
	tick  *loop.Tick       // the open iteration
	live  loop.Tokens      // what that has spent so far, which run includes

	archived bool
	notes    []string
}

// iterationSpent is what one line of a history shows in a table of costs.
type iterationSpent struct {
	iteration int
	outcome   string
	ended     time.Time
	task      int64      // of a task loop, from 1; 0 for none
	phase     loop.Phase // of an audit loop
	loop.Tokens
}

// ledgers reads the runs, the newest first. Only --by iteration, day and agent need all lines; else
// the last one has the sums.
func (v *question) ledgers(runID, by string, most int) (list []*ledger, err error) {
	err = v.everyRun(func(files *store.Store, s *loopState, present bool) error {
		if runID != "" && s.Budget.RunID != runID {
			return nil
		}
		l := lastLedger(files, s)
		switch by {
		case "iteration":
			l.readSpent(files, most)
			most -= len(l.spent)
		case "day", "task", "phase":
			l.readSpent(files, math.MaxInt)
		case "agent":
			l.readParts(files)
		}
		if present {
			v.addOpen(l, s)
		}
		l.in, l.archived = v.named(), !present
		list = append(list, l)
		return nil
	})
	return list, err
}

// spentRuns are the runs of these skills, or one of them, with what they spent by now.
func (v *question) spentRuns(
	skills []loop.Skill, runID string,
) (list []report.SpentRun, err error) {
	ledgers, err := v.ledgers(runID, "model", 0)
	for _, l := range ledgers {
		if !slices.Contains(skills, l.run.Skill) {
			continue
		}
		if l.tick != nil {
			l.ended = v.now
		}
		var sum loop.Tokens
		for _, t := range l.run.TokensByModel {
			sum = sum.Add(t)
		}
		list = append(list, report.SpentRun{Run: &l.run, Ended: l.ended, Rest: l.beyond(sum),
			Notes: l.notes})
	}
	return list, err
}

// lastLedger is a run with its last line alone, which knows more than the budget does when a crash
// kept that from being written.
func lastLedger(files *store.Store, s *loopState) *ledger {
	l := &ledger{run: *s.Budget}
	last, err := files.Last(s.skill, func(line *loop.Iteration) bool {
		return line.Ran() && line.Of(l.run.RunID)
	})
	switch {
	case err != nil:
		l.notes = append(l.notes, fmt.Sprintf("%v: it may have spent more", err))
	case last != nil && last.Budget.Seq > l.run.Seq:
		l.run = last.Budget
	}
	if last != nil {
		l.ended = last.EndedAt
	}
	return l
}

// addOpen counts what the open iteration has spent so far. Nothing is saved.
func (v *question) addOpen(l *ledger, s *loopState) {
	if s.Tick == nil || s.Tick.RunID != l.run.RunID || l.run.Seq > s.Budget.Seq {
		return
	}
	spent, notes := v.spent(&l.run, s.Tick)
	l.tick, l.notes = s.Tick, append(l.notes, notes...)
	for _, m := range spent.ByModel {
		l.live = l.live.Add(m)
	}
	l.run.Spend(spent)
}

// ran shows the run's lines of iterations that were not skipped, oldest first. A damaged one makes
// a note.
func (l *ledger) ran(files *store.Store, each func(*line), behind ...string) {
	var bad damages
	_ = bad.lines(files, l.run.Skill, reader{costs: true, behind: behind}, func(line *line) error {
		ours := line.RunID == l.run.RunID || line.RunID == ""
		if ours && line.Outcome != string(loop.SkippedLock) {
			each(line)
		}
		return nil
	})
	l.notes = nil // an error of the last line is among the damage here
	for _, err := range bad.list {
		l.notes = append(l.notes, fmt.Sprintf("%v: what it spent is in no iteration", err))
	}
	if bad.more > 0 {
		l.notes = append(l.notes, "and "+loop.Plural(bad.more, "more damaged line"))
	}
}

// readSpent collects what each of the last most iterations spent, and the sum of those before them.
func (l *ledger) readSpent(files *store.Store, most int) {
	l.ran(files, func(line *line) {
		// A line with the SPEC's fields alone has no kinds of input.
		spent := loop.Tokens{Input: line.TokensIn, Output: line.TokensOut, Dollars: line.Dollars}
		if line.usage.Exists() {
			spent = tokensOf(line.usage)
		}
		outcome := strings.Clone(line.Outcome) // else it keeps its line in memory
		row := iterationSpent{int(line.Iteration), outcome, line.Ended, line.Task, "", spent}
		if line.Audit != nil {
			row.phase = line.Audit.Phase
		}
		l.spent = append(l.spent, row)
		if len(l.spent) > most {
			l.older.Tokens = l.older.Add(l.spent[0].Tokens)
			l.older.iteration++
			l.spent = l.spent[1:]
		}
	}, "usage_by_model", "task", "audit")
}

// tokensOf is the sum of a usage_by_model, as far as it can be read.
func tokensOf(byModel gjson.Result) (sum loop.Tokens) {
	byModel.ForEach(func(_, model gjson.Result) bool {
		var t loop.Tokens
		_ = codec.Decode(model, &t)
		sum = sum.Add(t)
		return true
	})
	return sum
}

// readParts collects the parts of sessions that the run was counted from. A part is a row of lines
// with the same main transcript, whose cursor is the first; it ends at the cursors of its last
// line.
func (l *ledger) readParts(files *store.Store) {
	var last []byte // snapshot of the part's last line
	var main []byte // transcript of the part, as JSON
	end := func() {
		if n := len(l.parts); n > 0 {
			_ = json.Unmarshal([]byte(gjson.GetBytes(last, "cursors").Raw), &l.parts[n-1].UpTo)
		}
	}
	l.ran(files, func(line *line) {
		if main == nil || !hasCursor(line.snapshot, main) {
			path := gjson.GetBytes(line.snapshot, "cursors.0.path")
			if path.Str == "" {
				return
			}
			if string(main) != path.Raw {
				end()
				l.parts = append(l.parts, usage.Stretch{Transcript: path.Str, Since: line.Started,
					Prompt: gjson.GetBytes(line.snapshot, "last_prompts.0").String()})
			}
			main = []byte(path.Raw)
		}
		last = append(last[:0], line.snapshot...)
	})
	end()
}

// hasCursor finds the main transcript in a snapshot that this program wrote, which is cheaper than
// reading the snapshot.
func hasCursor(snapshot, main []byte) bool {
	_, first, ok := bytes.Cut(snapshot, []byte(`,"cursors":[{"path":`))
	return ok && bytes.HasPrefix(first, main)
}

// stretches are the parts with the open iteration, and with what was counted since the last line.
func (l *ledger) stretches() []usage.Stretch {
	if len(l.run.Cursors) == 0 || l.tick == nil && len(l.parts) == 0 {
		return l.parts
	}
	began := usage.Stretch{Transcript: l.run.Cursors[0].Path, Since: l.run.StartedAt}
	if l.tick != nil {
		began.Since, began.Prompt = l.tick.StartedAt, l.tick.Prompts[0]
	}
	list := l.parts
	if n := len(list); n == 0 || list[n-1].Transcript != began.Transcript {
		list = append(list, began)
	}
	list[len(list)-1].UpTo = l.run.Cursors
	return list
}

// total is what the run spent by kind, as far as its budget has the kinds.
func (l *ledger) total() (t loop.Tokens) {
	for _, m := range l.run.TokensByModel {
		t = t.Add(m)
	}
	return t.Add(l.beyond(t))
}

// beyond is what the run's counters have above a sum by model.
func (l *ledger) beyond(t loop.Tokens) loop.Tokens {
	return loop.Tokens{
		Input: max(0, l.run.TokensIn-t.In()), Output: max(0, l.run.TokensOut-t.Output),
		Dollars: max(0, l.run.DollarsEstimate-t.Dollars),
	}
}
