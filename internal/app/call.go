package app

import (
	"cmp"
	"errors"
	"os"
	"slices"
	"strings"

	"hooks/internal/brake"
	"hooks/internal/event"
	"hooks/internal/guard"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/store"
	"hooks/internal/toolcall"
	"hooks/internal/usage"
)

// preToolUse judges a tool call in a session with an active loop. For most calls it reads only a
// few small files.
func (h *handler) preToolUse() (event.Reply, error) {
	found, err := h.catchUp()
	if err != nil || found.Blocks() {
		return found, err
	}
	if h.runs.damage != nil {
		if shut := h.shut(); shut.Blocks() {
			return shut, nil
		}
	}
	if h.ev.Asks() {
		if err := h.dialogBegins(); err != nil {
			return found, err
		}
	}
	call := h.call().Judged(h.turn())
	reply, err := h.stepEach(func(t *store.State) loop.Event {
		if !h.addressed(t) {
			return nil
		}
		return call
	})
	if h.runs.damage != nil && err == nil {
		// a file changed in the meantime, so its loop may not have judged the call
		reply = reply.And(h.shut())
	}
	return reply.And(found), err
}

// shut refuses the call if one loop's files were changed and the call might harm that loop, even if
// the files of the session's other loop are intact.
func (h *handler) shut() (r event.Reply) {
	changed, ok := errors.AsType[*store.ChangedError](h.runs.damage)
	if ok && h.mustStayShut(changed) {
		return h.heldBack(changed)
	}
	return r
}

// dialogBegins records the call that opens a dialog, and the questions that the dialog shows. All
// the questions belong to one loop.
func (h *handler) dialogBegins() error {
	begins := loop.DialogBegins{
		Turn: h.turn(), ID: h.ev.ToolUseID, Forged: h.ev.Forged(),
	}
	_, err := h.stepEach(func(t *store.State) loop.Event {
		if !h.addressed(t) {
			return nil
		}
		e := begins
		if !h.ev.InSubagent() && h.asksFirst(t) {
			e.Shows = event.MaxQuestions
		}
		return e
	})
	return err
}

// asksFirst reports whether t is the session's first loop with questions to show.
func (h *handler) asksFirst(t *store.State) bool {
	for _, o := range selectRuns(h.runs.list, h.addressed) {
		if len(h.turn().Asks(o.Values())) > 0 {
			return o.Skill == t.Skill
		}
	}
	return false
}

// catchUp loads the runs and processes everything that no event has reported: answers and calls
// that only the transcript shows, and the end of a turn that was cut off.
func (h *handler) catchUp() (found event.Reply, err error) {
	list, err := h.sessionRuns()
	if err != nil {
		return found, err
	}
	// Without PostToolUse events, only the transcript shows how many PRs were opened (R30).
	counts := func(t *store.State) bool {
		return h.open(t) && !t.Budget.Heard(h.ev.SessionID, event.WordOf(event.PostToolUse)) &&
			h.call().OpensPR()
	}
	// process the results that are only in the transcript
	if slices.ContainsFunc(list, func(t *store.State) bool {
		return h.open(t) && (t.Tick.Unheard(t.Budget) || counts(t))
	}) {
		if _, err = h.stepEach(func(t *store.State) loop.Event {
			return loop.CatchUp{Turn: h.turn(), Counts: counts(t)}
		}); err != nil {
			return found, err
		}
		list = h.runs.list
	}
	cutOff := func(t *store.State) bool { return h.turn().Foreign(t.Values()) && !t.Tick.Draining }
	switch {
	case !h.ev.InSubagent() && slices.ContainsFunc(list, cutOff):
		found, err = h.step(h.prompted())
	case slices.ContainsFunc(list, h.forces) && !h.ev.EndsSchedule():
		found, err = h.missedForce(list)
	}
	if err == nil {
		_, err = h.sessionRuns()
	}
	return found, err
}

// forces reports whether this turn asks the person to approve taking another session's lock.
func (h *handler) forces(t *store.State) bool {
	return t.Claim != nil && t.Claim.Gate != nil && t.Claim.PromptID == h.ev.PromptID
}

// denialOf returns the record of a refusal, with secrets redacted.
func (h *handler) denialOf(t *store.State, tool, rule, what string) loop.Denial {
	return loop.Denial{Tool: tool, Rule: rule, What: h.config(t).Redact(loop.Secrets(what))}
}

