package loop

import (
	"cmp"
	"slices"
	"strings"
)

// maxJobs bounds how many jobs a run remembers. Once there are so many, every wake is assumed to
// come from one of the run's jobs.
const maxJobs = 64

// The senders. SenderPerson is assumed if the transcript has no line about the prompt. SenderQueue
// means that the prompt was typed or sent while a turn was running.
const (
	SenderPerson Sender = iota
	SenderQueue
	SenderClient
	SenderSchedule // the client, when a schedule fires
)

// addJob adds a job that a call started if list has room and does not contain it yet. It reports
// whether the job was added.
func addJob(list *[]Job, j *Job) (news bool) {
	if j == nil || len(*list) == maxJobs ||
		slices.ContainsFunc(*list, func(o Job) bool { return o.ID == j.ID }) {
		return false
	}
	*list = append(slices.Clip(*list), *j)
	return true
}

// about reports whether the wake concerns a job.
func (w *Wakeup) about(j Job) bool {
	return w.Task != "" && j.ID == w.Task || slices.Contains(w.Stopped, j.About)
}

// ends reports whether the wakeup reports the end of job j.
func (w *Wakeup) ends(j Job) bool { return w.about(j) && (w.Ended || w.Stopped != nil) }

// endJob removes a job that has ended and reports whether it was one of the run's jobs.
func (b *Budget) endJob(w *Wakeup) (known bool) {
	if w == nil {
		return false
	}
	n := len(b.Jobs)
	b.Jobs = slices.DeleteFunc(slices.Clone(b.Jobs), w.ends)
	return len(b.Jobs) < n
}

// isOf reports whether the wake comes from one of these jobs. If the list is full, it assumes so.
func (w *Wakeup) isOf(jobs []Job) bool {
	return w != nil && (len(jobs) >= maxJobs || slices.ContainsFunc(jobs, w.about))
}

// jobs returns the run's jobs, including those started after the run ended in turns where the gate
// applied.
func (q *Quiet) jobs(b *Budget) []Job { return slices.Concat(b.Jobs, q.Jobs) }

// awaits reports whether a job can still wake the session.
func (q *Quiet) awaits(b *Budget) bool {
	return slices.ContainsFunc(q.jobs(b), func(j Job) bool {
		return !slices.Contains(q.Heard, j.ID)
	})
}

// afterEnd handles a prompt in a session whose run has ended. The run's schedule cannot start a
// turn. Until a person types, the run's jobs cannot either.
func (e PromptSubmit) afterEnd(s State, k *Known) Outcome {
	fires := slices.Contains(s.Run.Scheduled, e.Text) && !s.Run.answered()
	if s.Quiet == nil && !fires || e.Text == "" {
		return Outcome{}
	}
	if e.Wakes == nil {
		k.Require(&k.Sender)
	}
	switch {
	case fires && k.Sender.or() >= SenderClient &&
		(e.Invokes == "" || strings.HasPrefix(e.Text, "/loop ")):
		return Outcome{Reply: Reply{Refuse: priorStop(s.Run), Hidden: true}}
	case s.Quiet == nil, fires && k.Sender.or() >= SenderClient: // the tick is refused at its entry
		return Outcome{}
	}
	before, q, jobs := s.Quiet, *s.Quiet, s.Quiet.jobs(s.Run)
	own := e.Wakes.isOf(jobs)
	for _, j := range jobs {
		if own && e.Wakes.ends(j) {
			q.Heard = AppendNew(q.Heard, j.ID)
		}
	}
	out := Outcome{}
	switch theirs := e.Prompt != "" && q.Prompt == e.Prompt; {
	case own && !q.Typed:
		out.Reply = Reply{Refuse: e.Wakes.refused(), Hidden: true}
		q.Refused = e.Wakes.among(q.Refused)
	case own && !theirs: // a notification may arrive in a running turn
		q.Free, q.Woken = false, e.Prompt
	case e.isTyped(k) && !(q.Free && theirs): // a prompt raises up to two events
		e.typed(&out, s.Run, q)
		return out
	case !own && e.Prompt != q.Woken:
		q.Free = q.Typed
	}
	if q.Free != before.Free || q.Woken != before.Woken || len(q.Heard) > len(before.Heard) ||
		len(q.Refused) > len(before.Refused) {
		out.Save.Quiet = &q
	}
	return out
}

