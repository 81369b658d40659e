package tasks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hooks/internal/attempt"
	"hooks/internal/english"
	"hooks/internal/loop"
)

// The gates of a task loop (T2, T35, T41, T86).
const (
	GateSpec       = "gate-1-spec"
	GateReview     = "gate-2-review"
	GatePR         = "gate-3-pr"
	CheckGate      = "check-command"
	CheckpointGate = "checkpoint"
	FlaggedGate    = "task-flagged"
	ImportGate     = "import-state"
	ListGate       = "list-drift"
	TestsGate      = "tests-weakened"
	UnprovenGate   = "unproven"
)

// gateNames lists the three numbered gates of the engine (T24).
var gateNames = []string{GateSpec, GateReview, GatePR}

var gates = []loop.GateKind{
	opening(1, "The spec is approved; the tasks may be executed.",
		"Do not begin; change the spec first.", specDue),
	opening(2, "The review is accepted; the tasks may be executed.",
		"Do not begin; review the tasks first.", reviewDue),
	{
		Name: CheckGate, Header: "Check", When: loop.Entry, Safest: "none",
		Options: []loop.Option{
			{Label: "run",
				Description: "Run it after each claim; a task is verified only if it passes."},
			{Label: "none", Description: "Run nothing; tasks count as claimed, never as verified."},
			{Label: "stop", Description: "Do not begin."},
		},
		Due: checkDue, Apply: applyCheck,
		Tell: loop.Says("asks when the project proposes a check command").Tell,
	},
	{
		Name: ImportGate, Header: "Import", When: loop.Entry, Safest: "fresh",
		Options: []loop.Option{
			{Label: "import",
				Description: "Continue with that task; earlier ones are done but not verified."},
			{Label: "fresh", Description: "Begin with the first task."},
			{Label: "stop", Description: "Do not begin."},
		},
		Due: importDue, Apply: applyImport,
		Tell: loop.Says("asks before the first task, if another tool left a state file for the " +
			"same list").Tell,
	},
	{
		Name: ListGate, Header: "Task list", When: loop.Entry, Safest: "keep",
		Options: []loop.Option{
			{Label: "read", Description: "Continue with the tasks of the list as it is now; " +
				"completed tasks stay done."},
			{Label: "keep", Description: "Continue with the tasks of this run."},
			{Label: "stop", Description: "Stop the loop."},
		},
		Due: listDue, Apply: applyList,
		Tell: loop.Says("asks when the task list has been edited since it was read; ticks do not " +
			"count").Tell,
	},
	{
		Name: TestsGate, Header: "Tests", When: loop.Exit, Safest: "retry",
		Options: []loop.Option{
			{Label: "accept", Description: "The change to the tests is correct."},
			tryAgain, stopLoop,
		},
		Due: testsDue,
		Apply: func(run *loop.Budget, tick *loop.Tick, g loop.Gate, act, _ string) {
			takeBack(run, tick, g, act, "a person rejected the changes to the tests")
		},
		Tell: loop.Says("asks when an attempt deleted, skipped or emptied tests").Tell,
	},
	{
		Name: UnprovenGate, Header: "Unproven", When: loop.Exit, Safest: "retry",
		Options: []loop.Option{
			{Label: "accept", Description: "Both the work and the current check are correct."},
			tryAgain, stopLoop,
		},
		Due: unprovenDue, Apply: applyUnproven,
		Tell: loop.Says("asks when the worker changed the check and its result is inconclusive; " +
			"with `--require verified`, also when a task is done but not verified").Tell,
	},
	{
		Name: FlaggedGate, Header: "Flagged", When: loop.Exit, Safest: "retry",
		Options: []loop.Option{
			{Label: "retry", Description: "Try the task again with a new set of attempts."},
			{Label: "skip", Description: "Leave the task out and continue with the next one."},
			stopLoop,
		},
		Due: flaggedDue, Apply: applyFlagged,
		Tell: loop.Says("asks when a worker ends with TASK_BLOCKED, or writes under " +
			"Blocked / Flagged").Tell,
	},
	{
		Name: CheckpointGate, Header: "Checkpoint", When: loop.Exit, Safest: "hold",
		Options: []loop.Option{
			{Label: "continue", Description: "Continue with the next task."},
			notYet,
			stopLoop,
		},
		Due: checkpointDue, Apply: holdGate,
		Tell: loop.Says("in checkpoint mode, asks after each checkpoint of the task list").Tell,
	},
	{
		Name: GatePR, Header: "Gate 3", When: loop.Exit, Safest: "hold",
		Options: []loop.Option{
			{Label: "approve", Description: "The work is accepted; the loop ends. You are " +
				"asked separately about a merge."},
			notYet,
			{Label: "stop", Description: "Stop the loop; the pull request stays open."},
		},
		Due: prGateDue, Apply: passGate,
		Tell: func(f *loop.Facts) string {
			return passedOr(f, 3, "asks once the pull request for all tasks is open")
		},
	},
}

