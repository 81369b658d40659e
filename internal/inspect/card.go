package inspect

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/safefile"
	"hooks/internal/store"
	"hooks/internal/tracker/forge"
)

// maxOnCard is the maximum number of history lines that a card shows. It shows the last ones.
const maxOnCard = 50

// Cards returns the cards of the present runs or, if runID is set, of that run, which may be
// archived. If page is set, a card also holds the data that only its HTML page shows.
func (d *Inspector) Cards(
	skills []loop.Skill, runID string, page bool,
) ([]report.Card, error) {
	var list []report.Card
	w := d.walk()
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
			c.Curve = l.curve()
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
	b, st := l.Budget, l.stand()
	ferr := l.files.Findings(b)
	lines, err := l.lastLines()
	c := report.NewCard(st, lines)
	c.Worktrees = slices.DeleteFunc(c.Worktrees, func(w loop.Worktree) bool {
		path := filepath.FromSlash(w.Path)
		if !filepath.IsAbs(path) {
			path = filepath.Join(l.project, path)
		}
		return !safefile.IsDir(path)
	})
	c.Present, c.Folder, c.Links = l.present, l.project, links(b)
	c.Resume = report.In(c.Project, report.Resume(l.saved, l.Elsewhere()))
	last, terr := l.attempts()
	c.Tasks = report.TaskRows(b, l.Tick, last, st.Open)
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

// links returns the web addresses of the tracker recorded at the run's start. It makes no call.
func links(b *loop.Budget) (l report.Links) {
	if b.Tracker != nil {
		l.PR, l.Issue, l.Commit = forge.Pages(*b.Tracker)
	}
	return l
}

// curve returns the points of the run's spend curve. Of a long run it takes report.MaxPoints lines
// at even distances, the last one included. It skips damaged lines.
func (l *loopState) curve() (points []report.Point) {
	own := func(yield func(store.RawLine) bool) {
		for raw, err := range l.files.RawLines(l.skill) {
			run := gjson.GetBytes(raw.JSON, "run_id").Str
			if err == nil && run == l.Budget.RunID && !yield(raw) {
				return
			}
		}
	}
	left := 0
	for range own {
		left++
	}
	every := max(1, (left+report.MaxPoints-1)/report.MaxPoints)
	for raw := range own {
		if left--; left%every != 0 {
			continue
		}
		if line, err := raw.Parse(); err == nil {
			points = append(points, report.NewPoint(line))
		}
	}
	return points
}
