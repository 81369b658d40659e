package loop

import (
	"cmp"
	"fmt"
	"slices"

	"hooks/internal/attempt"
	"hooks/internal/guard/effect"
)

// Call is a tool call that is about to run.
type Call struct {
	Turn
	Tool  string
	ID    string // tool_use_id
	Input string // tool_input as the client wrote it
	Agent string // id of the worker that makes the call; "" for the main thread

	Asks         bool    // the call opens the dialog
	EndsSchedule bool    // the call removes or lists schedules
	Edits        bool    // the call uses a file tool that writes
	Schedules    *string // the prompt that the call schedules, or nil
	Outside      string  // work that the call starts and no loop controls, or ""
	Sends        *Task   // the task of the worker that the call starts, or nil
	Background   bool    // no event will report its result
}

// Task is a worker's assignment.
type Task struct {
	Issues []int  // issues mentioned in the assignment
	Type   string // agent type, such as "archimedes", or ""
	// Replayed reports whether the call is from a past session, whose author no hint can reach.
	Replayed bool
}

// Reading describes the effects of a call that can be seen in its text.
type Reading struct {
	Acts []effect.Act
	// Refused is set if no state of the loop allows the call.
	Refused *Deny
	// Opaque names the first part of the call that cannot be read; it is empty if the whole call
	// can be read. Reaches reports whether an unread part could reach a forge. Braked reports
	// whether every program that the call starts goes through the brake's links.
	Opaque  string
	Reaches bool
	Braked  bool
	Beside  bool   // the session's other loop has an open iteration
	Merges  string // the strictest --merges setting among the session's other active runs
	Pushes  string // the first push in the call, or ""
	// Shown is the first setting in the call that lets a program alter the output of an auditor's
	// git. It is empty if there is no such setting or the brake blocks it.
	Shown string
}

func deny(rule, hint, format string, args ...any) *Deny {
	return &Deny{Rule: rule, Text: fmt.Sprintf(format, args...), Hint: hint}
}

// step checks the call against the rules in order. The first rule with an effect decides. A refusal
// is recorded in the open iteration.
func (e Call) step(s State, k *Known) Outcome {
	before := cmp.Or(s.Tick, &Tick{}).Interrupted
	out := e.judge(s, k)
	if s.Tick != nil && s.Tick.Interrupted != before {
		out.Save.Tick = s.Tick // a worker's call is the first sign of an Esc
	}
	d := out.Reply.Deny
	switch {
	case d == nil:
		return out
	case !e.open(s) && d.Ends && s.Quiet == nil:
		return e.closeByRefusal(s, k, d)
	case !e.open(s):
		return out
	case d.Ends && e.Agent != "": // no SubagentStop follows
		s.Tick.Workers = Without(s.Tick.Workers, e.Agent)
		s.Tick.EndedWorkers = AppendNew(s.Tick.EndedWorkers, e.Agent)
	}
	s.Tick.Deny(Denial{Tool: e.Tool, Rule: d.Rule, What: required(k, &k.Words)})
	out.Save.Tick = s.Tick
	if d.Ends && e.Agent == "" {
		return e.closeByRefusal(s, k, d)
	}
	return out
}

func (e Call) judge(s State, k *Known) Outcome {
	switch {
	case e.EndsSchedule && !e.open(s):
		return Outcome{}
	case s.Claim != nil && s.Claim.Gate != nil && s.Claim.PromptID == e.Prompt:
		return e.atGate(k, []Gate{*s.Claim.Gate})
	case s.Run == nil:
		return e.neverAgain(s.Claim)
	case s.Quiet != nil:
		return e.inQuiet(s, k)
	case e.Agent != "" && e.Attended && e.open(s) && s.Tick.Interrupted == "" &&
		!s.Run.Driven() && required(k, &k.Esc): // no event reports an Esc
		s.Tick.Interrupt(ByEsc)
	}
	// workers in work and review loops may finish their work
	if e.Agent != "" && e.open(s) && s.Tick.Interrupted == ByEsc && s.Tick.Attempt != nil {
		d := deny(DrainRule, "",
			"%s is refused: a person pressed Esc, which ended the loop and this worker", e.Tool)
		d.Ends = true
		return refuseCall(d)
	}
	if s.Run.Status != Active && !slices.Contains(s.Run.LastPrompts, e.Prompt) {
		return e.afterHalt(s.Run)
	}
	out := e.ceiling(s, k)
	if out.Reply.Deny != nil || e.EndsSchedule {
		return out
	}
	open := e.open(s)
	for _, r := range []struct {
		applies bool
		rule    func(State, *Known) Outcome
	}{
		{open && len(s.Tick.Pending) > 0, e.held},
		{s.Run.Own != nil, e.conduct},
		{true, e.ofKind},
		{e.Schedules != nil || e.Outside != "", e.schedule},
		{e.Sends != nil, e.dispatch},
		{true, e.act},
		{open && s.Tick.Halting() && s.Tick.Attempt == nil, e.drains},
	} {
		if !r.applies {
			continue
		}
		if o := r.rule(s, k); !o.Nothing() { // the ceiling and the rule change the same state
			o.Reply.Context, o.Reply.Say = out.Reply.Context, out.Reply.Say
			o.Save.Tick = cmp.Or(o.Save.Tick, out.Save.Tick)
			o.Save.Run = cmp.Or(o.Save.Run, out.Save.Run)
			return o
		}
	}
	return out
}

