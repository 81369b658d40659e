package app

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/store"
)

// Accept takes over what a person changed in a run's files by hand: the seal follows the files. It
// shows what differed first. It is a person's command.
func (a *App) Accept(skills []loop.Skill) (string, error) {
	if a.InAgent() {
		return "", hint.New("a person accepts a change in a terminal of their own",
			"changes are not accepted from inside the agent")
	}
	return a.each(skills, "every file is as hooks wrote it", (*visit).accept)
}

func (v *visit) accept(skill loop.Skill) (string, error) {
	if s, err := v.files.LoadRun(skill); err == nil {
		if err := v.sealedElsewhere(s.Budget); err != nil {
			return "", err
		}
	}
	list, err := v.files.Accept(skill, alive)
	var said []string
	for _, a := range list {
		said = append(said, lines(
			strings.Join(a.Changes, "\n"),
			changedText(store.DefaultBudgetPath(skill), a.Budget),
			changedText(store.TickPath(skill), a.Tick),
			fmt.Sprintf("%s: the files count as they are now", skill)))
	}
	return strings.Join(said, "\n"), store.Hinted(err)
}

// changedText is the difference between two texts of a file; empty when there is none.
func changedText(name string, texts [2]string) string {
	if texts[0] == texts[1] {
		return ""
	}
	was, is := []byte(texts[0]+"\n"), []byte(texts[1]+"\n")
	text := diff.Diff(name+" as hooks wrote it", was, name+" as it is", is)
	return strings.TrimSpace(string(text))
}

// changedRuns are the runs of a skill whose files are not as they were written.
func (v *visit) changedRuns(skill loop.Skill) (runs []string) {
	for _, c := range v.files.Changed(skill) {
		if c.Run != "" {
			runs = append(runs, c.Run)
		}
	}
	return runs
}

// resetChanged archives runs whose files were changed, whether they run or not.
func (v *visit) resetChanged(skill loop.Skill, runs []string) (string, error) {
	var said []string
	for _, run := range runs {
		if err := v.archive(skill, run); err != nil {
			return "", err
		}
		said = append(said, fmt.Sprintf("%s: run %s is archived in %s/archive, "+
			"with what hooks had written of it", skill, run, store.Dir))
	}
	if held, err := v.files.Holder(skill); err != nil || held != nil {
		if err := v.files.Reap(skill, held); err != nil {
			return "", fmt.Errorf("reap lock: %w", err)
		}
	}
	return strings.Join(said, "\n"), nil
}

// sealedInside reports whether the client of a sealed run of the project started this process.
func (v *visit) sealedInside() bool {
	for _, skill := range loop.Skills() {
		inside := func(b loop.Budget) bool { return v.inside(b.Owner) }
		if slices.ContainsFunc(v.files.SealedBudgets(skill), inside) {
			return true
		}
	}
	return false
}