// recordEntry records that a looping skill was refused, in the iteration that owns the prompt.
func (h *handler) recordEntry(r event.Reply) {
	if !store.Exists(h.project) || h.openState() != nil {
		return
	}
	_, err := h.stepEach(func(t *store.State) loop.Event {
		if !h.ownsPrompt(t) {
			return nil
		}
		rule := cmp.Or(r.Rule, loop.EntryRule)
		return loop.Refused{Turn: h.turn(),
			Denial: h.denialOf(t, h.ev.Tool, rule, h.call().Words())}
	})
	h.sideError(err)
}

// postToolUse processes the result of a tool call, such as a person's answers, started workers,
// opened PRs, posted comments or a qmd failure.
func (h *handler) postToolUse() (event.Reply, error) {
	list, err := h.sessionRuns()
	if err == nil && h.ev.Name == event.PostToolUse && !h.answersDialog() {
		_, err = h.step(loop.Heard{Turn: h.turn()})
	}
	_, _, job := h.ev.StartsJob()
	anything := func(t *store.State) bool { return h.open(t) || t.Claim != nil || job }
	if err != nil || !slices.ContainsFunc(list, anything) {
		return event.Reply{}, err
	}
	result := h.call().Result(h.turn(), h.firstRules())
	reply, err := h.stepEach(func(t *store.State) loop.Event {
		if !h.addressed(t) {
			return nil
		}
		r := result
		r.Looked = h.shown(t)
		if h.answersDialog() && t.Tick != nil {
			a := answersTo(t.Tick.Pending, h.ev.Answers())
			r.Answers = &a
		}
		return r
	})
	if err != nil || !h.answersDialog() {
		return reply, err
	}
	list, err = h.sessionRuns()
	if err != nil {
		return reply, err
	}
	for _, t := range selectRuns(list, forcing) {
		forced, failed := h.forceAnswered(t, h.ev.Answers())
		if err = errors.Join(err, failed); failed == nil {
			reply, h.out.Reply = reply.And(forced), h.out.Reply.And(forced)
		}
	}
	return reply, err
}

func (h *handler) answersDialog() bool { return h.ev.Asks() && h.ev.Name == event.PostToolUse }

// fetchCall fetches the facts that Step needs to judge a call.
func (h *handler) fetchCall(t *store.State, l *lookup, k *loop.Known) {
	fill(l, &k.Reading, func() loop.Reading { return h.reading(t) })
	fill(l, &k.Looks, func() (is loop.Looks) {
		is.Only = h.call().ReadOnly()
		if a := t.Budget.Attempts(); a.Reports {
			command, shell := h.ev.ShellCommand()
			is.Check = shell && a.Check != "" && strings.TrimSpace(command) == a.Check // A70
			_, is.Reports = guard.Reported(h.call().Guard())
			is.Files = h.printedBy(t)
		}
		return is
	})
	fill(l, &k.Commits, func() bool { return h.call().Commits() })
	fill(l, &k.Merging, func() []loop.Looked { return h.askMerging(t, k.Reading.Value.Acts) })
	fill(l, &k.Words, func() string { return h.config(t).Redact(loop.Secrets(h.call().Words())) })
}

// running returns the iteration's spending so far and the number of bytes read to count it. It also
// sets k.Model, which follows from the count.
func (h *handler) running(t *store.State, k *loop.Known) (r loop.RunningNow) {
	count := func() {
		r.Running, _ = t.Tick.Spending(t.Budget)
		path, cursors, fresh := h.growing(t)
		look, err := usage.Running(path, cursors, fresh, usage.NewTable(h.config(t).Rates))
		h.sideError(err)
		r.Dollars = r.Dollars.Plus(look.Dollars)
		r.Cursors, r.Read = loop.Overlay(r.Cursors, look.Cursors), look.Read
	}
	count()
	// Once half of the ceiling is spent, wait until the transcript has the message that makes this
	// call, so that its cost counts at once.
	most, spent := t.Budget.Ceilings.Dollars, t.Budget.DollarsEstimate.Plus(r.Dollars)
	if h.ev.Name == event.PreToolUse && most > 0 && spent >= most/2 {
		usage.AwaitCall(h.transcript(t, loop.Call{}), h.ev.AgentID, h.ev.ToolUseID)
		count()
	}
	k.Model.Value = new(h.model(t, r.Cursors))
	return r
}