// held applies the open iteration's waiting gates. If all concern merges, it only fills a dialog.
func (e Call) held(s State, k *Known) Outcome {
	if len(s.Tick.Held()) == 0 && !e.Asks {
		return Outcome{}
	}
	return e.atGate(k, s.Tick.Pending)
}

func (e Call) ofKind(s State, k *Known) Outcome {
	rule := s.Run.Kind().Rule
	if rule == nil || !e.open(s) || s.Tick.Attempt == nil {
		return Outcome{}
	}
	return rule(e, s, k)
}

// RefuseCall refuses a call under a rule. hint is the next step; format and args give the reason.
func RefuseCall(rule, hint, format string, args ...any) Outcome {
	return refuseCall(deny(rule, hint, format, args...))
}

func refuseCall(d *Deny) Outcome { return Outcome{Reply: Reply{Deny: d}} }

// atGate fills the dialog with exactly the waiting questions. Until they are answered, it refuses
// all other main thread calls, except ToolSearch and calls that only read. Workers continue.
func (e Call) atGate(k *Known, gates []Gate) Outcome {
	switch {
	case e.Asks && e.Agent == "": // a worker's dialog neither answers nor shows a gate
		return Outcome{Reply: Reply{Ask: gates}}
	case e.Agent != "" || e.Tool == "ToolSearch":
		return Outcome{}
	case required(k, &k.Looks).Only:
		return Outcome{}
	}
	d := deny(GateWaiting, "", "%s is held back: gate %s waits for a person.", e.Tool,
		gates[0].Name)
	d.Ask = gates
	return refuseCall(d)
}

// ceiling enforces the run's and the task's dollar ceilings during a long iteration. At a ceiling,
// each thread is asked once to finish; past the overrun, the thread's next call ends it. The
// spending is a lower bound, because some usage cannot be read before the iteration ends.
func (e Call) ceiling(s State, k *Known) Outcome {
	if !e.open(s) {
		return Outcome{}
	}
	var ofTask, task USD // spending on the current task, and the task's ceiling (T88)
	if s.Tick.Attempt != nil {
		a := s.Run.Attempts()
		ofTask, task = a.Spent.Plus(k.Running.or().Dollars), a.Most
	}
	if s.Run.Ceilings.Dollars == 0 && task == 0 {
		return Outcome{}
	}
	k.Require(&k.Running, &k.Model, &k.Overrun)
	running, overrun := k.Running.Value, *k.Overrun.Value
	found := s.finds(running.Running)
	s.Tick.Count(s.Run, running.Running)
	now := *s.Run
	now.DollarsEstimate = now.DollarsEstimate.Plus(running.Dollars)
	spent, total := now.DollarsEstimate, now.DollarsEstimate
	reached, limit := costBudget(&Facts{Run: &now}), now.Ceilings.Dollars.overrun(overrun)
	if reached == "" && task > 0 && ofTask >= task {
		reached = fmt.Sprintf("Cost budget of %s reached: $%s / $%s",
			s.Run.Own.Name(s.Tick.Attempt), ofTask, task)
		limit, spent = task.overrun(overrun), ofTask
	}
	first := reached != "" && !e.Asks && s.Tick.firstTold(e.Agent)
	out := Outcome{}
	if e.Agent == "" { // a person may not see the reply to a worker's call
		line, met := s.Run.meetModel(*k.Model.Value, total)
		if out.Reply.Say = line; met {
			out.Save.Run = s.Run
		}
	}
	if first || found || running.Read >= keepAtCall {
		out.Save.Tick = s.Tick
	}
	works := e.Agent != "" || s.Run.Driven()
	if reached != "" && spent > limit && (works || s.Run.overspent(total, overrun)) {
		out.Reply.Deny = e.ends(deny(DollarCeiling, "",
			"%s is refused: %s, above the ceiling plus %d percent ($%s)", e.Tool,
			reached, overrun, limit))
		if s.Run.overspent(total, overrun) { // no ending worker will wake the main thread now
			s.Tick.Fired = appendFired(s.Tick.Fired, spentOut(reached))
			out.Save.Tick = s.Tick
		}
		return out
	}
	if first {
		out.Reply.Context = fmt.Sprintf("hooks: %s. Now %s. No more workers are dispatched. Once "+
			"spending passes $%s, your next call is refused and your work ends.", reached,
			e.wayToFinish(), limit)
	}
	return out
}

