package report

import (
	"fmt"
	"slices"
	"strings"

	"hooks/internal/loop"
)

// Taken answers a report: one line with what it changed and, while gates wait, a second line with
// what to do now.
func ReportAnswer(f *loop.Facts, c loop.Changed) string {
	changed := changes(f, c)
	if len(changed) == 0 && len(c.Due) == 0 {
		changed = append(changed, fmt.Sprintf("recorded for iteration %d; "+
			"no gate waits, and nothing reported ends the loop", f.Tick.Iteration))
	}
	for _, g := range c.Due {
		changed = append(changed, "gate waits: "+waiting(g))
	}
	said := strings.ReplaceAll(clean(strings.Join(changed, "; ")), ".; ", ". ")
	if len(c.Due) == 0 {
		return said
	}
	all, held := urgency(c.Due)
	return fmt.Sprintf("%s\n%s Call %s; the dialog's text is filled in with exactly these "+
		"questions. %s Never answer it yourself.", said, all, dialogCall, held)
}

func changes(f *loop.Facts, c loop.Changed) (out []string) {
	for _, fired := range c.Fired {
		out = append(out, fmt.Sprintf("condition %s holds: %s. Dispatch nothing, end the turn now.",
			fired.Condition, fired.Text))
	}
	if f.Tick.Interrupted != "" {
		out = append(out, fmt.Sprintf("condition user-interrupt holds: %s. Dispatch nothing new; "+
			"the loop ends with this iteration.", f.Tick.Interrupted))
	}
	left, unbounded := f.PRsLeft()
	if len(c.Due)+len(c.Fired) == 0 && f.Tick.Interrupted == "" && left <= 0 && !unbounded {
		// The condition holds at the exit, so that what is open may be finished (R30).
		out = append(out, fmt.Sprintf("condition prs-touched-budget holds: "+
			"PR budget reached: %d / %d. Open no further PR, dispatch nothing; "+
			"the loop ends with this iteration.",
			len(f.PRs), f.Run.Ceilings.PRs))
	}
	for _, d := range c.Deferred {
		out = append(out, Deferred(d))
	}
	for _, n := range f.Tick.PassOver(f.Run) {
		out = append(out, fmt.Sprintf("#%d is in progress by another iteration: "+
			"skip it and take the next workable issue; leave its label alone", n))
	}
	if f.Run.Kind().Reviews {
		out = append(out, notesOn(c.PRs, f.Tick.Notes)...)
	}
	return out
}

// notesOn are the notes about the PRs of a report, such as that a PR has no new commits (R83).
func notesOn(prs []loop.PR, notes []string) []string {
	return slices.DeleteFunc(slices.Clone(notes), func(note string) bool {
		return !slices.ContainsFunc(prs, func(p loop.PR) bool {
			return strings.HasPrefix(note, fmt.Sprintf("PR #%d:", p.Number))
		})
	})
}
