package tasks

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
	numberedGate(1, loop.Entry, "The spec is approved; the tasks may be executed.",
		"Do not begin; change the spec first.", specDue, "asks before the first task"),
	numberedGate(2, loop.Entry, "The review is accepted; the tasks may be executed.",
		"Do not begin; review the tasks first.", reviewDue, "asks before the first task"),
	{
		Name: CheckGate, Header: "Check", When: loop.Entry, Safest: "none",
		Options: []loop.Option{
			{Label: "run",
				Description: "Run it when a task is claimed; only green counts as verified."},
			{Label: "none", Description: "Run nothing; tasks count as claimed, never as verified."},
			{Label: "stop", Description: "Do not begin."},
		},
		Due: checkDue, Apply: applyCheck, Tell: tellCheck,
	},
	{
		Name: ImportGate, Header: "Import", When: loop.Entry, Safest: "fresh",
		Options: []loop.Option{
			{Label: "import",
				Description: "Continue from there; what it counts as done is not verified."},
			{Label: "fresh", Description: "Begin with the first task."},
			{Label: "stop", Description: "Do not begin."},
		},
		Due: importDue, Apply: applyImport,
		Tell: loop.Says("asks before the first task, when another tool left a state file of the " +
			"same list"),
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
		Tell: loop.Says("asks when the task list was edited since it was read; ticks do not count"),
	},
	doubtGate(TestsGate, "Tests", "The change to the tests is correct.", testsDue, applyTests,
		loop.Says("asks when an attempt deleted, skipped or emptied tests")),
	doubtGate(UnprovenGate, "Unproven", "The work is right, and so is the check as it is now.",
		unprovenDue, applyUnproven, tellUnproven),
	{
		Name: FlaggedGate, Header: "Flagged", When: loop.Exit, Safest: "retry",
		Options: []loop.Option{
			{Label: "retry", Description: "Try the task again with a new set of attempts."},
			{Label: "skip", Description: "Leave the task out and continue with the next one."},
			{Label: "stop", Description: loop.NothingMore},
		},
		Due: flaggedDue, Apply: applyFlagged,
		Tell: loop.Says("asks when a worker ends with TASK_BLOCKED, or writes under " +
			"Blocked / Flagged"),
	},
	{
		Name: CheckpointGate, Header: "Checkpoint", When: loop.Exit, Safest: "hold",
		Options: []loop.Option{
			{Label: "continue", Description: "Continue with the next task."},
			{Label: "hold", Description: "Not yet: the loop pauses here."},
			{Label: "stop", Description: loop.NothingMore},
		},
		Due: checkpointDue, Apply: holdGate, Tell: tellCheckpoint,
	},
	numberedGate(3, loop.Exit,
		"The work is accepted; the loop ends. A merge is asked about separately.",
		"Stop the loop; the pull request stays open.", prGateDue,
		"asks once the pull request of all tasks is open"),
}

// numberedGate returns one of the engine's three gates, before or after the tasks.
func numberedGate(
	n int, at loop.Moment, approve, stop string, due func(*loop.Facts) []loop.Gate, when string,
) loop.GateKind {
	return loop.GateKind{
		Name: gateNames[n-1], Header: "Gate " + strconv.Itoa(n), When: at, Safest: "hold",
		Options: []loop.Option{
			{Label: "approve", Description: approve},
			{Label: "hold", Description: "Not yet: the loop pauses here."},
			{Label: "stop", Description: stop},
		},
		Due: due, Apply: passGate, Tell: tellNumbered(n, when),
	}
}

func doubtGate(
	name, header, accept string, due func(*loop.Facts) []loop.Gate,
	apply func(*loop.Budget, *loop.Tick, loop.Gate, string, string), tell func(*loop.Facts) string,
) loop.GateKind {
	return loop.GateKind{
		Name: name, Header: header, When: loop.Exit, Safest: "retry",
		Options: []loop.Option{
			{Label: "accept", Description: accept},
			{Label: "retry", Description: "The attempt does not count; try the task again."},
			{Label: "stop", Description: loop.NothingMore},
		},
		Due: due, Apply: apply, Tell: tell,
	}
}

func specDue(f *loop.Facts) []loop.Gate {
	return numbered(f, 1, fmt.Sprintf("Gate 1: is the spec %s approved for execution?",
		Of(f.Run).Spec))
}

func reviewDue(f *loop.Facts) []loop.Gate {
	r := Of(f.Run)
	ticked := ""
	if n := r.Count(loop.Imported); n > 0 {
		ticked = fmt.Sprintf(" Done before, as ticked: %d.", n)
	}
	return numbered(f, 2, fmt.Sprintf("Gate 2: is the review of the %s in %s accepted?%s%s",
		loop.Plural(len(r.List), "task"), r.ListPath, ticked, r.ownChecks()))
}

