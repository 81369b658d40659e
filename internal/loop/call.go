package loop

import (
	"cmp"
	"fmt"
	"slices"
)

// Call is a tool call that is about to run.
type Call struct {
	Turn
	Tool  string
	ID    string // tool_use_id
	Input string // tool_input as the client wrote it
	Agent string // of a worker; "" in the main thread

	Asks         bool   // it is the dialog
	EndsSchedule bool   // it removes a schedule, or only looks at it
	Finishes     bool   // it ends work that runs
	Edits        bool   // it is a file tool that writes
	Schedules    *Later // nil where it schedules nothing
	Outside      string // what it starts or leaves for later where no loop governs it, or ""
	Sends        *Task  // nil where it sends no worker
	Tells        *Task  // what a message asks of a worker that runs; nil where it is none
	Background   bool   // nothing reports its result
}

// Later is the prompt that a call schedules.
type Later struct{ Prompt string }

// Task is a worker's assignment.
type Task struct {
	Text   string // the task
	Issues []int  // that it mentions
	Type   string // of the agent, as in "archimedes"; "" where none is named
	// Replayed says that the call is of a past session, which no hint can reach.
	Replayed bool
}

// Reading describes the effects of a call, as far as its text shows them.
type Reading struct {
	Acts []Act
	// Refused explains why the call may not run, whatever the loop's state.
	Refused *Deny
	// Opaque names the part of the call that cannot be read, or is "" if all of it can. Reaches
	// says that it could reach a forge, Braked that whatever it starts meets the links of the
	// brake.
	Opaque  string
	Reaches bool
	Braked  bool
	Beside  bool   // the session's other loop has an iteration open
	Merges  string // the strictest answer about merges among the session's other active runs
	Pushes  string // the first push in it, "" without one
	// Shown is the first setting in it by which a program would decide what an auditor's git shows,
	// or "" if the brake prevents that.
	Shown string
}

// ActKind classifies an Act by its effect.
type ActKind uint8

// The acts that the rules of a loop are about.
const (
	OtherAct   ActKind = iota
	ActMerge           // merges a PR now
	ActLand            // lands code in another way, or opens a way for it
	ActApprove         // approves a PR
	ActOpen            // opens a PR
	ActComment         // comments on an issue or a PR, or reviews one
	ActLabel           // sets or removes a label
	ActUse             // works on a branch or a PR: edits it, checks it out, pushes to it
)

// Act is one thing that a call would do.
type Act struct {
	Kind    ActKind
	PR      int    // or issue; 0 unknown
	Ref     string // label, branch, or the PR as written where its number is not known
	SHA     string // the commit that the call insists on, "" none
	Auto    bool   // the merge would bypass the approval
	Review  bool   // a comment that is a whole review
	Alone   bool   // nothing else can happen in the call, as in that of a tool which merges
	Command string // as in "gh pr merge 142 --squash"
	Words   string // what it is, for a person, as in "push-protected main"
	// Elsewhere is the repository that it is about, where that is not the project's Own.
	Elsewhere, Own string
}

// Deny refuses a call. Text and Hint are for the model.
type Deny struct {
	Rule string // one of Rules
	Text string
	Hint string
	Ask  []Gate // the questions that wait
	Say  string // for the person
	// Ends says that the refusal ends the worker, or the turn and with it the iteration: the thread
	// is asked nothing more, and no event follows.
	Ends bool
	// Plainly says that the hint ends with the forge's own command for Act's merge, bound to SHA.
	Plainly bool
	Act     Act
	SHA     string
}

func deny(rule, hint, format string, args ...any) *Deny {
	return &Deny{Rule: rule, Text: fmt.Sprintf(format, args...), Hint: hint}
}

