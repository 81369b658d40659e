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

// Raise gives the one run that has not ended other ceilings, as its flags name them, on a person's
// word. It may lower them, but not below what is used.
func (a *App) Raise(skills []loop.Skill, words string) (string, error) {
	switch {
	case a.InAgent():
		return "", hint.New("a person sets limits in a terminal of their own",
			"limits are not set from inside the agent")
	case words == "":
		return "", hint.New("name it, as in `hooks loop raise --max-iterations 9`",
			"no limit is named")
	}
	none := "no loop runs or waits; `hooks status --all` shows every project"
	var going []loop.Skill
	return a.each([]loop.Skill{skills[0]}, none, func(h *handler, _ loop.Skill) (string, error) {
		var over store.State
		for _, skill := range skills {
			s, err := h.load(skill)
			switch {
			case err != nil:
				return "", err
			case s.Budget == nil:
			case s.Budget.Status == loop.Halted:
				over = s
			default:
				going = append(going, skill)
			}
		}
		switch {
		case len(going) > 1:
			return "", hint.New(fmt.Sprintf("name one: `hooks loop raise %s %s`", going[0], words),
				"several loops run here")
		case len(going) == 1:
			return h.raise(going[0], words)
		case over.Budget != nil:
			return "", hint.New("continue it with "+withLimits(over, words),
				"the %s loop has ended (%s)", over.Skill, over.Budget.StopCause)
		}
		return "", nil
	})
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

func (h *handler) raise(skill loop.Skill, words string) (string, error) {
	line := words
	if loop.KindOf(skill).Commands == nil {
		line = "--loop " + words
	}
	flags, _, err := loop.ParseFlags(skill, line)
	if err != nil {
		return "", err
	}
	s, err := h.load(skill)
	if err != nil {
		return "", err
	}
	if flag, used := s.Budget.Below(flags, s.Tick, h.now); flag != "" {
		return "", hint.New("name no less than that; `hooks loop stop` ends the loop",
			"%s would be below what is used: %s", flag, used)
	}
	t := &loopState{s}
	h.ev.SessionID = s.Budget.SessionID
	turn := h.turn()
	if _, err := h.decide(t, loop.PersonRaise{Turn: turn, Flags: flags, Words: words},
		loop.Known{}); err != nil {
		return "", store.Hinted(err)
	}
	said := fmt.Sprintf("%s: %s from now on", skill, t.Budget.Limits())
	if t.Budget.Status == loop.Paused {
		said += "; continue with " + report.Resume(t.Budget, t.Elsewhere())
	}
	return said, nil
}
