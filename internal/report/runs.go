package report

import (
	"fmt"
	"slices"
	"strconv"

	"hooks/internal/loop"
)

// Tree is where a run is: a linked worktree, "" for the project itself, and an audit's HEAD.
type Tree struct{ Path, Head string }

// RunList draws one line a run. Those after the first present ones are archived. trees are the
// places of runs, by their ids.
func RunList(s Screen, runs []loop.Budget, present int, trees map[string]Tree) string {
	if len(runs) == 0 {
		return "no loop has run " + s.Where(false)
	}
	p := newPage(s.unwrapped())
	t := table{columns: []column{{name: "run"}, {name: "skill"}, {name: "started", spare: 1},
		{name: "iterations", spare: 1}}}
	t.columns = append(append(t.columns, counts("tasks", "PRs", "minutes")...),
		column{name: "dollars", right: true, spare: 1}, column{name: "state"})
	for i := range runs {
		b := &runs[i]
		state := string(b.Status) + prefixed(" ", b.StopCause)
		if i >= present && b.Status == loop.Active {
			state = "cut off"
		}
		if b.Audit != nil && b.Audit.Verdict.Stale(trees[b.RunID].Head) {
			state += ", verdict stale"
		}
		state += prefixed(", in ", trees[b.RunID].Path)
		t.add(b.RunID, string(b.Skill), s.at(b.StartedAt), iterations(b), tasksDone(b),
			fmt.Sprint(len(b.PRsTouched)),
			fmt.Sprint(b.MinutesElapsed), "$"+b.DollarsEstimate.String(), state)
	}
	if !slices.ContainsFunc(runs, func(b loop.Budget) bool { return b.Tasks != nil }) {
		t.drop("tasks")
	}
	p.table(t)
	return p.String()
}

// tasksDone is how many tasks of its list a run is done with, as in "2/4".
func tasksDone(b *loop.Budget) string {
	if b.Tasks == nil {
		return "-"
	}
	return fmt.Sprintf("%d/%d", b.Tasks.Finished(), len(b.Tasks.List))
}

func iterations(b *loop.Budget) string {
	return outOf(b.IterationsUsed, b.Ceilings.Iterations, "/")
}

// noCeiling is the ceiling of iterations that --max-iterations 0 sets.
const noCeiling = 1_000_000

// outOf is a count of iterations beside its ceiling, if it has one.
func outOf(used, most int, between string) string {
	if most >= noCeiling {
		return strconv.Itoa(used)
	}
	return strconv.Itoa(used) + between + strconv.Itoa(most)
}