// step holds the call against the rules, in order; the first that refuses or asks decides. A
// refusal is recorded in the open iteration.
func (e Call) step(s State, k *Known) Outcome {
	before := ""
	if s.Tick != nil {
		before = s.Tick.Interrupted
	}
	out := e.judge(s, k)
	if out.Need == nil && s.Tick != nil && s.Tick.Interrupted != before {
		out.Save.Tick = s.Tick // a worker's call is the first sign of an Esc
	}
	d := out.Reply.Deny
	switch {
	case d == nil || out.Need != nil:
		return out
	case !e.open(s) && d.Ends && s.Quiet == nil:
		return e.closeByRefusal(s, k, d)
	case !e.open(s):
		return out
	case d.Ends && e.Agent != "":
		s.Tick.endWorker(e.Agent)
	}
	if k.lacks(&k.Words) {
		return Outcome{Need: k}
	}
	if s.Tick.refuses(e.ID, e.Input) {
		s.Tick.Deny(Denial{Tool: e.Tool, Rule: d.Rule, What: *k.Words.Is})
		out.Save.Tick = s.Tick
	}
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
	case e.mayHaveEnded(s) && k.lacks(&k.Esc):
		return Outcome{Need: k}
	case e.mayHaveEnded(s) && *k.Esc.Is:
		s.Tick.Interrupt(ByEsc)
	}
	if d := e.endsWorker(s); d != nil {
		return refuseCall(d)
	}
	if s.Run.Status != Active && !slices.Contains(s.Run.LastPrompts, e.Prompt) {
		return e.afterHalt(s.Run)
	}
	out := e.ceiling(s, k)
	if out.Need != nil || out.Reply.Deny != nil || e.EndsSchedule {
		return out
	}
	rules := []func(State, *Known) Outcome{e.held, e.conduct, e.ofKind, e.schedule, e.dispatch,
		e.act, e.winds}
	for _, rule := range rules {
		switch o := rule(s, k); {
		case o.Need != nil:
			return o
		case !o.Nothing(): // both are about the same state
			o.Reply.Context, o.Reply.Say = out.Reply.Context, out.Reply.Say
			o.Save.Tick = cmp.Or(o.Save.Tick, out.Save.Tick)
			o.Save.Run = cmp.Or(o.Save.Run, out.Save.Run)
			return o
		}
	}
	return out
}

// held holds the call at the gates of the open iteration that wait.
func (e Call) held(s State, k *Known) Outcome {
	if !e.open(s) || len(s.Tick.Held()) == 0 && !(e.Asks && len(s.Tick.Pending) > 0) {
		return Outcome{}
	}
	return e.atGate(k, s.Tick.Pending)
}

// ofKind holds the call against the rule of the run's own kind.
func (e Call) ofKind(s State, k *Known) Outcome {
	rule := s.Run.Kind().Rule
	if rule == nil || !e.open(s) || s.Tick.Attempt == nil {
		return Outcome{}
	}
	return rule(e, s, k)
}

func refuseCall(d *Deny) Outcome { return Outcome{Reply: Reply{Deny: d}} }

// atGate fills the dialog with exactly the questions that wait, and holds everything else of the
// main thread back until they are answered. Workers already dispatched continue.
func (e Call) atGate(k *Known, gates []Gate) Outcome {
	switch {
	case e.Asks && e.Agent == "": // a worker's dialog answers no gate and shows none
		return Outcome{Reply: Reply{Ask: gates}}
	case e.Agent != "" || e.Tool == "ToolSearch":
		return Outcome{}
	case k.lacks(&k.Looks):
		return Outcome{Need: k}
	case k.Looks.Is.Only:
		return Outcome{}
	}
	d := deny(GateWaiting, "", "%s is held back: gate %s waits for a person.", e.Tool,
		gates[0].Name)
	d.Ask = gates
	return refuseCall(d)
}

// ceiling bounds one long iteration by the run's dollars, and a task by its own. At the ceiling it
// asks each thread once to finish; past the overrun the next call of a thread ends it. What the
// iteration has spent is a lower bound, because what cannot be read is left out until it ends.
func (e Call) ceiling(s State, k *Known) Outcome {
	if !e.open(s) {
		return Outcome{}
	}
	var ofTask, task USD // what the attempts at one thing cost, and their own ceiling (T88)
	if s.Tick.Attempt != nil {
		a := s.Run.attempts()
		ofTask, task = a.Spent.Plus(k.Running.or().Dollars), a.Most
	}
	if s.Run.Ceilings.Dollars == 0 && task == 0 {
		return Outcome{}
	}
	if k.lacks(&k.Running, &k.Model, &k.Overrun) {
		return Outcome{Need: k}
	}
	running, overrun := k.Running.Is, *k.Overrun.Is
	found := s.finds(running.Running)
	s.Tick.Count(s.Run, running.Running)
	spent := s.Run.DollarsEstimate.Plus(running.Dollars)
	total := spent
	reached, limit := s.Run.dollarsReached(spent), s.Run.Ceilings.Dollars.overrun(overrun)
	if reached == "" && task > 0 && ofTask >= task {
		reached = fmt.Sprintf("Cost budget of %s reached: $%s / $%s",
			s.Run.Own.Name(s.Tick.Attempt), ofTask, task)
		limit, spent = task.overrun(overrun), ofTask
	}
	first := reached != "" && !e.Asks && s.Tick.tellDollars(e.Agent)
	out := Outcome{}
	if e.Agent == "" { // a person may not see the reply to a worker's call
		line, met := s.Run.meetModel(*k.Model.Is, total)
		if out.Reply.Say = line; met {
			out.Save.Run = s.Run
		}
	}
	if first || found || running.Read >= keepAtCall {
		out.Save.Tick = s.Tick
	}
	works := e.Agent != "" || s.Run.driven()
	if reached != "" && spent > limit && (works || s.Run.overspent(total, overrun)) {
		out.Reply.Deny = s.Tick.ends(deny(DollarCeiling, "",
			"%s is refused: %s, past the overrun of %d percent ($%s)", e.Tool, reached, overrun,
			limit), e.Agent)
		if s.Run.overspent(total, overrun) { // no worker's end wakes the main thread any more
			s.Tick.Fired = appendFired(s.Tick.Fired, []Fired{{
				Condition: "cost-budget", Cause: costCause, Text: reached,
			}})
			out.Save.Tick = s.Tick
		}
		return out
	}
	if first {
		out.Reply.Context = fmt.Sprintf("hooks: %s. Now %s. No worker is dispatched any more; "+
			"past $%s your next call ends you.", reached, e.wayToFinish(), limit)
	}
	return out
}

