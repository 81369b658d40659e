package inspect

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/codec"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/safefile"
	"hooks/internal/store"
	"hooks/internal/tracker/forge"
)

// maxOnCard is how many history lines a card shows. It shows the last ones.
const maxOnCard = 50

// Cards returns the cards of the present runs or, if runID is set, of that run, which may be
// archived. If page is set, a card also holds the data that only its HTML page shows.
func (d *Inspector) Cards(
	skills []loop.Skill, runID string, page bool,
) (list []report.Card, err error) {
	list = []report.Card{}
	err = d.askTrees(func(v *question) error {
		add := func(files *store.Store, l *loopState, present bool) error {
			if runID != "" && (l.Budget.RunID != runID || !slices.Contains(skills, l.skill)) {
				return nil
			}
			c, err := v.card(files, l, present)
			if page {
				c.Curve = spend(files, l, c.Iterations)
			}
			if page && err != nil {
				c.Unread = strings.Split(err.Error(), "\n")
			}
			list = append(list, c)
			return err
		}
		if runID != "" {
			return v.everyRun(add)
		}
		return v.each(skills, func(l *loopState) error { return add(v.files, l, true) })
	})
	if err == nil && runID != "" && len(list) == 0 {
		err = noRun(runID)
	}
	if d.Everywhere {
		report.SortCards(list)
	}
	return list, err
}

func (v *question) card(files *store.Store, l *loopState, present bool) (report.Card, error) {
	b := l.Budget
	ferr := files.Findings(b)
	lines, err := lastLines(files, l.skill, b.RunID)
	c := report.NewCard(b, lines)
	c.Worktrees = slices.DeleteFunc(c.Worktrees, func(w loop.Worktree) bool {
		path := filepath.FromSlash(w.Path)
		if !filepath.IsAbs(path) {
			path = filepath.Join(v.project, path)
		}
		return !safefile.IsDir(path)
	})
	c.Stale, c.Head = l.stale(), l.head
	c.Folder, c.Links, c.Project = v.project, links(b), v.named()
	c.Waiting = openGates(l)
	c.Resume = report.FromElsewhere(c.Project, report.Resume(l.saved, l.Elsewhere()), c.Waiting)
	last, terr := lastAttempts(files, l)
	var st report.Stand
	if c.Present = present; present {
		st = v.stand(l)
		c.Raise = report.FromElsewhere(c.Project, st.Raise, nil)
		if c.Budgets = st.Budgets; b.Status == loop.Active && st.OwnerAlive {
			c.Next = st.Next
		}
	} else {
		c.Budgets = report.Axes(b, b, l.Tick, false, v.now)
	}
	c.Open, c.OpenDollars = l.Tick != nil, st.Open
	c.Tasks = report.TaskRows(b, l.Tick, last, st.Open)
	if b.Status != loop.Active {
		var last *loop.Iteration
		for i := range lines {
			if lines[i].Seq == b.Seq && lines[i].Ran() {
				last = &lines[i]
			}
		}
		c.Stopped = report.StoppedBy(b, last, c.Waiting, l.Elsewhere())
	}
	return c, errors.Join(err, terr, ferr)
}

// lastLines returns a run's last maxOnCard lines, oldest first.
func lastLines(
	files *store.Store, skill loop.Skill, runID string,
) (lines []loop.Iteration, err error) {
	_, err = files.Last(skill, func(l *loop.Iteration) bool {
		if l.Of(runID) {
			lines = append(lines, *l)
		}
		return len(lines) == maxOnCard
	})
	slices.Reverse(lines)
	return lines, err
}

// links returns the web addresses of the tracker recorded at the run's start. It makes no call.
func links(b *loop.Budget) (l report.Links) {
	if b.Tracker != nil {
		l.PR, l.Issue, l.Commit = forge.PlaceOf(*b.Tracker).Pages()
	}
	return l
}

// spend returns the iterations of a run that its spend curve shows: those of a sample of the
// history lines, and the last ones.
func spend(files *store.Store, s *loopState, last []loop.Iteration) (points []loop.Iteration) {
	for text := range files.Sample(s.skill, report.MaxPoints) {
		var l loop.Iteration
		if !gjson.ValidBytes(text) || codec.Decode(gjson.ParseBytes(text), &l) != nil {
			continue
		}
		if len(last) == 0 || l.RunID == last[0].RunID && l.Seq >= last[0].Seq {
			break
		}
		if l.RunID == s.Budget.RunID {
			points = append(points, l)
		}
	}
	return append(points, last...)
}
