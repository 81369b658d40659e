package app

import (
	"fmt"
	"slices"
	"strings"

	"hooks/internal/event"
	"hooks/internal/guard"
	"hooks/internal/loop"
	"hooks/internal/report"
)

// preToolUse is the guard of everything an agent does while a loop of its session is on. Most calls meet two or three
// small files and an opinion of nothing.
func (v *visit) preToolUse() (event.Reply, error) {
	list, err := v.mine()
	if err != nil {
		return event.Nothing(), err
	}
	if slices.ContainsFunc(list, func(t *thread) bool { return t.open(v.ev.SessionID) && asked(t.Tick) }) {
		if list, err = v.catchUp(); err != nil {
			return event.Nothing(), err
		}
	}
	found := event.Nothing()
	if !v.ev.InSubagent() && slices.ContainsFunc(list, func(t *thread) bool { return v.unknownPrompt(t) && !t.Tick.Draining }) {
		if found, err = v.prompt(); err != nil { // no prompt event told that a turn was cut off
			return found, err
		}
		if list, err = v.mine(); err != nil {
			return found, err
		}
	}
	if slices.ContainsFunc(list, v.mindsDialog) {
		if err := v.noteDialog(); err != nil {
			return found, err
		}
	}
	for _, t := range v.addressed(list) {
		r, err := v.judge(t)
		if err != nil || !r.Empty() {
			return r.And(found), err
		}
	}
	return found, nil
}

// addressed leaves out the open loops that this prompt is none of, where it is one of another: what a turn does is
// counted and judged once.
func (v *visit) addressed(list []*thread) []*thread {
	own := func(t *thread) bool { return t.open(v.ev.SessionID) && slices.Contains(t.Tick.Prompts, v.ev.PromptID) }
	if !slices.ContainsFunc(list, own) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(t *thread) bool { return t.open(v.ev.SessionID) && !own(t) })
}

// asked: questions wait, and a dialog with them was shown whose answers no event has brought.
func asked(t *loop.Tick) bool {
	return len(t.Pending) > 0 && slices.ContainsFunc(t.Dialogs, func(d loop.Dialog) bool { return !d.Done && !d.Forged })
}

// catchUp takes answers from the transcript, for a client in which PostToolUse is not registered.
func (v *visit) catchUp() (list []*thread, err error) {
	err = v.guarded(func(now []*thread) error {
		list = now
		for _, t := range list {
			if !t.open(v.ev.SessionID) || !v.missedAnswers(t) {
				continue
			}
			if err := v.save(t); err != nil {
				return err
			}
		}
		return nil
	})
	return list, err
}

func (v *visit) judge(t *thread) (event.Reply, error) {
	if settles(v.ev) {
		return event.Nothing(), nil
	}
	if c := t.Claim; c != nil && c.SessionID == v.ev.SessionID && c.Gate != nil && c.PromptID == v.ev.PromptID {
		if r, err := v.missedForce(); err != nil || !r.Empty() {
			return r, err
		}
		return v.atGate(t, []loop.Gate{*c.Gate})
	}
	if t.Budget == nil {
		return event.Nothing(), nil
	}
	if t.open(v.ev.SessionID) {
		if waiting := held(t.Tick); len(waiting) > 0 || v.ev.Tool == "AskUserQuestion" && len(t.Tick.Pending) > 0 {
			if r, err := v.atGate(t, t.Tick.Pending); err != nil || !r.Empty() {
				return r, err
			}
		}
	}
	if !v.governs(t) {
		return v.afterHalt(t), nil
	}
	for _, rule := range []func(*thread) (event.Reply, error){v.scheduling, v.dispatch, v.acts} {
		if r, err := rule(t); err != nil || !r.Empty() {
			return r, err
		}
	}
	return event.Nothing(), nil
}

// settles: the calls that end a schedule always pass.
func settles(ev event.Event) bool {
	return ev.Tool == "CronDelete" || ev.Tool == "CronList" || ev.Tool == "ScheduleWakeup" && ev.Flag("stop")
}

// held are the open questions that keep everything else back.
func held(t *loop.Tick) []loop.Gate {
	return slices.DeleteFunc(slices.Clone(t.Pending), func(g loop.Gate) bool {
		k, _ := loop.Kind(g.Name)
		return k.Holds == loop.HoldMerge
	})
}

