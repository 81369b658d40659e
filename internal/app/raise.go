package app

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/store"
)

// Raise gives the runs that have not ended other ceilings, as the flags among the words name them,
// on a person's word. It may lower them, but not below what is used.
func (a *App) Raise(skills []loop.Skill, words string) (string, error) {
	switch {
	case a.InAgent():
		return "", hint.New("a person sets limits in a terminal of their own",
			"limits are not set from inside the agent")
	case words == "":
		return "", hint.New("name it, as in `hooks loop raise --max-iterations 9`",
			"no limit is named")
	}
	over := hint.New("`hooks status --all` shows every project", "no loop runs or waits here")
	said, err := a.each(skills, "", func(h *handler, skill loop.Skill) (string, error) {
		s, err := h.load(skill)
		switch {
		case err != nil || s.Budget == nil:
			return "", err
		case s.Budget.Status == loop.Halted:
			over = hint.New("continue it with "+withLimits(s, words),
				"the %s loop has ended (%s)", skill, s.Budget.StopCause)
			return "", nil
		}
		return h.raise(&loopState{s}, words)
	})
	if said == "" && err == nil {
		err = over
	}
	return said, err
}

// withLimits is the command that continues a run with other ceilings than its own.
func withLimits(s store.State, words string) string {
	way := strings.Fields(cmp.Or(report.Resume(s.Budget, s.Elsewhere()), s.Budget.Command))
	for i := len(way) - 2; i > 0; i-- {
		if strings.HasPrefix(way[i], "--max-") {
			way = slices.Delete(way, i, i+2)
		}
	}
	return strings.Join(append(way, words), " ")
}

func (h *handler) raise(t *loopState, words string) (string, error) {
	line := words
	if loop.KindOf(t.Skill).Commands == nil {
		line = "--loop " + words
	}
	flags, _, err := loop.ParseFlags(t.Skill, line)
	if err != nil {
		return "", err
	}
	if flag, used := t.Budget.Below(flags, t.Tick, h.now); flag != "" {
		return "", hint.New("name no less than that; `hooks loop stop` ends the loop",
			"%s would be below what is used: %s", flag, used)
	}
	h.ev.SessionID = t.Budget.SessionID
	_, err = h.decide(t, loop.PersonRaise{Turn: h.turn(), Flags: flags, Words: words}, loop.Known{})
	if err != nil {
		return "", store.Hinted(err)
	}
	said := fmt.Sprintf("%s: %s from now on", t.Skill, t.Budget.Limits())
	if t.Budget.Status == loop.Paused {
		said += "; continue with " + report.Resume(t.Budget, t.Elsewhere())
	}
	return said, nil
}
