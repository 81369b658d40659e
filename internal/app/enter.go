package app

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"hooks/internal/event"
	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/store"
	"hooks/internal/tracker"
	"hooks/internal/usage"
)

// invocation recognises the two ways into a tick: the slash command and the Skill tool.
func (v *visit) invocation() (loop.Command, bool) {
	name, args := v.ev.Command, v.ev.Args
	switch v.ev.Name {
	case event.UserPromptExpansion:
	case event.PreToolUse:
		name, args = v.ev.Skill()
	default:
		return loop.Command{}, false
	}
	cmd, ok := loop.ParseCommand(name, args)
	if !ok {
		return cmd, false
	}
	_, looping, _ := loop.ParseFlags(cmd.Skill, cmd.Args)
	return cmd, looping
}

// entry is one request on its way in.
type entry struct {
	*visit
	req    loop.Request
	state  store.State
	path   string   // of the budget file, relative to the project or absolute
	origin string   // who started the turn, where the transcript says it
	notes  []string // of what had to be cleared away first
	before string   // status block of an iteration that was found abandoned
	final  string   // and the final report, where that ended its run
	seen   *seen    // what was looked up for the iteration, nil until then
}

// seen is what was looked up outside the state, for one way into the run.
type seen struct {
	mode  loop.Mode
	facts loop.EntryFacts
}

func (v *visit) enter(cmd loop.Command) (event.Reply, error) {
	if v.ev.InSubagent() {
		return event.Block("error: a worker does not start a loop\nhint: the session's own thread does"), nil
	}
	flags, _, err := loop.ParseFlags(cmd.Skill, cmd.Args)
	if err != nil {
		return event.Block(hint.Text(err)), nil
	}
	if err := v.foreignState(); err != nil {
		return event.Nothing(), err
	}
	if v.files, err = store.Create(v.project); err != nil {
		return event.Nothing(), err
	}
	return v.request(cmd, flags).admit()
}

// foreignState refuses state that the repository itself brought: its locks, its counters and its "answers" are whoever's
// committed them. Our own is never committed, for the folder ignores itself.
func (v *visit) foreignState() error {
	if !store.Exists(v.project) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), gitTime)
	defer cancel()
	for _, path := range tracker.Committed(ctx, v.project, store.Dir) {
		if filepath.Base(path) != ".gitignore" {
			return &hint.Error{Err: fmt.Errorf("%s is part of the repository, so it says nothing about a loop of yours", path),
				Way: "look at it, then: git rm -r --cached " + store.Dir + "; rm -r " + store.Dir}
		}
	}
	return nil
}

// request is the invocation of a looping skill in this event's session.
func (v *visit) request(cmd loop.Command, flags loop.Flags) *entry {
	start, _ := usage.PromptStart(v.ev.Transcript, v.ev.PromptID)
	return &entry{visit: v, path: budgetPath(cmd.Skill, flags), origin: start.Origin, req: loop.Request{
		Now: v.now, SessionID: v.ev.SessionID, PromptID: v.ev.PromptID, Transcript: v.ev.Transcript, Owner: proc.Owner(),
		Command: cmd, Flags: flags, RunID: v.runID(), Attended: v.attended(), UnderLoop: start.UnderLoop, Platform: runtime.GOOS,
	}}
}

// step is what an attempt to enter needs next.
type step uint8

const (
	settled step = iota // the reply is the answer
	waiting             // another iteration holds the lock
	looking             // the remote and the tracker are to be asked
)

// admit asks what becomes of the request until that is settled. The guard is held while the state is looked at and
// changed, never while waiting for another iteration or for the tracker.
func (e *entry) admit() (event.Reply, error) {
	deadline := time.Now().Add(e.waitSlice())
	for {
		reply, next, err := e.attempt()
		if err != nil || next == settled {
			return reply, err
		}
		if next == looking {
			e.lookUp()
			continue
		}
		if time.Now().After(deadline) {
			return event.Block("Still waiting for the previous iteration to end — invoke again"), nil
		}
		time.Sleep(200 * time.Millisecond)
		e.req.Now = e.App.now()
	}
}

func (e *entry) waitSlice() time.Duration {
	if e.Wait > 0 {
		return e.Wait
	}
	return 45 * time.Second
}

func (e *entry) attempt() (reply event.Reply, next step, err error) {
	err = e.underGuard(func() error {
		reply, next, err = e.settle()
		return err
	})
	return reply, next, err
}