// governs: a run that goes on, or one that ended in this very prompt, whose turn is not over yet.
func (v *visit) governs(t *thread) bool {
	return t.Budget.Status == loop.Active || slices.Contains(t.Budget.LastPrompts, v.ev.PromptID)
}

// afterHalt: what remains of a halted run is that nothing may schedule it again.
func (v *visit) afterHalt(t *thread) event.Reply {
	if prompt, ok := schedules(v.ev); ok && t.Budget.Schedules(prompt) && slices.Contains(t.Budget.Scheduled, prompt) {
		return event.Deny(loop.PriorStop(t.Budget) + "\nhint: it is not scheduled again; a person starts it anew by typing the command, or goes on with --resume")
	}
	return event.Nothing()
}

func schedules(ev event.Event) (prompt string, ok bool) {
	if ev.Tool != "CronCreate" && ev.Tool != "ScheduleWakeup" {
		return "", false
	}
	return ev.Text("prompt"), true
}

// atGate fills the dialog with exactly the questions that wait, and keeps everything else of the main thread back
// until they are answered. Workers already dispatched go on.
func (v *visit) atGate(t *thread, gates []loop.Gate) (event.Reply, error) {
	if v.ev.Tool == "AskUserQuestion" && !v.ev.InSubagent() {
		return event.Ask(questions(gates)...), nil
	}
	if v.ev.InSubagent() || v.ev.Tool == "ToolSearch" || guard.ReadOnly(v.call()) {
		return event.Nothing(), nil
	}
	return event.Deny(fmt.Sprintf("%s is held back: gate %s waits for a person.\n%s", v.ev.Tool, gates[0].Name, report.Ask(gates))), nil
}

func questions(gates []loop.Gate) []event.Question {
	var list []event.Question
	for _, g := range gates {
		q := event.Question{Question: g.Question, Header: g.Header}
		for _, o := range g.Options {
			q.Options = append(q.Options, event.Option{Label: o.Label, Description: o.Description})
		}
		list = append(list, q)
	}
	return list
}

// mindsDialog: the call is a dialog that shows a waiting question, or one whose answers the model brought itself.
func (v *visit) mindsDialog(t *thread) bool {
	if v.ev.Tool != "AskUserQuestion" || v.ev.InSubagent() {
		return false
	}
	claimed := t.Claim != nil && t.Claim.SessionID == v.ev.SessionID && t.Claim.Gate != nil
	return claimed || t.open(v.ev.SessionID) && (len(t.Tick.Pending) > 0 || v.ev.Answers().Forged)
}