// ends makes the refusal d end the calling thread.
func (e Call) ends(d *Deny) *Deny {
	if d.Ends = true; e.Agent == "" {
		d.Text += "; this turn ends here"
	} else {
		d.Text += "; this worker ends here"
	}
	return d
}

// DollarsLeft returns the amount that a process may still spend before its calls are refused, but
// at least one cent. It is the smaller remainder of the run's and the current task's ceilings, each
// including the overrun. It returns 0 if there is no ceiling.
func (b *Budget) DollarsLeft(percent int) (left USD) {
	least := func(ceiling, spent USD) {
		if rest := max(Cent, ceiling.overrun(percent).minus(spent)); ceiling > 0 &&
			(left == 0 || rest < left) {
			left = rest
		}
	}
	least(b.Ceilings.Dollars, b.DollarsEstimate)
	a := b.Attempts()
	least(a.Most, a.Spent)
	return left
}

// closeByRefusal ends the main thread's turn with a refusal. It also ends the iteration, because no
// Stop follows. If workers are running, the iteration closes when the last one ends.
func (e Call) closeByRefusal(s State, k *Known, d *Deny) Outcome {
	if s.Tick == nil {
		out := e.haltSpent(s, k)
		out.Reply.Deny = d
		return out
	}
	if a := s.Tick.Attempt; a != nil && a.Judged == nil && s.Run.Driven() {
		a.Judged = &attempt.Judgement{Verdict: s.Run.Attempts().Unjudged, Why: pastDollars}
	}
	if len(s.Tick.Workers) > 0 {
		s.Tick.Draining = true
		return Outcome{Save: Save{Tick: s.Tick}, Reply: Reply{Deny: d}}
	}
	s.Tick.Failed = pastDollars
	out := e.closeTurn(s, k)
	out.Reply.Deny = d
	return out
}

// pastDollars is the recorded reason when a refusal at the dollar ceiling ended a thread.
const pastDollars = "it continued past its dollar ceiling"

// spentOut returns the cost-budget condition as fired, even though the iteration has not ended yet.
func spentOut(text string) []Fired {
	return []Fired{{Condition: "cost-budget", Cause: costCause, Text: text}}
}

// haltSpent ends a run that reached its dollar ceiling between two attempts.
func (e Turn) haltSpent(s State, k *Known) Outcome {
	fired := spentOut(costBudget(s.spent(e.Now, k)))
	return e.endRun(s, k, Tick{Failed: pastDollars, Fired: fired})
}

// keepAtCall is the number of new transcript bytes that a call must read before it saves the
// running count. If a call reads fewer, the next call reads them again.
const keepAtCall = 512 << 10

// wayToFinish returns the instruction for finishing the current work and reporting.
func (e Call) wayToFinish() string {
	if e.Agent != "" {
		return "commit and push your own branch, " +
			"and end with a short report to the thread that sent you"
	}
	return "commit and push your own branch, report with `hooks report`, and end the turn; " +
		"a person can raise the ceiling with --max-dollars N --resume"
}

