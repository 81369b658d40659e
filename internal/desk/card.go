package desk

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/store"
)

// mostOnCard is how many of a run's last lines a card tells one by one.
const mostOnCard = 50

// Cards are the cards of the present runs or, by its id, of one run, which may be archived. Nothing is written.
func (d *Desk) Cards(skills []loop.Skill, runID string) ([]report.Card, error) {
	list := []report.Card{}
	v, err := d.visit()
	if err == nil && v.files == nil && runID != "" {
		err = noRun(runID)
	}
	if err != nil || v.files == nil {
		return list, err
	}
	defer v.files.Close()
	collect := func(files *store.Store, t *thread, present bool) error {
		c, err := v.card(files, t, present)
		list = append(list, c)
		return err
	}
	if runID == "" {
		err = v.each(skills, func(t *thread) error { return collect(v.files, t, true) })
		return list, err
	}
	var errs []error
	err = v.everyRun(func(files *store.Store, t *thread, present bool) {
		if t.Budget.RunID == runID && slices.Contains(skills, t.skill) {
			errs = append(errs, collect(files, t, present))
		}
	})
	if err = errors.Join(append(errs, err)...); err == nil && len(list) == 0 {
		return list, noRun(runID)
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
	c.Waiting, c.Resume, c.Open = openGates(t), report.Resume(b, t.Elsewhere(t.skill)), t.Tick != nil
	minutes, open, going := b.MinutesElapsed, loop.USD(0), false
	if present {
		st := v.stand(t)
		minutes, open, going = st.Minutes, st.Open, st.OwnerAlive
		if c.Present = true; b.Status == loop.Active && going {
			c.Next = st.Next
		}
	}
	c.Budgets = report.Axes(b, t.Tick, minutes, open, going, v.now)
	if b.Status != loop.Active {
		var last *loop.Iteration
		if i := slices.IndexFunc(lines, func(l loop.Iteration) bool { return l.Seq == b.Seq && l.Ran() }); i >= 0 {
			last = &lines[i]
		}
		c.Stopped = report.StoppedBy(b, last, c.Waiting, t.Elsewhere(t.skill))
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