// noteDialog keeps which call asked, and whether it came with answers already in it: those are no person's.
func (v *visit) noteDialog() error {
	d := loop.Dialog{ID: v.ev.ToolUseID, Forged: v.ev.Answers().Forged}
	return v.guarded(func(list []*thread) error {
		for _, t := range list {
			var err error
			switch {
			case !v.mindsDialog(t):
			case t.Claim != nil && t.Claim.SessionID == v.ev.SessionID && t.Claim.Gate != nil:
				t.Claim.Dialogs = append(t.Claim.Dialogs, d)
				v.waits(t.Claim.Gate)
				err = v.files.SaveClaim(t.Claim)
			case !slices.Contains(t.Tick.Dialogs, d):
				t.Tick.Dialogs = append(t.Tick.Dialogs, d)
				for i := range t.Tick.Pending {
					v.waits(&t.Tick.Pending[i])
				}
				err = v.files.SaveTick(t.Tick)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// scheduling: a loop that has ended, or is about to, is not scheduled again (design §1), and an iteration leaves no other
// work behind that would run past the loop's end.
func (v *visit) scheduling(t *thread) (event.Reply, error) {
	prompt, ok := schedules(v.ev)
	if _, tick := loop.ParsePrompt(prompt); ok && !tick && t.open(v.ev.SessionID) && slices.Contains(t.Tick.Prompts, v.ev.PromptID) {
		return event.Deny("Not scheduled: what an iteration leaves for later would run when no loop governs it any more\n" +
			"hint: do it in this iteration or leave it to the next one; a person may schedule it"), nil
	}
	if !ok || !t.Budget.Schedules(prompt) {
		return event.Nothing(), nil
	}
	switch {
	case t.Budget.Status != loop.Active:
		return event.Deny(loop.PriorStop(t.Budget) + "\nhint: end the turn; nothing is to be scheduled"), nil
	case t.open(v.ev.SessionID) && t.Tick.Halting():
		return event.Deny(fmt.Sprintf("The loop ends with this iteration (%s): no next tick\nhint: end the turn; the final report follows", why(t.Tick))), nil
	}
	return event.Nothing(), nil
}

func why(t *loop.Tick) string {
	switch {
	case t.Interrupted != "":
		return "user_interrupt: " + t.Interrupted
	case len(t.Fired) > 0:
		return t.Fired[0].Cause + ": " + t.Fired[0].Text
	}
	return ""
}

var dispatchTools = []string{"Agent", "Task", "Workflow"}

// dispatch lets a worker go only while the run may still do new work, and counts it (R30, R45, R91).
func (v *visit) dispatch(t *thread) (event.Reply, error) {
	if !slices.Contains(dispatchTools, v.ev.Tool) {
		return event.Nothing(), nil
	}
	if reason := v.mayNotDispatch(t); reason != "" {
		return event.Deny("Not dispatched: " + reason), nil
	}
	if !t.open(v.ev.SessionID) {
		return event.Nothing(), nil
	}
	reply := event.Nothing()
	err := v.guarded(func(list []*thread) error {
		for _, now := range list {
			if now.skill == t.skill && now.open(v.ev.SessionID) {
				reply = v.send(now)
				return v.files.SaveTick(now.Tick)
			}
		}
		return nil
	})
	return reply, err
}

// send counts the worker, unless a person is to be asked about its issue first (R91).
func (v *visit) send(t *thread) event.Reply {
	issues := guard.Mentions(v.task())
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

// dispatched counts a worker that goes.
func (v *visit) dispatched(t *loop.Tick) {
	if t.Once(v.ev.Name, v.ev.ToolUseID) {
		t.Agents++
		t.Taken = append(t.Taken, guard.Mentions(v.task())...)
	}
}

// task is what a worker is told to do.
func (v *visit) task() string { return v.ev.Text("prompt") + " " + v.ev.Text("description") }

const endTurn = "\nhint: let what runs finish, report, and end the turn"

func (v *visit) mayNotDispatch(t *thread) string {
	if reason := v.refuseDispatch(t); reason != "" || !t.open(v.ev.SessionID) {
		return reason
	}
	spent, _ := v.spent(t)
	return v.exhausted(t, spent)
}

// refuseDispatch is why no worker may go, whatever was spent.
func (v *visit) refuseDispatch(t *thread) string {
	if t.Budget.Status != loop.Active {
		return loop.PriorStop(t.Budget) + endTurn
	}
	if !t.open(v.ev.SessionID) {
		return ""
	}
	if t.Tick.Halting() {
		return "the loop ends with this iteration (" + why(t.Tick) + ")" + endTurn
	}
	if waiting := held(t.Tick); len(waiting) > 0 { // a worker's own worker: the main thread never gets here
		return "gate " + waiting[0].Name + " waits for a person" + endTurn
	}
	if d := deferredTarget(t, v.task()); d != "" {
		return d + " is deferred or in progress elsewhere in this iteration\nhint: take the next one of the plan"
	}
	return ""
}

// exhausted: one long turn does not overshoot a ceiling by dispatching past it.
func (v *visit) exhausted(t *thread, spent loop.Spent) string {
	b := v.asOfNow(t, spent)
	for _, f := range loop.Evaluate(loop.Look(&b, t.Tick, nil, v.now), loop.Exit) {
		switch f.Condition {
		case "prs-touched-budget", "wall-clock-budget", "cost-budget":
			return f.Text + endTurn
		}
	}
	return ""
}

// deferredTarget names the target that a worker's task is about, if every issue or PR it mentions is to be left alone.
func deferredTarget(t *thread, task string) string {
	off := append(slices.Clone(t.Budget.DeferredTargets), t.Tick.Deferred...)
	if b := t.Tick.Backlog(); b != nil {
		for _, n := range b.InProgress {
			if !slices.Contains(t.Tick.Taken, n) {
				off = append(off, fmt.Sprintf("#%d", n))
			}
		}
	}
	found := ""
	for _, n := range guard.Mentions(task) {
		name := fmt.Sprintf("#%d", n)
		if !slices.Contains(off, name) && !slices.Contains(off, "PR "+name) {
			return ""
		}
		found = name
	}
	return found
}

func lines(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n")
}