// among returns a copy of list where the wake replaces any earlier wake from the same task.
func (w *Wakeup) among(list []Wakeup) []Wakeup {
	list = slices.DeleteFunc(slices.Clone(list), func(o Wakeup) bool {
		return o.Task == w.Task && slices.Equal(o.Stopped, w.Stopped)
	})
	return append(list, *w)
}

// isTyped reports whether a person typed the prompt. Events without text, and prompts that the
// client generated, do not count.
func (e PromptSubmit) isTyped(k *Known) bool {
	return e.Text != "" && e.Wakes == nil && k.Sender.or() < SenderClient
}

// typed opens the ended run's gate because a person has typed. It moves the refused wakes to the
// reply. If no job can wake the session any more, it removes the gate.
func (e Turn) typed(out *Outcome, run *Budget, q Quiet) {
	out.Reply.Missed = q.Refused
	q.Typed, q.Free, q.Prompt, q.Refused = true, true, e.Prompt, nil
	if out.Save.Quiet, out.Save.Release = &q, !q.awaits(run); out.Save.Release {
		out.Save.Quiet = nil
	}
}

// refuseWake refuses a job's wake in an iteration that a person ended with Esc or that exceeded the
// dollar ceiling. A refused turn has no Stop, so refuseWake closes the iteration itself once the
// last worker has ended.
func (e PromptSubmit) refuseWake(s State, k *Known) Outcome {
	t, w := s.Tick, e.Wakes
	for _, j := range s.Run.Jobs {
		if w.ends(j) {
			t.Workers = Without(t.Workers, j.ID)
		}
	}
	s.Run.endJob(w)
	t.Wakes = w.among(t.Wakes)
	out := Outcome{Save: Save{Run: s.Run, Tick: t}}
	if len(t.Workers) == 0 {
		out = e.closeTurn(s, k)
	}
	out.Reply.Refuse, out.Reply.Hidden = w.refused(), true
	return out
}

// What describes the wake to a person, for example `Background command "build" completed`.
func (w *Wakeup) What() string {
	switch {
	case w.Summary != "":
		return w.Summary
	case w.Stopped != nil:
		return "you stopped the worker " + strings.Join(w.Stopped, ", ")
	}
	return "task " + w.Task + " reported"
}

// refused returns the message to a person about a refused wake.
func (w *Wakeup) refused() string {
	return "hooks: " + w.What() + "; not passed to the model, because the loop has ended. It is " +
		"reported again with your next prompt"
}

// inQuiet applies the gate to a call in a session whose run has ended.
func (e Call) inQuiet(s State, k *Known) Outcome {
	ofRun := slices.Contains(s.Run.LastPrompts, e.Prompt) && s.Quiet.Prompt != e.Prompt
	if s.Quiet.Free && !ofRun {
		return Outcome{}
	}
	o := e.afterRun(s, k)
	switch {
	case ofRun && o.Nothing():
		return e.drains(s, k)
	case o.Reply.Deny == nil || e.Agent != "" || ofRun:
		return o
	}
	// a person typed, but no event reported the prompt
	if by := required(k, &k.Origin).By; by == "human" || by == "sdk" {
		o = Outcome{}
		e.typed(&o, s.Run, *s.Quiet)
	}
	return o
}

// afterRun refuses calls that are not allowed after a run: calls that land code, start workers,
// schedule prompts, change the loop's own files, or cannot be read.
func (e Call) afterRun(s State, k *Known) Outcome {
	const wait = "end the turn; do nothing until the person's next prompt"
	switch {
	case e.Schedules != nil, e.Outside != "":
		return RefuseCall(ScheduleRule, wait, "Not scheduled: %s", priorStop(s.Run))
	case e.Sends != nil, e.Tool == "SendMessage" && e.Agent == "": // it revives a worker
		return refuseCall(notSent(priorStop(s.Run), wait))
	case required(k, &k.Reading).Refused != nil:
		return refuseCall(k.Reading.Value.Refused)
	}
	if i := slices.IndexFunc(k.Reading.Value.Acts, lands); i >= 0 && !k.Reading.Value.Beside {
		return RefuseCall(MergeGate, wait, "Not merged: %s. %s", k.Reading.Value.Acts[i].Command,
			priorStop(s.Run))
	}
	return Outcome{Reply: Reply{Deny: e.unread(s, *k.Reading.Value)}}
}

