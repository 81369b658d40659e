package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hooks/internal/config"
	"hooks/internal/event"
	"hooks/internal/guard"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/store"
	"hooks/internal/tracker"
)

// visit is one event of one session in one project.
type visit struct {
	*App
	ev      event.Event
	now     time.Time
	began   time.Time // when the call did, whatever time it is said to be
	project string
	files   *store.Store // nil: no state in this project
	after   func() error
	cfg     *config.Config
	past    *guard.Repo // of a replayed call: what its transcript tells of the repository; nothing is looked up
	news    bool        // this event is not on the session's receipt yet
	tidings []tiding    // what a person who looks elsewhere is told
	said    event.Reply // what is on disk and is told, whatever fails after it

	from  *loop.Process // over whose socket the event came, once that is asked
	asked bool
}

// config reads the project's configuration once.
func (v *visit) config() config.Config {
	if v.cfg == nil {
		c := config.Load(v.project)
		v.cfg = &c
	}
	return *v.cfg
}

// answer finds the project and its state. Where there is none, only an entry makes it.
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
	return v.meet()
}

// meet is the straight line of the event, in a project that has state.
func (v *visit) meet() (event.Reply, error) {
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
		return v.sessionStarted()
	}
	return event.Nothing(), nil
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

// gone says that nobody goes on with a run by itself: its session was closed, or its client is dead.
func gone(b *loop.Budget) bool { return b.OwnerLeft || proc.Of(b.Owner) == loop.Dead }

// release drops our lock once the reply is out.
func (v *visit) release(skill loop.Skill) {
	before, session, files := v.after, v.ev.SessionID, v.files
	v.after = func() error {
		err := files.Release(skill, func(l *loop.Lock) bool { return l.SessionID == session })
		if before != nil {
			err = errors.Join(before(), err)
		}
		return err
	}
}

// save writes what an event changed. The budget goes first: what an answer does to it may be done twice, but an answer
// that the tick holds is never looked at again.
func (v *visit) save(t *thread) error {
	if err := v.files.SaveBudget(t.BudgetPath, t.Budget); err != nil {
		return err
	}
	return v.files.SaveTick(t.Tick)
}
