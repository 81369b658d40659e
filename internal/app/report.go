package app

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/report"
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
		said, err = v.takeFacts(t, facts)
		return err
	})
	return said, err
}

// reporting is the open iteration that facts are of.
func (v *visit) reporting(list []*thread, skill loop.Skill) (*thread, error) {
	meant := func(t *thread) bool { return v.open(t) && (skill == "" || skill == t.skill) }
	switch list = slices.DeleteFunc(list, func(t *thread) bool { return !meant(t) }); len(list) {
	case 1:
		return list[0], nil
	case 2:
		return nil, hint.New(`say of which the facts are: "skill":"work" or "skill":"review"`, "an iteration of work and one of review are open")
	}
	return nil, hint.New("report while an iteration runs, from inside its session (CLAUDE_CODE_SESSION_ID)",
		"no open iteration of session %q in %s", v.ev.SessionID, v.project)
}

func (v *visit) takeFacts(t *thread, facts loop.Report) (string, error) {
	previous, err := v.previous(t.skill, t.Budget)
	if err != nil {
		return "", err
	}
	v.labelled(facts.PRs)
	deferred := len(t.Tick.Deferred)
	due, fired := loop.Take(loop.Look(t.Budget, t.Tick, previous, v.now), facts)
	if err := v.save(t); err != nil {
		return "", err
	}
	var out []string
	for _, f := range fired {
		out = append(out, fmt.Sprintf("condition %s holds: %s. Dispatch nothing, end the turn now.", f.Condition, f.Text))
	}
	if len(due) == 0 && len(fired) == 0 {
		out = append(out, v.noMorePRs(t)...)
	}
	for _, d := range t.Tick.Deferred[deferred:] {
		out = append(out, report.Deferred(d))
	}
	for _, n := range t.Tick.InPlanTwice() {
		if !slices.Contains(t.Tick.Taken, atoi(n)) {
			out = append(out, n+" is in progress by another iteration: skip it and take the next workable issue; leave its label alone")
		}
	}
	if t.skill == loop.Review {
		out = append(out, notesOn(facts.PRs, t.Tick.Notes)...)
	}
	if len(out) == 0 && len(due) == 0 {
		out = append(out, fmt.Sprintf("recorded for iteration %d; no gate waits, no condition holds", t.Tick.Iteration))
	}
	return report.Taken(out, due), nil
}

// notesOn are the notes on the PRs of a report, as that nothing has landed on one since it was reviewed (R83).
func notesOn(prs []loop.PR, notes []string) []string {
	return slices.DeleteFunc(slices.Clone(notes), func(note string) bool {
		return !slices.ContainsFunc(prs, func(p loop.PR) bool { return strings.HasPrefix(note, fmt.Sprintf("PR #%d:", p.Number)) })
	})
}

// noMorePRs tells that the ceiling is reached; the condition is one of the exit, so that what is open may be finished (R30).
func (v *visit) noMorePRs(t *thread) []string {
	f := loop.Look(t.Budget, t.Tick, nil, v.now)
	if t.Tick.Interrupted != "" || t.Budget.SinglePR != 0 || len(f.PRs) < t.Budget.Ceilings.PRs {
		return nil
	}
	return []string{fmt.Sprintf("condition prs-touched-budget holds: PR budget reached: %d / %d. Open no further PR, dispatch nothing; "+
		"the loop ends with this iteration.", len(f.PRs), t.Budget.Ceilings.PRs)}
}

// labelled: a PR that carries the project's do-not-merge label has reached its terminal state (R21).
func (v *visit) labelled(prs []loop.PR) {
	label := v.config().DoNotMerge
	for i := range prs {
		carries := slices.ContainsFunc(prs[i].Labels, func(l string) bool { return strings.EqualFold(l, label) })
		if carries && (prs[i].State == "" || prs[i].State == "open") {
			prs[i].State = "do-not-merge"
		}
	}
}

func atoi(target string) int {
	n := 0
	fmt.Sscanf(target, "#%d", &n)
	return n
}