// drains lets workers only finish their work while an iteration or run is ending. They may read,
// edit, and commit and push finished work (R43–R45).
func (e Call) drains(s State, k *Known) Outcome {
	if e.Agent == "" || e.Edits || e.Tool == "ToolSearch" || required(k, &k.Commits) {
		return Outcome{}
	}
	return RefuseCall(DrainRule, e.wayToFinish(),
		"%s is refused: the loop has ended; its workers may only finish their current work", e.Tool)
}

// PromptSubmit is a prompt in the session, or another event in a turn outside the iteration. It can
// mean that a turn never reached its Stop, or that a person typed `/loop stop`.
type PromptSubmit struct {
	Turn
	Text    string  // as it was submitted
	Stops   bool    // the prompt is StopWord
	Wakes   *Wakeup // the background work that the prompt reports; nil for any other prompt
	Invokes Skill   // the skill whose tick the prompt begins, or ""
	Expands bool    // the prompt's expansion follows and can still refuse the turn
}

// StopWord is the client's own command for ending a loop.
const StopWord = "/loop stop"

func (e PromptSubmit) step(s State, k *Known) Outcome {
	switch {
	case s.Run == nil:
		return Outcome{}
	case s.Run.Status != Active:
		return e.afterEnd(s, k)
	}
	out := e.whileActive(s, k)
	c := out.Save.Close
	if c == nil || c.Budget.Status == Active || e.Text == "" {
		return out
	}
	if e.Wakes == nil {
		k.Require(&k.Sender)
	}
	if e.isTyped(k) {
		e.typed(&out, &c.Budget, *cmp.Or(out.Save.Quiet, &Quiet{}))
	}
	return out
}

// whileActive handles a prompt during an active run. The prompt can show that a turn never reached
// its Stop or that a job ended, or it can be a person's `/loop stop`.
func (e PromptSubmit) whileActive(s State, k *Known) Outcome {
	switch {
	case e.Stops && !e.open(s):
		return e.haltBetween(s, k, StopWord)
	case e.Stops && s.Tick.Interrupted != "" && slices.Contains(s.Tick.Prompts, e.Prompt):
		return Outcome{} // already handled by the first of the prompt's two events
	case e.Stops:
		s.Tick.Interrupt(StopWord)
		return e.closeOrDrain(s, k)
	case !e.Foreign(s) || e.Expands && e.Invokes == s.Run.Skill:
		if s.Run.endJob(e.Wakes) {
			return Outcome{Save: Save{Run: s.Run}}
		}
		return Outcome{}
	}
	esc := required(k, &k.Marked) && s.Tick.Interrupted == ""
	if esc {
		s.Tick.Interrupt(ByEsc)
	}
	overspent := func(f Fired) bool { return f.Cause == costCause } // overspending ends all threads
	stopped := s.Tick.Interrupted == ByEsc || slices.ContainsFunc(s.Tick.Fired, overspent)
	own := stopped && e.Wakes.isOf(s.Run.Jobs)
	switch {
	case own:
		return e.refuseWake(s, k)
	case esc:
	case s.Tick.Draining || e.Wakes != nil:
		s.Tick.Prompts = AppendNew(s.Tick.Prompts, e.Prompt)
		out := Outcome{Save: Save{Tick: s.Tick}}
		if s.Run.endJob(e.Wakes) {
			out.Save.Run = s.Run
		}
		return out
	default:
		s.Tick.Failed = CutOff
	}
	return e.closeOrDrain(s, k)
}

// closeOrDrain ends an iteration that was interrupted or cut off. If workers are running, it lets
// them finish, and the last Stop closes the iteration.
func (e PromptSubmit) closeOrDrain(s State, k *Known) Outcome {
	if s.Tick.Draining || len(s.Tick.Workers) > 0 {
		if e.Text != "" && e.Wakes == nil {
			k.Require(&k.Sender)
		}
		if e.isTyped(k) { // the gate opens when the last worker ends
			s.Tick.Typed = e.Prompt
		}
		s.Tick.Draining = true
		s.Tick.Prompts = AppendNew(s.Tick.Prompts, e.Prompt)
		return Outcome{Save: Save{Tick: s.Tick}, Reply: Reply{Draining: true}}
	}
	out := e.closeTurn(s, k)
	if c := out.Save.Close; c != nil && c.Budget.Status == Halted && e.Invokes == s.Run.Skill {
		out.Reply.Wakes = true
	}
	return out
}