// growing returns the iteration's transcript, the cursors where counting starts, and the
// transcripts of running workers without a cursor. If such a worker ended in an earlier iteration
// and was resumed, the history has its cursor. growing does not search the history for workers that
// began in this iteration, because it would read the whole history in vain.
func (h *handler) growing(t *store.State) (path string, cursors []loop.Cursor, fresh []string) {
	path = h.transcript(t, loop.Call{})
	_, cursors = t.Tick.Spending(t.Budget)
	fresh = usage.Fresh(path, cursors, t.Tick.Workers, h.ev.AgentID)
	old := slices.DeleteFunc(slices.Clone(fresh), func(name string) bool {
		return usage.Began(usage.AgentPath(path, name)).After(t.Tick.StartedAt)
	})
	ended, err := h.files.Ended(t.Budget, path, old)
	h.sideError(err)
	return path, append(slices.Clip(cursors), ended...), fresh
}

// fetchEntry fetches the facts that Step needs to begin an iteration.
func (h *handler) fetchEntry(
	t *store.State, asks loop.Invocation, l *lookup, k *loop.Known,
) {
	fill(l, &k.Standing, func() (s loop.Standing) {
		if s.Lock = t.Lock; s.Lock != nil {
			s.LockIs = proc.Of(s.Lock.Process)
		}
		if t.Budget != nil {
			s.OwnerIs = proc.Of(t.Budget.Owner)
		}
		if (t.Budget == nil || !t.Budget.OwnedBy(asks.Request)) && asks.NeedsTyping() {
			s.Typed = usage.Typed(asks.Transcript, func(prompt string) bool {
				return loop.SameCommand(prompt, asks.Command, asks.Flags)
			})
		}
		return s
	})
	fill(l, &k.Baseline, func() []loop.Cursor {
		// Do not charge earlier spending to the loop. If the transcript lacks the prompt that
		// invokes the loop, all spending in it is earlier.
		from := int64(-1)
		if start, found := usage.PromptStart(asks.Transcript, asks.PromptID); found {
			from = start.Offset
		}
		return usage.Baseline(asks.Transcript, from)
	})
}

// firstRules returns the rules of the session's first run. These rules decide whether a call
// targets the project's own repository.
func (h *handler) firstRules() toolcall.Run {
	if len(h.runs.list) == 0 {
		return toolcall.Run{Redact: h.config(nil).Redact}
	}
	return h.rules(h.runs.list[0])
}

// reading returns the call's effects in the form that loops expect.
func (h *handler) reading(t *store.State) loop.Reading {
	reading := h.call().Reading(h.rules(t))
	for _, o := range h.runs.list {
		if o.Skill == t.Skill {
			continue
		}
		reading.Beside = reading.Beside || h.open(o)
		if o.Budget != nil && o.Budget.Status == loop.Active {
			reading.Merges = loop.StricterMerges(reading.Merges, o.Budget.Merges)
		}
	}
	if reading.Opaque != "" && h.call().Read().Unparsable == "" {
		reading.Braked = h.meetsBrake(t) // this also repairs missing links
	}
	if t.Budget.Attempts().Reports && t.Tick != nil && !t.Tick.Braked {
		reading.Shown = guard.Shown(h.call().Guard())
	}
	return reading
}

// meetsBrake reports whether every forge client that a shell command starts by name goes through a
// brake link. It restores links that were removed since the iteration began.
func (h *handler) meetsBrake(t *store.State) bool {
	command, shell := h.ev.ShellCommand()
	if !shell || h.ev.Tool != "Bash" || t.Tick == nil || !t.Tick.Braked ||
		guard.LeavesLinks(command) {
		return false
	}
	return h.dress()
}

// dress creates or repairs the session's brake links to a stored copy of this program, and reports
// whether they are in place.
func (h *handler) dress() bool {
	exe, err := os.Executable()
	if err != nil {
		return false
	}
	if kept, err := brake.Keep(h.seal.Path(), exe); err == nil {
		exe = kept
	}
	return brake.Dress(h.seal.Path(), h.ev.SessionID, exe) == nil
}
