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
	"hooks/internal/tracker/forge"
)

// maxOnCard is how many history lines a card shows. It shows the last ones.
const maxOnCard = 50

// Cards returns the cards of the present runs or, if runID is set, of that run, which may be
// archived. If page is set, a card also holds the data that only its HTML page shows.
func (d *Inspector) Cards(
	skills []loop.Skill, runID string, page bool,
) ([]report.Card, error) {
	list, w := []report.Card{}, d.walk()
	loops := w.runs()
	if runID == "" {
		loops = w.loops(w.projects(), skills)
	}
	for l := range loops {
		if runID != "" && (l.Budget.RunID != runID || !slices.Contains(skills, l.skill)) {
			continue
		}
		c, err := l.card()
		if page {
			c.Curve = l.spend(c.Iterations)
		}
		if page && err != nil {
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
	b := l.Budget
	ferr := l.files.Findings(b)
	lines, err := l.lastLines()
	c := report.NewCard(b, lines)
	c.Worktrees = slices.DeleteFunc(c.Worktrees, func(w loop.Worktree) bool {
		path := filepath.FromSlash(w.Path)
		if !filepath.IsAbs(path) {
			path = filepath.Join(l.project, path)
		}
		return !safefile.IsDir(path)
	})
	c.Stale, c.Head = l.Budget.Stale(l.head), l.head
	c.Folder, c.Links, c.Project = l.project, links(b), l.named()
	c.Waiting = openGates(l)
	c.Resume = report.In(c.Project, report.Resume(l.saved, l.Elsewhere()))
	last, terr := l.attempts()
	var st report.Stand
	if c.Present = l.present; l.present {
		st = l.stand()
		if c.Budgets, c.Raise = st.Budgets, st.Raise; b.Status == loop.Active && st.OwnerAlive {
			c.Next = st.Next
		}
	} else {
		c.Budgets = report.Axes(b, b, l.Tick, false, l.now)
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
func (l *loopState) lastLines() (lines []loop.Iteration, err error) {
	_, err = l.last(func(line *loop.Iteration) bool {
		lines = append(lines, *line)
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
func (l *loopState) spend(last []loop.Iteration) (points []loop.Iteration) {
	for text := range l.files.Sample(l.skill, report.MaxPoints) {
		var line loop.Iteration
		if !gjson.ValidBytes(text) || codec.Decode(gjson.ParseBytes(text), &line) != nil {
			continue
		}
		if len(last) == 0 || line.RunID == last[0].RunID && line.Seq >= last[0].Seq {
			break
		}
		if line.RunID == l.Budget.RunID {
			points = append(points, line)
		}
	}
	return append(points, last...)
}
