package inspect

import (
	"errors"
	"slices"
	"strings"

	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/safefile"
	"hooks/internal/tracker/forge"
)

// maxOnCard is the maximum number of history lines that a card shows. It shows the last ones.
const maxOnCard = 50

// Cards returns the cards of the present runs or, if runID is set, of that run, which may be
// archived.
func (d *Inspector) Cards(skills []loop.Skill, runID string) ([]report.Card, error) {
	var list []report.Card
	w := d.walk()
	loops := w.runs()
	if runID == "" {
		loops = w.loops(w.projects(), skills)
	}
	for l := range loops {
		if runID != "" && (l.Budget.RunID != runID || !slices.Contains(skills, l.Skill)) {
			continue
		}
		c, err := l.card()
		if err != nil {
			c.Unread = strings.Split(err.Error(), "\n")
		}
		list = append(list, c)
		w.note(l.project, err)
	}
	err := w.err()
	if err == nil && runID != "" && len(list) == 0 {
		err = noRun(runID)
	}
	if d.Everywhere {
		report.SortCards(list)
	}
	return list, err
}

func (l *loopState) card() (report.Card, error) {
	b, st := l.Budget, l.stand()
	ferr := l.files.Findings(b)
	lines, err := l.lastLines()
	var terr error
	st.Tried, terr = l.tried()
	c := report.NewCard(st, lines)
	c.Worktrees = slices.DeleteFunc(c.Worktrees, func(w loop.Worktree) bool {
		return !safefile.IsDir(safefile.Absolute(l.project, w.Path))
	})
	c.Present, c.Folder, c.Links = l.present, l.project, forge.Pages(b.Tracker)
	c.Resume = report.In(c.Project, report.Resume(l.saved, l.Elsewhere()))
	if b.Status != loop.Active {
		last, _ := l.last((*loop.Iteration).Ran) // lastLines has returned its error
		c.Stopped = report.StoppedBy(b, last, c.Waiting, l.Elsewhere())
	}
	return c, errors.Join(err, terr, ferr)
}

// lastLines returns a run's last maxOnCard lines, oldest first.
func (l *loopState) lastLines() (lines []loop.Iteration, err error) {
	_, err = l.last(func(line *loop.Iteration) bool {
		lines = append(lines, *line)
		return len(lines) == maxOnCard
	})
	slices.Reverse(lines)
	return lines, err
}
