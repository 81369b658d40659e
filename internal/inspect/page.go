package inspect

import (
	"strings"

	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/store"
	"hooks/internal/tracker/forge"
)

// Pages are the cards of the same runs as Cards, with every iteration of each. Lines that cannot be
// read are left out, and the page names them.
func (d *Inspector) Pages(skills []loop.Skill, runID string) ([]report.Page, error) {
	return shown(d, skills, runID, func(v *question, files *store.Store, l *loopState,
		present bool) (report.Page, error) {
		c, err := v.card(files, l, present)
		p := report.Page{Card: c, Project: v.project, Links: links(l.Budget)}
		p.Rows, p.Notes = pageRows(files, l)
		if err != nil && len(p.Notes) == 0 {
			p.Notes = []string{err.Error()}
		}
		return p, err
	})
}

// links are those of the tracker that a run began with. Nothing is asked for them.
func links(b *loop.Budget) (l report.Links) {
	if b.Tracker != nil {
		l.PR, l.Commit = forge.PlaceOf(*b.Tracker).Pages()
	}
	return l
}

func pageRows(files *store.Store, s *loopState) (rows []*loop.Iteration, notes []string) {
	var bad damages
	r := reader{behind: []string{"gates", "stop_conditions_fired", "denied", "overrun", "task",
		"audit"}}
	_ = bad.lines(files, s.skill, r, func(l *loop.Iteration, _, _ []byte) error {
		if l.Of(s.Budget.RunID) {
			rows = append(rows, l)
		}
		return nil
	})
	if err := bad.complaint(); err != nil {
		notes = strings.Split(err.Error(), "\n")
	}
	return rows, notes
}