// prGateDue asks once the PR of the whole list is open (T51).
func prGateDue(f *loop.Facts) []loop.Gate {
	item, j := judged(f)
	if item != nil || j == nil || !j.Verdict.Done() {
		return nil
	}
	all, pr := "the task is", "the pull request"
	if n := len(Of(f.Run).List); n > 1 {
		all = fmt.Sprintf("all %d tasks are", n)
	}
	if n := cmp.Or(f.Tick.Attempt.PR, Of(f.Run).PR); n != 0 {
		pr += fmt.Sprintf(" #%d", n)
	}
	return numbered(f, 3, "Gate 3: "+all+" done and "+pr+" is open. Accept the work?")
}

func numbered(f *loop.Facts, n int, question string) []loop.Gate {
	if slices.Contains(Of(f.Run).Passed, n) {
		return nil
	}
	return []loop.Gate{{Question: question}}
}

// holdGate keeps the question pending if the answer is hold, so that the run pauses at it.
func holdGate(_ *loop.Budget, tick *loop.Tick, g loop.Gate, act, _ string) {
	if act == "hold" {
		g.Kept = true
		tick.Pending = append(tick.Pending, g)
	}
}

// passGate records a passed gate (T44, T47).
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

// checkDue asks before the hooks ever run a command that the project proposes (T86).
func checkDue(f *loop.Facts) []loop.Gate {
	r := Of(f.Run)
	if r.Proposed == "" {
		return nil
	}
	return []loop.Gate{{Question: fmt.Sprintf("Check command, proposed by the project: `%s`. "+
		"Run it after each task?", r.Proposed)}}
}

func applyCheck(run *loop.Budget, _ *loop.Tick, _ loop.Gate, act, _ string) {
	r := Of(run)
	if act == "run" {
		r.Check = r.Proposed
	}
	r.Proposed = ""
}

// checkpointDue asks after a task that is a checkpoint (T41).
func checkpointDue(f *loop.Facts) []loop.Gate {
	item, j := judged(f)
	if item == nil || !item.Checkpoint || Of(f.Run).Mode != "checkpoint" || !j.Verdict.Done() {
		return nil
	}
	n := Of(f.Run).Index + 1
	return []loop.Gate{{
		Question: fmt.Sprintf("Checkpoint after task %d, %s (%s). Continue?", n, item.Title,
			j.Verdict),
		Target: fmt.Sprintf("task %d", n),
	}}
}

// flaggedDue asks a person because the worker requested one (T35).
func flaggedDue(f *loop.Facts) []loop.Gate {
	_, j := judged(f)
	if j == nil || j.Verdict != loop.Flagged {
		return nil
	}
	n := f.Tick.Attempt.Task // an answer may have changed r.Index
	return []loop.Gate{{
		Question: fmt.Sprintf("Task %d is flagged: %s. Retry, skip it, or stop the loop?", n,
			j.Why),
		Target: fmt.Sprintf("task %d", n),
	}}
}

// applyFlagged skips or retries the current task. A person's own words are passed to the next
// attempt.
func applyFlagged(run *loop.Budget, _ *loop.Tick, _ loop.Gate, act, answer string) {
	r := Of(run)
	switch item := r.item(); {
	case act == "skip" && item != nil:
		item.Result = loop.SkippedOne
		r.moveOn()
	case act == "retry":
		r.Try = 1
		if answer != act {
			r.Words = answer
		}
	}
}

// importDue asks about a state file that another tool left behind (T99). The imported gates are
// asked again.
func importDue(f *loop.Facts) []loop.Gate {
	r := Of(f.Run)
	if r.Import == nil {
		return nil
	}
	return []loop.Gate{{Question: fmt.Sprintf("A state file from before this run counts %d of %d "+
		"tasks as done. Continue with task %d, attempt %d, or begin with task 1?", r.Import.Index,
		len(r.List), r.Import.Index+1, r.Import.Try)}}
}

func applyImport(run *loop.Budget, _ *loop.Tick, _ loop.Gate, act, _ string) {
	r := Of(run)
	if r.Import == nil {
		return
	}
	if act == "import" {
		r.Index, r.Try = min(r.Import.Index, len(r.List)), r.Import.Try
		for i := range r.List[:r.Index] {
			r.List[i].Result = loop.Imported
		}
		r.Pick()
	}
	r.Import = nil
}