// ends makes a refusal the end of its thread.
func (t *Tick) ends(d *Deny, agent string) *Deny {
	if d.Ends = true; agent == "" {
		d.Text += "; this turn is ended"
	} else {
		d.Text += "; this worker is ended"
	}
	return d
}

// overspent reports whether an amount spent in all is past the dollar ceiling and its overrun.
func (b *Budget) overspent(spent USD, percent int) bool {
	return b.Ceilings.Dollars > 0 && spent > b.Ceilings.Dollars.overrun(percent)
}

// DollarsLeft returns the amount that a process may still spend until its calls are refused: the
// rest of the run and of the task under way, with the overrun. It is 0 without a ceiling.
func (b *Budget) DollarsLeft(percent int) (left USD) {
	least := func(ceiling, spent USD) {
		if rest := max(Cent, ceiling.overrun(percent).minus(spent)); ceiling > 0 &&
			(left == 0 || rest < left) {
			left = rest
		}
	}
	least(b.Ceilings.Dollars, b.DollarsEstimate)
	a := b.attempts()
	least(a.Most, a.Spent)
	return left
}

func (f *Facts) overspent(k *Known) bool {
	return f.Run.overspent(f.Run.DollarsEstimate, *k.Overrun.Is)
}

// closeByRefusal ends the turn of the main thread by a refusal, and the iteration with it: no Stop
// follows. If workers run, the end of the last one closes it.
func (e Call) closeByRefusal(s State, k *Known, d *Deny) Outcome {
	if s.Tick == nil {
		out := e.haltSpent(s, k)
		if out.Need == nil {
			out.Reply.Deny = d
		}
		return out
	}
	if a := s.Tick.Attempt; a != nil && a.Judged == nil && s.Run.driven() {
		a.Judged = &Judgement{Verdict: s.Run.Own.Unjudged(a), Why: pastDollars}
	}
	if len(s.Tick.Workers) > 0 {
		s.Tick.Draining = true
		return Outcome{Save: Save{Tick: s.Tick}, Reply: Reply{Deny: d}}
	}
	s.Tick.Failed = pastDollars
	out := e.closeTurn(s, k)
	if out.Need == nil {
		out.Reply.Deny = d
	}
	return out
}

// pastDollars explains why an iteration ended if its thread was ended at the dollar ceiling.
const pastDollars = "it worked on past its dollars"

// haltSpent ends a run whose dollars were spent between two of its attempts.
func (e Turn) haltSpent(s State, k *Known) Outcome {
	text := costBudget(s.spent(e.Now, k))
	s.Tick = s.between(e, k)
	s.Tick.Fired = []Fired{{Condition: "cost-budget", Cause: costCause, Text: text}}
	s.Tick.Failed = pastDollars
	out := e.closeTurn(s, k)
	out.Reply.Between = out.Need == nil
	return out
}

// keepAtCall bounds the bytes of transcript that the next look may read again before a call saves
// the running count. When results come, they save it, because nothing waits for them.
const keepAtCall = 2 << 20

// wayToFinish tells a thread how to finish at the ceiling.
func (e Call) wayToFinish() string {
	if e.Agent != "" {
		return "commit and push your own branch, " +
			"and end with a short report to the thread that sent you"
	}
	return "commit and push your own branch, report with `hooks report`, and end the turn; " +
		"a person raises the ceiling with --max-dollars N --resume"
}

