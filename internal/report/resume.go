package report

import (
	"fmt"

	"hooks/internal/loop"
)

// Resume is the exact command to go on with a run; path is its budget file, where that is not in its default place. A
// ceiling that stopped the run is lifted by half, as the gate would: with less it would stop again at once.
func Resume(b *loop.Budget, path string) string {
	return typed(b) + " --resume" + where(b, Ended{Budget: path, Elsewhere: path != ""}) + lifted(b)
}

// typed is the run's command as it brings more than one iteration: without /loop a scheduled loop would go on for one.
// At which interval it was scheduled nobody told.
func typed(b *loop.Budget) string {
	if b.UnderLoop {
		return "/loop " + invocation(b)
	}
	return invocation(b)
}

func lifted(b *loop.Budget) string {
	half := func(ceiling, used int) int { return max(ceiling+(ceiling+1)/2, used+1) }
	switch b.StopCause {
	case "iteration_budget":
		return fmt.Sprintf(" --max-iterations %d", half(b.Ceilings.Iterations, b.IterationsUsed))
	case "prs_touched_budget":
		return fmt.Sprintf(" --max-prs %d", half(b.Ceilings.PRs, len(b.PRsTouched)))
	case "wall_clock_budget":
		return fmt.Sprintf(" --max-minutes %d", half(b.Ceilings.Minutes, b.MinutesElapsed))
	case "cost_budget":
		cents := half(int(b.Ceilings.Dollars.Cents()), int(b.DollarsEstimate.Cents()))
		return " --max-dollars " + ceiling(loop.USD(cents) * loop.Cent)[1:]
	}
	return ""
}