// listDue asks about a list that was edited since it was read (T97).
func listDue(f *loop.Facts) []loop.Gate {
	r := Of(f.Run)
	if r.Changed == nil {
		return nil
	}
	return []loop.Gate{{Question: fmt.Sprintf("The task list %s was changed %s: %s. Take it, or "+
		"keep this run's?", r.ListPath, r.author(), r.difference(r.Changed.List))}}
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

// testsDue asks about tests that an accepted attempt deleted or disabled (T96).
func testsDue(f *loop.Facts) []loop.Gate {
	item, j := judged(f)
	if item == nil || j == nil || !j.Verdict.Done() || len(j.Weakened) == 0 {
		return nil
	}
	return []loop.Gate{{
		Question: fmt.Sprintf("Task %d weakens tests: %s. Accept it, or try the task again?",
			Of(f.Run).Index+1, strings.Join(j.Weakened, "; ")),
		Target: fmt.Sprintf("task %d", Of(f.Run).Index+1),
	}}
}

// applyTests takes back an attempt that weakens tests, unless a person accepted it.
func applyTests(run *loop.Budget, tick *loop.Tick, g loop.Gate, act, _ string) {
	takeBack(run, tick, g, act, "it weakens tests, and a person did not accept that")
}

// numberOf returns the number of the task that a gate refers to, or 0 if there is none.
func numberOf(g loop.Gate) (n int) {
	_, _ = fmt.Sscanf(g.Target, "task %d", &n)
	return n
}

// takeBack revokes the acceptance of an attempt. If the run was paused in between, it opens the
// task again.
func takeBack(run *loop.Budget, tick *loop.Tick, g loop.Gate, act, why string) {
	a, r, task := tick.Attempt, Of(run), numberOf(g)
	switch {
	case act != "retry" || task < 1 || task > len(r.List):
	case a != nil && a.Task == task && a.Judged != nil:
		j := *a.Judged
		j.Verdict, j.Why = loop.Overruled, why
		a.Judged = &j
	default:
		item := &r.List[task-1]
		r.Index, r.Try, r.Phase, r.Reason = task-1, item.Tries+1, Execution, why
		item.Result, item.SHA = "", ""
	}
}

// judged returns the current task and the judgement of the open attempt. Both may be nil.
func judged(f *loop.Facts) (*Item, *loop.Judgement) {
	if f.Tick.Attempt == nil {
		return nil, nil
	}
	return Of(f.Run).item(), f.Tick.Attempt.Judged
}

// The functions below describe how close a task loop is to its conditions and gates, for a person.

func tellTask(f *loop.Facts) string {
	return Of(f.Run).Result() + "; fires when the last one is done"
}

func tellRetries(f *loop.Facts) string {
	r := Of(f.Run)
	if r.Complete() {
		return "every task is done"
	}
	return fmt.Sprintf("attempt %d of %d at task %d; fires when the last one is not accepted",
		min(r.Try, r.MaxTries-1), r.MaxTries-1, min(r.Index+1, len(r.List)))
}

// tellNumbered returns the Tell of a numbered gate.
func tellNumbered(n int, when string) func(f *loop.Facts) string {
	return func(f *loop.Facts) string {
		if slices.Contains(Of(f.Run).Passed, n) {
			return "passed"
		}
		return when
	}
}

func tellCheck(f *loop.Facts) string {
	if r := Of(f.Run); r.Check != "" {
		return fmt.Sprintf("`%s` runs after each claim", r.Check)
	}
	return "no check command; asks when the project proposes one"
}

func tellUnproven(f *loop.Facts) string {
	if Of(f.Run).Require == "" {
		return "asks when the worker changed the check, and a checkout of the start is red too"
	}
	return "asks about every task that is not verified"
}

func tellCheckpoint(f *loop.Facts) string {
	if Of(f.Run).Mode != "checkpoint" {
		return "asks in mode checkpoint only; this run's mode is " + Of(f.Run).Mode
	}
	n := 0
	for _, i := range Of(f.Run).List[min(Of(f.Run).Index, len(Of(f.Run).List)):] {
		if i.Checkpoint {
			n++
		}
	}
	return fmt.Sprintf("asks after a milestone of the spec; %s left", loop.Plural(n, "milestone"))
}

// stays refuses scheduling and questions to a person by the worker of a task (T90).
func stays(e loop.Call, s loop.State, _ *loop.Known) loop.Outcome {
	if e.Agent == "" && !s.Run.Driven() || Of(s.Run) == nil {
		return loop.Outcome{}
	}
	switch {
	case e.Tool == "AskUserQuestion":
		return loop.RefuseCall(loop.ConductRule,
			"decide according to the spec; if only a person can, end with "+
				"TASK_BLOCKED and this attempt's token", "No question is asked during %s",
			Of(s.Run).Name(s.Tick.Attempt))
	case e.Schedules != nil:
		return loop.RefuseCall(loop.ScheduleRule, "do it in this task or leave it",
			"Nothing is scheduled during %s", Of(s.Run).Name(s.Tick.Attempt))
	}
	return loop.Outcome{}
}
