package report

import (
	"time"

	"hooks/internal/loop"
	"hooks/internal/tasks"
)

// View is a task loop's run as the fourteen fields of .sdd-state.json (T16–T28).
func View(run *loop.Budget, now time.Time) tasks.View {
	r := run.Tasks
	v := tasks.View{
		LinearIssue: r.Issue, Phase: r.Phase, TaskIndex: r.Index, TotalTasks: len(r.List),
		TaskIteration: r.Try, MaxTaskIterations: r.MaxTries, GlobalIteration: run.IterationsUsed,
		MaxGlobalIterations: run.Ceilings.Iterations, ExecutionMode: r.Mode, GatesPassed: r.Passed,
		SpecPath: r.Spec, CreatedAt: run.StartedAt.Format(time.RFC3339),
		LastUpdatedAt: now.Format(time.RFC3339),
	}
	if n := run.AwaitingGate(); n > 0 {
		v.AwaitingGate = &n
	}
	return v
}
