package report

import (
	"fmt"
	"strings"

	"hooks/internal/loop"
)

// roomForAll is the width from which the list of runs shows every column.
const roomForAll = 100

// RunList prints one line a run. Those behind the present ones lie in the archive: none of these runs any more.
func RunList(s Screen, runs []loop.Budget, present int) string {
	all := s.Width >= roomForAll
	table := [][]string{runCells(all, "run", "skill", "started", "iterations", "PRs", "minutes", "dollars", "state")}
	for i := range runs {
		b := &runs[i]
		state := string(b.Status)
		switch {
		case i >= present && b.Status == loop.Active:
			state = "cut off"
		case b.StopCause != "" && all:
			state += " " + b.StopCause
		case b.StopCause != "":
			state = b.StopCause
		}
		table = append(table, runCells(all, b.RunID, string(b.Skill), s.at(b.StartedAt), fmt.Sprintf("%d/%d", b.IterationsUsed, b.Ceilings.Iterations),
			fmt.Sprint(len(b.PRsTouched)), fmt.Sprint(b.MinutesElapsed), "$"+b.DollarsEstimate.String(), state))
	}
	text, _ := s.narrowed(table)
	return strings.TrimRight(text, "\n")
}

// runCells leaves out of a line what a narrow screen has no room for.
func runCells(all bool, cells ...string) []string {
	if all {
		return cells
	}
	return append(cells[:4:4], cells[6:]...)
}
