package app

import (
	"slices"

	"hooks/internal/event"
	"hooks/internal/guard"
	"hooks/internal/loop"
	"hooks/internal/report"
)

// dispatch lets a worker go only while the run may still do new work, and counts it (R30, R45,
// R91).
func (v *visit) dispatch(t *thread) (event.Reply, error) {
	if !v.ev.Dispatches() {
		return event.Nothing(), nil
	}
	if reason := v.mayNotDispatch(t); reason != "" {
		return event.Deny("Not dispatched: " + reason), nil
	}
	if !v.open(t) {
		return event.Nothing(), nil
	}
	return v.anew(t, func(now *thread) (event.Reply, error) {
		reply := v.send(now).By(loop.DispatchRule)
		v.denied(now.Tick, reply)
		return reply, v.files.SaveTick(now.Tick)
	})
}

// send counts the worker, unless a person is to be asked about its issue first (R91).
func (v *visit) send(t *thread) event.Reply {
	issues := guard.Mentions(v.task())
	if len(issues) == 0 && v.mustName(t) {
		return event.Deny("Not dispatched: " +
			"the task names no issue, so nothing tells whether it may be worked on\n" +
			"hint: name it in the task, as in \"Implement issue #44\"; " +
			"a worker that is about no issue is sent again as it is").By(loop.UnnamedRule)
	}
	f := loop.Look(t.Budget, t.Tick, nil, v.now)
	f.Sent = issues
	if due := loop.Due(f, loop.Sending); len(due) > 0 {
		t.Tick.Pending = append(t.Tick.Pending, due...)
		t.Tick.UseGiven(t.Budget, v.now)
		if len(t.Tick.Pending) > 0 {
			return event.Deny("Not dispatched yet: a person settles the criteria first.\n" + report.Ask(t.Tick.Pending))
		}
		if reason := v.mayNotDispatch(t); reason != "" { // by what a person had answered in a terminal
			return event.Deny("Not dispatched: " + reason)
		}
	}
	v.dispatched(t.Tick)
	return event.Nothing()
}

// mustName reports whether a work loop's worker is refused for a task without an issue. That
// happens once in an iteration; a second telling of that call is the same refusal.
func (v *visit) mustName(t *thread) bool {
	if t.skill != loop.Work || v.ev.InSubagent() || v.past != nil {
		return false
	}
	before := slices.ContainsFunc(t.Tick.Denied, func(d loop.Denial) bool {
		return d.Rule == loop.UnnamedRule
	})
	return !before || t.Tick.WasRefused(v.ev.ToolUseID, v.ev.Input.Raw)
}

// dispatched counts a worker that goes.
func (v *visit) dispatched(t *loop.Tick) {
	if t.Once(v.ev.Name, v.ev.ToolUseID, v.ev.Input.Raw) {
		t.Agents++
		t.Taken = append(t.Taken, guard.Mentions(v.task())...)
	}
}

// task is what a worker is told to do.
func (v *visit) task() string { return v.ev.Text("prompt") + " " + v.ev.Text("description") }

const endTurn = "\nhint: let what runs finish, report, and end the turn"

func (v *visit) mayNotDispatch(t *thread) string {
	if reason := v.refuseDispatch(t); reason != "" || !v.open(t) {
		return reason
	}
	spent := v.spent(t)
	return v.exhausted(t, spent)
}

// refuseDispatch is why no worker may go, whatever was spent.
func (v *visit) refuseDispatch(t *thread) string {
	if t.Budget.Status != loop.Active {
		return loop.PriorStop(t.Budget) + endTurn
	}
	if !v.open(t) {
		return ""
	}
	if t.Tick.Halting() {
		return "the loop ends with this iteration (" + t.Tick.HaltedBy() + ")" + endTurn
	}
	if waiting := t.Tick.Held(); len(waiting) > 0 { // a worker's own worker: the main thread never gets here
		return "gate " + waiting[0].Name + " waits for a person" + endTurn
	}
	mentions := guard.Mentions(v.task())
	if d := t.Tick.LeftAlone(t.Budget, mentions); d != "" {
		return d + " is deferred or in progress elsewhere in this iteration\nhint: take the next one of the plan"
	}
	if v.ev.InSubagent() { // a worker's own helper works on the worker's issue
		return ""
	}
	return t.Tick.OffPlan(mentions)
}

// exhausted is why no worker may go after what was spent until now.
func (v *visit) exhausted(t *thread, spent loop.Spent) string {
	b := v.asOfNow(t, spent)
	if text := loop.Exhausted(loop.Look(&b, t.Tick, nil, v.now)); text != "" {
		return text + endTurn
	}
	return ""
}
