package report

import (
	"fmt"
	"slices"
	"strings"

	"hooks/internal/loop"
)

// Taken answers a report in one line of what it changed and, where gates wait, a second of what is to be done now.
func Taken(f *loop.Facts, c loop.Changed) string {
	changed := changes(f, c)
	if len(changed) == 0 && len(c.Due) == 0 {
		changed = append(changed, fmt.Sprintf("recorded for iteration %d; no gate waits, no condition holds", f.Tick.Iteration))
	}
	for _, g := range c.Due {
		changed = append(changed, "gate waits: "+waiting(g))
	}
	said := strings.ReplaceAll(clean(strings.Join(changed, "; ")), ".; ", ". ")
	if len(c.Due) == 0 {
		return said
	}
	all, held := urgency(c.Due)
	return fmt.Sprintf("%s\n%s %s; the dialog's text is filled in with exactly these questions. %s Never answer it yourself.", said, all, callDialog, held)
}

func changes(f *loop.Facts, c loop.Changed) (out []string) {
	for _, fired := range c.Fired {
		out = append(out, fmt.Sprintf("condition %s holds: %s. Dispatch nothing, end the turn now.", fired.Condition, fired.Text))
	}
	if len(c.Due) == 0 && len(c.Fired) == 0 && f.Tick.Interrupted == "" {
		out = append(out, noMorePRs(f)...)
	}
	for _, d := range c.Deferred {
		out = append(out, Deferred(d))
	}
	for _, n := range f.Tick.PassOver(f.Run) {
		out = append(out, fmt.Sprintf("#%d is in progress by another iteration: skip it and take the next workable issue; leave its label alone", n))
	}
	if f.Run.Kind().Reviews {
		out = append(out, notesOn(c.PRs, f.Tick.Notes)...)
	}
	return out
}

// noMorePRs tells that the ceiling is reached; the condition is one of the exit, so that what is open may be finished (R30).
func noMorePRs(f *loop.Facts) []string {
	if left, unbounded := f.PRsLeft(); left > 0 || unbounded {
		return nil
	}
	return []string{fmt.Sprintf("condition prs-touched-budget holds: PR budget reached: %d / %d. Open no further PR, dispatch nothing; "+
		"the loop ends with this iteration.", len(f.PRs), f.Run.Ceilings.PRs)}
}

// notesOn are the notes on the PRs of a report, as that nothing has landed on one since it was reviewed (R83).
func notesOn(prs []loop.PR, notes []string) []string {
	return slices.DeleteFunc(slices.Clone(notes), func(note string) bool {
		return !slices.ContainsFunc(prs, func(p loop.PR) bool { return strings.HasPrefix(note, fmt.Sprintf("PR #%d:", p.Number)) })
	})
}
