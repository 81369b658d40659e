// Package app joins the packages into straight lines, one per event: read, load, look, decide, save, reply.
//
// Rules of order: what a reply promises is saved before it is printed, a lock is released after. When the program
// itself fails, a Stop lets go and says why; merges, dispatch, scheduling and the state's own files stay shut while a
// loop is or may be active.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"hooks/internal/config"
	"hooks/internal/event"
	"hooks/internal/guard"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/store"
	"hooks/internal/tracker"
)

// App is the program for one call. Now, Clock, Wait and RunID are what tests and the demo replace; the zero value of each
// stands for the real thing.
type App struct {
	Env   func(string) string
	Now   func() time.Time
	Clock func() loop.Clock // but for the wall clock; with only Now set nothing is known of it
	RunID func() string
	// Inside says that this process was started by a run's client.
	Inside func(loop.Process) bool
	Wait   time.Duration // how long one entry hook polls for a lock; default 45 s, below the hook's timeout
}

// Answer is what a hook call prints, and what is to be done once that is out.
type Answer struct {
	Reply event.Reply
	Name  string // the event, whose form the reply takes
	// After releases the lock, once the reply is printed and flushed; nil when there is nothing to release.
	After func() error
	// Notify tells the person with the command that they configured, once the reply is out and the lock released; nil when
	// there is nothing to tell. It waits for nothing.
	Notify func() error
	// Err is what went wrong; the reply is already the safe one. It is for stderr.
	Err error
}

// Handle answers one hook call. It never panics on any input and always returns the safe answer.
func (a *App) Handle(word string, stdin io.Reader) (answer Answer) {
	answer.Name = event.NameOf(word)
	ev, err := event.Read(word, stdin, event.Limit{})
	if err != nil {
		return a.unreadable(answer.Name, err)
	}
	v := &visit{App: a, ev: ev, now: a.now()}
	defer func() {
		if p := recover(); p != nil {
			answer = v.failed(fmt.Errorf("internal error: %v", p))
		}
	}()
	reply, err := v.answer()
	if err != nil {
		return v.failed(err)
	}
	v.keepReceipt()
	answer = Answer{Reply: reply, Name: ev.Name, After: v.after}
	v.notify(&answer)
	return answer
}

func (a *App) now() time.Time {
	if a.Now != nil {
		return a.Now().UTC()
	}
	return time.Now().UTC().Truncate(time.Second)
}

// Present is the present in the zone of the one who reads it.
func (a *App) Present() time.Time { return a.now().Local() }

// clock is what the clocks say of the moment that is now.
func (a *App) clock(now time.Time) loop.Clock {
	var c loop.Clock
	switch {
	case a.Clock != nil:
		c = a.Clock()
	case a.Now == nil:
		c = proc.Clock()
	}
	c.Wall = now
	return c
}

func (a *App) runID() string {
	if a.RunID != nil {
		return a.RunID()
	}
	return fmt.Sprintf("%s-%d", a.now().Format("20060102T150405"), os.Getpid())
}

// visit is one event of one session in one project.
type visit struct {
	*App
	ev      event.Event
	now     time.Time
	project string
	files   *store.Store // nil: no state in this project
	after   func() error
	cfg     *config.Config
	past    *guard.Repo // of a replayed call: what its transcript tells of the repository; nothing is looked up
	news    bool        // this event is not on the session's receipt yet
	tidings []tiding    // what a person who looks elsewhere is told
}

// config reads the project's configuration once.
func (v *visit) config() config.Config {
	if v.cfg == nil {
		c := config.Load(v.project)
		v.cfg = &c
	}
	return *v.cfg
}

// thread is one skill's run as it stands on disk.
type thread struct {
	skill loop.Skill
	store.State
}

func (v *visit) answer() (event.Reply, error) {
	v.project = tracker.Project(v.Env, v.ev.Cwd)
	if cmd, ok := v.invocation(); ok {
		return v.enter(cmd)
	}
	if !store.Exists(v.project) {
		return event.Nothing(), nil
	}
	files, err := store.Open(v.project)
	if err != nil {
		return event.Nothing(), err
	}
	v.files = files
	switch v.ev.Name {
	case event.Stop:
		return v.stop()
	case event.PreToolUse:
		return v.preToolUse()
	case event.PostToolUse, event.PostToolUseFailure:
		return v.postToolUse()
	case event.UserPromptSubmit, event.UserPromptExpansion:
		return v.prompt()
	case event.SubagentStop:
		return v.workerEnded()
	case event.StopFailure:
		return v.turnFailed()
	case event.SessionEnd:
		return v.sessionEnded()
	case event.SessionStart:
		_, _ = v.mine() // for the receipt alone
	}
	return event.Nothing(), nil
}

// mine loads the runs of this session, in a fixed order. A run of another session is none of this session's business:
// it only meets the lock.
func (v *visit) mine() ([]*thread, error) { return v.threads(v.files.LoadRun) }

func (v *visit) threads(load func(loop.Skill) (store.State, error)) ([]*thread, error) {
	var list []*thread
	var damage []error
	for _, skill := range loop.Skills() {
		s, err := load(skill)
		if err != nil {
			damage = append(damage, err)
			continue
		}
		if t := (&thread{skill, s}); t.keep(v.ev.SessionID) {
			v.receive(t.Budget)
			list = append(list, t)
		}
	}
	if len(list) > 0 { // one skill's damage does not end the other's loop
		return list, nil
	}
	return nil, errors.Join(damage...)
}

// keep leaves of a thread what is the session's, and says whether anything is. A claim on another session's lock gives
// no say in that session's run.
func (t *thread) keep(session string) bool {
	run := t.Budget != nil && t.Budget.SessionID == session || t.Tick != nil && t.Tick.SessionID == session
	if !run {
		t.Budget, t.Tick = nil, nil
	}
	if t.Claim != nil && t.Claim.SessionID != session {
		t.Claim = nil
	}
	return run || t.Claim != nil
}

// open says that an iteration of this session is open.
func (t *thread) open(session string) bool {
	return t.Tick != nil && t.Tick.SessionID == session && t.Budget != nil
}

// guarded runs change under the state's guard, with the threads loaded anew inside it.
func (v *visit) guarded(change func([]*thread) error) error {
	return v.underGuard(func() error {
		list, err := v.threads(v.recovered)
		if err != nil {
			return err
		}
		return change(list)
	})
}

// recovered takes in what a hook that was killed had committed, so that no event works on a budget without it. A lock
// that cannot be read is no business of an iteration that is open.
func (v *visit) recovered(skill loop.Skill) (store.State, error) {
	if s, err := v.files.Recover(skill); err == nil {
		return s, nil
	}
	return v.files.LoadRun(skill)
}

// underGuard runs a change while no other process changes the state. The guard bounds its own wait.
func (v *visit) underGuard(change func() error) error {
	unlock, err := v.files.Guard(context.Background())
	if err != nil {
		return fmt.Errorf("lock state: %w", err)
	}
	defer unlock()
	return change()
}

func (v *visit) attended() bool { return v.Env("CLAUDE_CODE_SESSION_ATTENDED") != "0" }

// Why an iteration did not reach its end, where the transcript or the next event tells.
const (
	byEsc  = "the user interrupted the turn"
	cutOff = "the turn never reached its end"
)

// gone says that nobody goes on with a run by itself: its session was closed, or its client is dead.
func gone(b *loop.Budget) bool { return b.OwnerLeft || proc.Of(b.Owner) == loop.Dead }