// schedule refuses to schedule another loop, a loop that has ended or is about to end (design §1),
// and work that no loop would govern.
func (e Call) schedule(s State, k *Known) Outcome {
	own := e.open(s) && slices.Contains(s.Tick.Prompts, e.Prompt)
	if own && e.Outside != "" {
		return RefuseCall(ScheduleRule,
			"do the work in this session, or leave it to a person",
			"%s is refused: it would start %s, outside the control of the loop", e.Tool, e.Outside)
	}
	if e.Schedules == nil {
		return Outcome{}
	}
	prompt := *e.Schedules
	c, tick := ParsePrompt(prompt, s.Run.Names())
	if own && (!tick || !s.Run.Repeats(c)) { // another loop would use answers given for this run
		flags, _, _ := c.ParseFlags()
		if !tick || !required(k, &k.Origin).typed(c, flags) {
			return RefuseCall(ScheduleRule,
				"schedule `"+s.Run.Command+"`; only a person can start other loops",
				"Not scheduled: an iteration may schedule only its own loop")
		}
	}
	active, why := s.Run.Status == Active, ""
	if active {
		if o := e.otherFlags(s, k, c); !o.Nothing() {
			return o
		}
	}
	switch {
	case !s.Run.Schedules(prompt), active && !e.open(s):
	case !active:
		why = priorStop(s.Run)
	case s.Tick.Halting():
		why = "the loop ends with this iteration (" + s.Tick.HaltedBy() +
			"), so there is no next tick"
	case s.Tick.Iteration >= s.Run.Ceilings.Iterations:
		why = fmt.Sprintf("iteration %d of %d is the last one", s.Tick.Iteration,
			s.Run.Ceilings.Iterations)
	default: // a reached ceiling ends the loop at this exit (R30)
		k.Require(&k.Count)
		why = exhausted(s.spent(e.Now, k))
	}
	if why == "" {
		return Outcome{}
	}
	return RefuseCall(ScheduleRule, "report and end the turn; the final report follows",
		"Not scheduled: %s", why)
}

// otherFlags refuses to schedule the run's own skill with flags that no person typed for it. If a
// person types /loop with new flags, the call that schedules them comes before the first tick.
func (e Call) otherFlags(s State, k *Known, c Command) Outcome {
	if c.Skill != s.Run.Skill {
		return Outcome{}
	}
	flags, _, err := c.ParseFlags()
	if err != nil {
		return RefuseCall(ScheduleRule, "schedule `"+s.Run.Command+"`", "Not scheduled: %s",
			err)
	}
	if s.Run.agrees(flags) || required(k, &k.Origin).typed(c, flags) {
		return Outcome{}
	}
	return RefuseCall(ScheduleRule,
		"schedule `"+s.Run.Command+"`, or let a person type the command with new flags",
		"Not scheduled: these flags differ from the running loop's (%s), and no person typed them",
		s.Run.Flags)
}

// typed reports whether the turn's prompt was typed by a person and is the looping command cmd with
// exactly these flags.
func (o Origin) typed(cmd Command, flags Flags) bool {
	return o.By != "scheduled" && SameCommand(o.Prompt, cmd, flags)
}

// SameCommand reports whether a prompt such as "/loop 1m /sdd:work --loop" is the looping command
// cmd with exactly these flags. The order of flags and explicit defaults make no difference.
func SameCommand(prompt string, cmd Command, flags Flags) bool {
	c, ok := ParsePrompt(prompt, NamesOf(cmd.Name, cmd.Skill))
	if !ok || c.Skill != cmd.Skill {
		return false
	}
	own, _, err := c.ParseFlags()
	return err == nil && own.canonical() == flags.canonical() && own.Resume == flags.Resume &&
		cmp.Or(own.Lock, LockSkip) == cmp.Or(flags.Lock, LockSkip)
}

// afterHalt refuses calls that would schedule a halted run again.
func (e Call) afterHalt(run *Budget) Outcome {
	if e.Schedules == nil || !run.Schedules(*e.Schedules) ||
		!slices.Contains(run.Scheduled, *e.Schedules) {
		return Outcome{}
	}
	return RefuseCall(ScheduleRule,
		"do not schedule it again; a person can start a new run or continue with --resume",
		"%s", priorStop(run))
}

// neverAgain refuses to schedule a loop that ended in this turn while waiting for another session's
// lock.
func (e Call) neverAgain(c *Claim) Outcome {
	if c == nil || !c.Stopped || c.PromptID != e.Prompt || e.Schedules == nil ||
		!c.Schedules(*e.Schedules) {
		return Outcome{}
	}
	return RefuseCall(ScheduleRule, "end the turn; do not schedule anything", "%s",
		c.priorStop())
}

const endTurn = "let running workers finish, then report and end the turn"
