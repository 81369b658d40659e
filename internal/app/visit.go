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