// opening returns gate n, which asks before the first task.
func opening(n int, approve, stop string, due func(*loop.Facts) []loop.Gate) loop.GateKind {
	return loop.GateKind{
		Name: gateNames[n-1], Header: fmt.Sprint("Gate ", n), When: loop.Entry, Safest: "hold",
		Options: []loop.Option{
			{Label: "approve", Description: approve}, notYet, {Label: "stop", Description: stop},
		},
		Due: func(f *loop.Facts) []loop.Gate {
			if passed(f, n) {
				return nil
			}
			return due(f)
		},
		Apply: passGate,
		Tell:  func(f *loop.Facts) string { return passedOr(f, n, "asks before the first task") },
	}
}

// Options that several gates share.
var (
	notYet   = loop.Option{Label: "hold", Description: "Not yet: the loop pauses here."}
	tryAgain = loop.Option{Label: "retry",
		Description: "The attempt does not count; try the task again."}
	stopLoop = loop.Option{Label: "stop", Description: loop.NothingMore}
)

// ask returns a question about a task, or about the whole run if task is 0.
func ask(task int, format string, args ...any) []loop.Gate {
	g := loop.Gate{Question: fmt.Sprintf(format, args...)}
	if task > 0 {
		g.Target = fmt.Sprintf("task %d", task)
	}
	return []loop.Gate{g}
}

// passed reports whether a person has approved gate n, one of the three numbered gates.
func passed(f *loop.Facts, n int) bool { return slices.Contains(Of(f.Run).Passed, n) }

func passedOr(f *loop.Facts, n int, when string) string {
	if passed(f, n) {
		return "passed"
	}
	return when
}

func specDue(f *loop.Facts) []loop.Gate {
	return ask(0, "Gate 1: is the spec %s approved for execution?", Of(f.Run).Spec)
}

func reviewDue(f *loop.Facts) []loop.Gate {
	r, ticked := Of(f.Run), ""
	if n := r.Count(attempt.Imported); n > 0 {
		ticked = fmt.Sprintf(" Already ticked as done: %d.", n)
	}
	return ask(0, "Gate 2: is the review of the %s in %s accepted?%s%s",
		english.Plural(len(r.List), "task"), r.ListPath, ticked, r.ownChecks())
}

// prGateDue asks a person to accept the work once the attempt that opens the PR is accepted (T51).
func prGateDue(f *loop.Facts) []loop.Gate {
	item, j := judged(f)
	if item != nil || j == nil || !j.Verdict.Done() || passed(f, 3) {
		return nil
	}
	all, pr := "the task is", "the pull request"
	if n := len(Of(f.Run).List); n > 1 {
		all = fmt.Sprintf("all %d tasks are", n)
	}
	if n := cmp.Or(f.Tick.Attempt.PR, Of(f.Run).PR); n != 0 {
		pr = fmt.Sprintf("pull request #%d", n)
	}
	return ask(0, "Gate 3: %s done and %s is open. Accept the work?", all, pr)
}

// holdGate keeps the question pending if the answer is hold, so that the run pauses at it.
func holdGate(_ *loop.Budget, tick *loop.Tick, g loop.Gate, act, _ string) {
	if act == "hold" {
		g.Kept = true
		tick.Pending = append(tick.Pending, g)
	}
}

// passGate records that a person passed a gate (T44, T47).
func passGate(run *loop.Budget, tick *loop.Tick, g loop.Gate, act, answer string) {
	if holdGate(run, tick, g, act, answer); act != "approve" {
		return
	}
	r := Of(run)
	r.Passed = loop.AppendNew(r.Passed, slices.Index(gateNames, g.Name)+1)
	if g.Name == GatePR {
		r.Phase = Closure
	}
}

// checkDue asks before the hooks first run a check command that no person typed (T86).
func checkDue(f *loop.Facts) []loop.Gate {
	r := Of(f.Run)
	if r.Proposed == "" {
		return nil
	}
	return ask(0, "The project proposes the check command `%s`. Run it after each task?",
		r.Proposed)
}

func applyCheck(run *loop.Budget, _ *loop.Tick, _ loop.Gate, act, _ string) {
	r := Of(run)
	if act == "run" {
		r.Check = r.Proposed
	}
	r.Proposed = ""
}

// checkpointDue asks after a checkpoint task (T41).
func checkpointDue(f *loop.Facts) []loop.Gate {
	item, j := judged(f)
	if item == nil || !item.Checkpoint || Of(f.Run).Mode != "checkpoint" || !j.Verdict.Done() {
		return nil
	}
	n := Of(f.Run).Index + 1
	return ask(n, "Checkpoint after task %d, %s (%s). Continue?", n, item.Title, j.Verdict)
}

// flaggedDue asks about a task flagged by its worker (T35).
func flaggedDue(f *loop.Facts) []loop.Gate {
	_, j := judged(f)
	if j == nil || j.Verdict != attempt.Flagged {
		return nil
	}
	n := f.Tick.Attempt.Task // an answer may have changed r.Index
	return ask(n, "Task %d is flagged: %s. Retry it, skip it, or stop the loop?", n, j.Why)
}

