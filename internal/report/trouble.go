package report

import (
	"fmt"
	"slices"

	"hooks/internal/loop"
)

// Trouble is the cause of what a person may see of a task loop, with its fix, by the
// troubleshooting table of the engine (T80). It is nil for any other kind. last is the run's last
// line, nil if there is none.
func Trouble(b *loop.Budget, last *loop.Iteration) (list []string) {
	r := b.Tasks
	if r == nil {
		return nil
	}
	add := func(holds bool, format string, args ...any) {
		if holds {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	judged := loop.Judgement{}
	if last != nil && last.Task != nil && last.Task.Task == r.Index+1 {
		judged = last.Task.Judgement
	}
	red := judged.Verdict == loop.Overruled
	add(judged.Verdict == loop.Unfinished, "the loop does not advance, because %s: the worker's "+
		"last line must be TASK_COMPLETE with the attempt's token", judged.Why)
	add(red && judged.Check != nil && judged.Check.Exit == 127, "the check ended with exit 127: "+
		"the shell did not find a command in `%s`", r.Check)
	add(red, "task %d is not accepted, because %s: fix that; or give it more attempts with "+
		"--max-task-iterations or SDD_MAX_TASK_ITER; or fix the task by hand and resume",
		r.Index+1, judged.Why)
	add(b.StopCause == "iteration_budget", "many attempts use up the iterations: see with "+
		"`hooks tasks` which tasks fail, and fix the causes rather than raise the cap")
	add(b.StopCause == "no_fresh_context", "look with `hooks doctor` whether Stop, SubagentStop "+
		"and PreToolUse are registered")
	n := b.AwaitingGate()
	unanswered := slices.ContainsFunc(b.Pending, func(g loop.Gate) bool { return g.Answer == "" })
	add(n > 0 && unanswered, "gate %d waits for a person: complete its review, then answer it; "+
		"the fields of .sdd-state.json change nothing", n)
	return list
}
