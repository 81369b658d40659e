package app

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/store"
)

// mostOnCard is how many of a run's last lines a card tells one by one.
const mostOnCard = 50

// Cards are the cards of the present runs or, by its id, of one run, which may be archived. Nothing is written.
func (a *App) Cards(skills []loop.Skill, runID string) ([]report.Card, error) {
	list := []report.Card{}
	v, err := a.visitor()
	if err != nil {
		return list, absent(err)
	}
	defer v.files.Close()
	var errs []error
	collect := func(files *store.Store, s store.State, skill loop.Skill, present bool) {
		if runID != "" && s.Budget.RunID != runID || runID == "" && !present || !slices.Contains(skills, skill) {
			return
		}
		c, err := v.card(files, &thread{skill, s}, present)
		list, errs = append(list, c), append(errs, err)
	}
	if runID == "" {
		for _, skill := range skills {
			s, err := v.files.Load(skill)
			if errs = append(errs, store.Hinted(err)); s.Budget != nil {
				collect(v.files, s, skill, true)
			}
		}
	} else if err := v.everyRun(collect); err != nil {
		errs = append(errs, err)
	}
	err = errors.Join(errs...)
	if err == nil && runID != "" && len(list) == 0 {
		return list, hint.New("the runs are listed by `hooks loop list`", "there is no run %q", runID)
	}
	return list, err
}

func (v *visit) card(files *store.Store, t *thread, present bool) (report.Card, error) {
	b := t.Budget
	lines, earlier, err := lastLines(files, t.skill, b.RunID)
	c := report.NewCard(b, lines, earlier)
	c.Keep(func(path string) bool {
		if path = filepath.FromSlash(path); !filepath.IsAbs(path) {
			path = filepath.Join(v.project, path)
		}
		info, err := os.Stat(path)
		return err == nil && info.IsDir()
	})
	c.Waiting, c.Resume, c.Open = openGates(t), report.Resume(b, elsewhere(t)), t.Tick != nil
	minutes, open, going := b.MinutesElapsed, loop.USD(0), false
	if present {
		st := v.stand(t)
		minutes, open, going = st.Minutes, st.Open, st.OwnerAlive
	}
	c.Budgets = report.Axes(b, t.Tick, minutes, open, going, v.now)
	if b.Status != loop.Active {
		var last *loop.Iteration
		if i := slices.IndexFunc(lines, func(l loop.Iteration) bool { return l.Seq == b.Seq && l.Ran() }); i >= 0 {
			last = &lines[i]
		}
		c.Stopped = report.StoppedBy(b, last, c.Waiting, elsewhere(t))
	}
	return c, err
}

// lastLines are a run's last lines, oldest first, and how many there are before them, as far as their numbers tell.
func lastLines(files *store.Store, skill loop.Skill, runID string) (lines []loop.Iteration, earlier int, err error) {
	_, err = files.Last(skill, func(l *loop.Iteration) bool {
		if l.Of(runID) {
			lines = append(lines, *l)
		}
		return len(lines) == mostOnCard
	})
	slices.Reverse(lines)
	if len(lines) > 0 {
		earlier = max(0, lines[0].Seq-1)
	}
	return lines, earlier, err
}
