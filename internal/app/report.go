package app

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/seal"
)

// Report takes a skill's facts into the open iteration of the caller's session and answers what they changed. Bad
// input changes nothing.
func (a *App) Report(stdin io.Reader) (string, error) {
	raw, err := io.ReadAll(io.LimitReader(stdin, report.MostFacts+1))
	if err != nil {
		return "", fmt.Errorf("read stdin: %w", err)
	}
	facts, err := report.Facts(raw)
	if err != nil {
		return "", err
	}
	v, err := a.visitor()
	if err != nil {
		return "", err
	}
	said := ""
	err = v.guarded(func(list []*thread) error {
		t, err := v.reporting(list, facts.Skill)
		if err != nil {
			return err
		}
		said, err = v.takeFacts(t, facts, raw)
		return err
	})
	return said, err
}

// reporting is the open iteration that facts are of.
func (v *visit) reporting(list []*thread, skill loop.Skill) (*thread, error) {
	open := only(list, v.open)
	meant := func(t *thread) bool { return v.open(t) && (skill == "" || skill == t.skill) }
	switch list = slices.DeleteFunc(list, func(t *thread) bool { return !meant(t) }); len(list) {
	case 1:
		return list[0], nil
	case 2:
		return nil, hint.New(`say of which the facts are: "skill":"work" or "skill":"review"`, "an iteration of work and one of review are open")
	}
	if len(open) > 0 {
		own := open[0].skill
		way := fmt.Sprintf(`report what this iteration did, with "skill":%q or without it`, own)
		return nil, hint.New(way,
			"the report is of %s, and the open iteration is of %s", skill, own)
	}
	return nil, hint.New("report while an iteration runs, from inside its session (CLAUDE_CODE_SESSION_ID)",
		"no open iteration of session %q in %s", v.ev.SessionID, v.project)
}

// takeFacts records facts, or leaves them for the next event where this process may not write the
// seal.
func (v *visit) takeFacts(t *thread, facts loop.Report, raw []byte) (string, error) {
	said, err := v.apply(t, facts)
	if err == nil {
		err = v.write(t, loop.Save{Run: t.Budget, Tick: t.Tick})
	}
	if errors.Is(err, seal.ErrUnwritable) {
		err = v.noteReport(raw)
	}
	if err != nil {
		return "", err
	}
	return said, nil
}

// apply takes facts into the iteration, in memory, and returns a text of what they change.
func (v *visit) apply(t *thread, facts loop.Report) (string, error) {
	previous, err := v.previous(t.skill, t.Budget)
	if err != nil {
		return "", err
	}
	facts.DoNotMerge(v.config().DoNotMerge)
	f := loop.Look(t.Budget, t.Tick, previous, v.now)
	if facts.Backlog != nil && !t.Tick.FromTracker() {
		if f.Snapshot, err = v.files.Snapshot(t.Budget, previous, false); err != nil {
			return "", err
		}
	}
	changed := loop.Take(f, facts)
	return report.Taken(f, changed), nil
}
