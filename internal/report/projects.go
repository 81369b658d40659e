package report

import (
	"cmp"
	"slices"
	"strings"
)

// ProjectLines writes one line a project, those that need a person first, then those in which a
// loop runs; among equals the order of the list is turned round, as the last changed comes last.
func ProjectLines(s Screen, list []Stand) string {
	type project struct {
		path, loops, needs string
		rank               int
	}
	var rows []*project
	for _, st := range list {
		i := slices.IndexFunc(rows, func(r *project) bool { return r.path == st.Project })
		if i < 0 {
			i, rows = 0, slices.Insert(rows, 0, &project{path: st.Project, rank: 2})
		}
		r := rows[i]
		_, _, short := st.state()
		loops := string(st.Run.Skill) + " " + short + " $" + st.Run.DollarsEstimate.String()
		r.loops = strings.TrimPrefix(r.loops+", "+loops, ", ")
		waits := slices.IndexFunc(st.Gates, Waiting.unanswered)
		switch {
		case waits >= 0:
			r.rank, r.needs = 0, cmp.Or(r.needs, st.Gates[waits].Gate.Name)
		case st.Run.Status == "active" && st.OwnerAlive:
			r.rank = min(r.rank, 1)
		}
	}
	slices.SortStableFunc(rows, func(a, b *project) int { return a.rank - b.rank })
	p := newPage(s.unwrapped())
	t := table{columns: []column{{name: "needs you"}, {name: "loops"}, {name: "project"}}}
	for _, r := range rows {
		t.add(cmp.Or(r.needs, "-"), r.loops, r.path)
	}
	p.table(t)
	text := p.String()
	if len(rows) > 0 && rows[0].rank == 0 {
		text += "\n`hooks gate list --all` has the questions"
	}
	return text
}