// settle asks what becomes of the request, and asks again after it closed a tick or lost a race for the lock.
func (e *entry) settle() (reply event.Reply, next step, err error) {
	for range 8 {
		if e.state, err = e.load(); err != nil {
			return event.Nothing(), settled, err
		}
		e.req.Scheduled = e.scheduled()
		a := loop.Admit(e.req, e.standing())
		switch a.Verdict {
		case loop.Already:
			return event.Nothing(), settled, nil
		case loop.Refuse:
			if e.state.Tick == nil {
				e.release(e.req.Command.Skill) // of a tick that was closed just now
			}
			if e.req.Scheduled {
				a.Text += "\nhint: " + stillFires
			}
			return event.Block(e.withBefore(a.Text)), settled, nil
		case loop.CloseFirst:
			err = e.closeFirst()
		case loop.Skip:
			reply, err = e.skip(a)
			return reply, settled, err
		case loop.Wait:
			return e.wait(a)
		case loop.AskForce:
			reply, err = e.askForce(a)
			return reply, settled, err
		case loop.Start:
			if e.seen == nil || e.seen.mode != a.Mode {
				e.seen = &seen{mode: a.Mode}
				return event.Nothing(), looking, nil
			}
			held := false
			if reply, held, err = e.start(a); err != nil || !held {
				return reply, settled, err
			}
		}
		if err != nil {
			return event.Nothing(), settled, err
		}
	}
	return event.Block("The lock is changing hands right now — invoke again"), settled, nil
}

// load reads the state; with a budget file of its own the run is another one.
func (e *entry) load() (store.State, error) {
	s, err := e.files.RecoverFrom(e.req.Command.Skill, e.path)
	if err != nil {
		return s, err
	}
	if s.Budget == nil && e.req.Flags.Resume { // the budget file is gone: the last history line is what is left
		last, err := e.files.Last(e.req.Command.Skill, (*loop.Iteration).Ran)
		if err != nil || last == nil {
			return s, err
		}
		b := last.Budget
		s.Budget = &b
	}
	return s, nil
}

func (e *entry) standing() loop.Standing {
	s := loop.Standing{Run: e.state.Budget, Tick: e.state.Tick, Lock: e.state.Lock, Claim: e.state.Claim}
	if s.Lock != nil {
		s.LockIs = proc.Of(s.Lock.Process)
	}
	if s.Run != nil {
		s.OwnerIs = proc.Of(s.Run.Owner)
	}
	return s
}

// scheduled says that no person typed this prompt: the client's own word where the transcript has it, its line of a
// fired schedule, or the very command that stood in the schedule at the last Stop.
func (e *entry) scheduled() bool {
	switch e.origin {
	case "":
	case "human", "sdk":
		return false
	default:
		return true
	}
	if e.ev.Prompt != "" && usage.ScheduledFire(e.ev.Transcript, e.ev.Prompt) {
		return true
	}
	b := e.state.Budget
	return b != nil && b.OwnedBy(e.req) && slices.ContainsFunc(b.Scheduled, func(prompt string) bool {
		c, ok := loop.ParsePrompt(prompt)
		return ok && c == e.req.Command
	})
}

// withBefore puts what this entry found abandoned under a text.
func (e *entry) withBefore(text string) string {
	return strings.TrimSpace(strings.Join(append(append([]string{}, e.notes...), text, e.before, e.final), "\n"))
}

// closeFirst ends the tick that never reached its end.
func (e *entry) closeFirst() error {
	t := &thread{e.req.Command.Skill, e.state}
	if t.Budget == nil || t.Budget.RunID != t.Tick.RunID { // of a run with another budget file
		s, err := e.files.Recover(t.skill)
		if err != nil || s.Tick == nil {
			return err
		}
		if t.State = s; s.Budget == nil || s.Budget.RunID != s.Tick.RunID { // its run is gone: nothing to count it to
			return e.files.RemoveTick(t.skill)
		}
	}
	c, err := e.endAbandoned(t)
	if err != nil {
		return err
	}
	if e.before, e.final = c.status, c.final; c.final == "" {
		e.notes = append(e.notes, fmt.Sprintf("Iteration %d never reached its end and is closed as %s", c.Line.Iteration, c.Line.Outcome))
	}
	return nil
}
