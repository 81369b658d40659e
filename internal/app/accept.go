package app

import (
	"errors"
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
	return a.each(skills, "every file is as hooks wrote it", (*handler).accept)
}

func (h *handler) accept(skill loop.Skill) (string, error) {
	if s, err := h.files.LoadRun(skill); err == nil {
		if err := h.sealedElsewhere(s.Budget); err != nil {
			return "", err
		}
	}
	list, err := h.files.Accept(skill, alive)
	var said []string
	for _, a := range list {
		said = append(said, lines(
			strings.Join(a.Changes, "\n"),
			changedText(store.DefaultBudgetPath(skill), a.Budget),
			changedText(store.TickPath(skill), a.Tick),
			fmt.Sprintf("%s: your files are accepted%s", skill, h.untilPrompt(skill))))
	}
	return strings.Join(said, "\n"), store.Hinted(err)
}

// untilPrompt is the next step where a session stays shut after accept or reset, else empty.
func (h *handler) untilPrompt(skill loop.Skill) string {
	session := h.files.HeldIn(skill)
	if session == "" {
		return ""
	}
	return fmt.Sprintf("; type anything in session %s: until then merges, workers and schedules "+
		"stay shut", session)
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

// changedRuns are the runs of a skill whose files are not as they were written, or are a copy.
func (h *handler) changedRuns(skill loop.Skill) []store.Change {
	return slices.DeleteFunc(h.files.Changed(skill), func(c store.Change) bool {
		return c.Run == ""
	})
}

// resetChanged archives runs whose files were changed, whether they run or not.
func (h *handler) resetChanged(skill loop.Skill, runs []store.Change) (string, error) {
	var said []string
	for _, c := range runs {
		if err := h.archive(skill, c.Run); err != nil {
			return "", err
		}
		text := "with what hooks had written of it" + h.afterReset(skill)
		if copied, isCopy := errors.AsType[*store.CopyError](c.Err); isCopy {
			text = "a copy of the run in " + copied.Project
		}
		said = append(said, fmt.Sprintf("%s: run %s is archived in %s/archive, %s",
			skill, c.Run, store.Dir, text))
	}
	if held, err := h.files.Holder(skill); err != nil || held != nil {
		if err := h.files.Reap(skill, held); err != nil {
			return "", fmt.Errorf("reap lock: %w", err)
		}
	}
	return strings.Join(said, "\n"), nil
}

// sealedInside reports whether the client of a sealed run of the project started this process.
func (h *handler) sealedInside() bool {
	for _, skill := range loop.Skills() {
		inside := func(b loop.Budget) bool { return h.inside(b.Owner) }
		if slices.ContainsFunc(h.files.SealedBudgets(skill), inside) {
			return true
		}
	}
	return false
}