// schedule refuses to schedule a loop that has ended, or is about to (design §1), and other work
// that would run past the loop's end.
func (e Call) schedule(s State, k *Known) Outcome {
	own := e.open(s) && slices.Contains(s.Tick.Prompts, e.Prompt)
	if own && e.Outside != "" {
		return refuseCall(deny(ScheduleRule,
			"do it in this session or leave it out; a person may start it themselves",
			"%s is refused: it would start %s, and no loop governs that", e.Tool, e.Outside))
	}
	if e.Schedules == nil {
		return Outcome{}
	}
	prompt := e.Schedules.Prompt
	c, tick := ParsePrompt(prompt, s.Run.Names())
	switch {
	case own && !tick:
		return refuseCall(deny(ScheduleRule,
			"do it in this iteration or leave it to the next one; a person may schedule it",
			"Not scheduled: what an iteration leaves for later would run when no loop governs it "+
				"any more"))
	case own && !s.Run.Repeats(c): // else the model could leave what a person answered for this run
		flags, _, _ := c.ParseFlags()
		if k.lacks(&k.Origin) {
			return Outcome{Need: k}
		} else if !k.Origin.Is.typed(c, flags) {
			return refuseCall(deny(ScheduleRule,
				"schedule it as "+s.Run.Command+"; a person starts other loops",
				"Not scheduled: an iteration schedules its own loop alone"))
		}
	}
	if s.Run.Status == Active {
		if o := e.otherFlags(s, k); !o.Nothing() {
			return o
		}
	}
	switch {
	case !s.Run.Schedules(prompt):
		return Outcome{}
	case s.Run.Status != Active:
		return refuseCall(deny(ScheduleRule, "end the turn; nothing is to be scheduled",
			"%s", priorStop(s.Run)))
	case !e.open(s):
		return Outcome{}
	case s.Tick.Halting():
		return refuseCall(deny(ScheduleRule, "end the turn; the final report follows",
			"The loop ends with this iteration (%s): no next tick", s.Tick.HaltedBy()))
	case s.Tick.Iteration >= s.Run.Ceilings.Iterations:
		return refuseCall(deny(ScheduleRule, "report and end the turn; the final report follows",
			"Not scheduled: iteration %d of %d is the last one, so nothing is left to bring",
			s.Tick.Iteration, s.Run.Ceilings.Iterations))
	case k.lacks(&k.Count): // a ceiling that is reached ends the loop at this exit (R30)
		return Outcome{Need: k}
	}
	if text := exhausted(s.spent(e.Now, k)); text != "" {
		return refuseCall(deny(ScheduleRule, endTurn, "Not scheduled: %s", text))
	}
	return Outcome{}
}

// otherFlags refuses to schedule the run's own skill with flags that no person typed for it. A
// person who types /loop with new flags has them scheduled before the first tick begins.
func (e Call) otherFlags(s State, k *Known) Outcome {
	c, ok := ParsePrompt(e.Schedules.Prompt, s.Run.Names())
	if !ok || c.Skill != s.Run.Skill {
		return Outcome{}
	}
	flags, _, err := c.ParseFlags()
	if err != nil {
		return refuseCall(deny(ScheduleRule, "schedule it as "+s.Run.Command, "Not scheduled: %s",
			err))
	}
	switch {
	case s.Run.agrees(flags):
		return Outcome{}
	case k.lacks(&k.Origin):
		return Outcome{Need: k}
	case k.Origin.Is.typed(c, flags):
		return Outcome{}
	}
	return refuseCall(deny(ScheduleRule,
		"schedule it as "+s.Run.Command+", or let a person type the command with new flags",
		"Not scheduled: no person typed these flags for the running loop, which has %s",
		s.Run.Flags))
}

// typed reports whether the turn's prompt is the looping command cmd, as a person typed it.
func (o Origin) typed(cmd Command, flags Flags) bool {
	return o.By != "scheduled" && Typed(o.Prompt, cmd, flags)
}

// Typed reports whether a prompt is itself the looping command cmd, as in
// "/loop 1m /sdd:work --loop", with just these flags.
func Typed(prompt string, cmd Command, flags Flags) bool {
	c, ok := ParsePrompt(prompt, NamesOf(cmd.Name, cmd.Skill))
	if !ok || c.Skill != cmd.Skill {
		return false
	}
	own, _, err := c.ParseFlags()
	return err == nil && own.same(flags)
}

// afterHalt refuses calls that would schedule a halted run again.
func (e Call) afterHalt(run *Budget) Outcome {
	if e.Schedules == nil || !run.Schedules(e.Schedules.Prompt) ||
		!slices.Contains(run.Scheduled, e.Schedules.Prompt) {
		return Outcome{}
	}
	return refuseCall(deny(ScheduleRule,
		"it is not scheduled again; a person starts it again by typing the command, or continues "+
			"with --resume",
		"%s", priorStop(run)))
}

// neverAgain refuses to schedule a loop that ended while it waited for another's lock, in its turn.
func (e Call) neverAgain(c *Claim) Outcome {
	if c == nil || !c.Stopped || c.PromptID != e.Prompt || e.Schedules == nil ||
		!c.Schedules(e.Schedules.Prompt) {
		return Outcome{}
	}
	return refuseCall(deny(ScheduleRule, "end the turn; nothing is to be scheduled", "%s",
		c.priorStop()))
}

const endTurn = "let what runs finish, report, and end the turn"