// applyFlagged skips or retries the current task. It passes a person's own words to the next
// attempt.
func applyFlagged(run *loop.Budget, _ *loop.Tick, _ loop.Gate, act, answer string) {
	r := Of(run)
	switch item := r.item(); {
	case act == "skip" && item != nil:
		item.Result = attempt.Skipped
		r.moveOn()
	case act == "retry":
		r.Try = 1
		if answer != act {
			r.Words = answer
		}
	}
}

// importDue asks about a state file that another tool left behind (T99). Gates that the tool
// recorded as passed are asked again.
func importDue(f *loop.Facts) []loop.Gate {
	r := Of(f.Run)
	if r.Import == nil {
		return nil
	}
	return ask(0, "A state file from before this run counts %d of %d tasks as done. Continue with "+
		"task %d, attempt %d, or begin with task 1?", r.Import.Index, len(r.List), r.Import.Index+1,
		r.Import.Try)
}

func applyImport(run *loop.Budget, _ *loop.Tick, _ loop.Gate, act, _ string) {
	r := Of(run)
	if r.Import == nil {
		return
	}
	if act == "import" {
		r.Index, r.Try = min(r.Import.Index, len(r.List)), r.Import.Try
		for i := range r.List[:r.Index] {
			r.List[i].Result = attempt.Imported
		}
		r.Pick()
	}
	r.Import = nil
}

// listDue asks about a list edited since it was read (T97).
func listDue(f *loop.Facts) []loop.Gate {
	r := Of(f.Run)
	if r.Changed == nil {
		return nil
	}
	return ask(0, "The task list %s was changed %s: %s. Use the new list, or keep the old one?",
		r.ListPath, r.author(), r.difference(r.Changed.List))
}

func applyList(run *loop.Budget, _ *loop.Tick, _ loop.Gate, act, _ string) {
	r := Of(run)
	if r.Changed == nil {
		return
	}
	if act == "read" {
		r.take(r.Changed)
		return
	}
	r.ListSum, r.Changed = r.Changed.Sum, nil
}

// testsDue asks about tests weakened by an accepted attempt (T96).
func testsDue(f *loop.Facts) []loop.Gate {
	item, j := judged(f)
	if item == nil || j == nil || !j.Verdict.Done() || len(j.Weakened) == 0 {
		return nil
	}
	n := Of(f.Run).Index + 1
	return ask(n, "Task %d weakens tests: %s. Accept it, or try the task again?", n,
		strings.Join(j.Weakened, "; "))
}

// numberOf returns the number of the task a gate refers to, or 0 if it refers to none.
func numberOf(g loop.Gate) (n int) {
	_, _ = fmt.Sscanf(g.Target, "task %d", &n)
	return n
}

// takeBack revokes the acceptance of an attempt. If the attempt's iteration has already ended, it
// reopens the task.
func takeBack(run *loop.Budget, tick *loop.Tick, g loop.Gate, act, why string) {
	a, r, task := tick.Attempt, Of(run), numberOf(g)
	switch {
	case act != "retry" || task < 1 || task > len(r.List):
	case a != nil && a.Task == task && a.Judged != nil:
		j := *a.Judged
		j.Verdict, j.Why = attempt.Overruled, why
		a.Judged = &j
	default:
		item := &r.List[task-1]
		r.Index, r.Try, r.Phase, r.Reason = task-1, item.Tries+1, Execution, why
		item.Result, item.SHA = "", ""
	}
}

// judged returns the current task and the judgement of the open attempt. Both may be nil.
func judged(f *loop.Facts) (*Item, *attempt.Judgement) {
	if f.Tick.Attempt == nil {
		return nil, nil
	}
	return Of(f.Run).item(), f.Tick.Attempt.Judged
}

// The next two functions describe how close a task loop is to meeting its conditions.

func tellTask(f *loop.Facts) string {
	return Of(f.Run).Result() + "; fires when the last one is done"
}

func tellRetries(f *loop.Facts) string {
	r := Of(f.Run)
	if r.Complete() {
		return "every task is done"
	}
	return fmt.Sprintf("attempt %d of %d at task %d; fires when the last attempt is not accepted",
		min(r.Try, r.MaxTries-1), r.MaxTries-1, min(r.Index+1, len(r.List)))
}

// stays refuses calls by a task's worker that schedule work or ask a person (T90).
func stays(e loop.Call, s loop.State, _ *loop.Known) loop.Outcome {
	if e.Agent == "" && !s.Run.Driven() || Of(s.Run) == nil {
		return loop.Outcome{}
	}
	switch {
	case e.Tool == "AskUserQuestion":
		return loop.RefuseCall(loop.ConductRule,
			"decide according to the spec; if only a person can decide, end with "+
				"TASK_BLOCKED and this attempt's token", "Asking a person is not allowed during %s",
			Of(s.Run).Name(s.Tick.Attempt))
	case e.Schedules != nil:
		return loop.RefuseCall(loop.ScheduleRule, "do the work in this task, or leave it undone",
			"Scheduling is not allowed during %s", Of(s.Run).Name(s.Tick.Attempt))
	}
	return loop.Outcome{}
}
