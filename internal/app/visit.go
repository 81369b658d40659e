package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hooks/internal/brake"
	"hooks/internal/clienthooks"
	"hooks/internal/config"
	"hooks/internal/event"
	"hooks/internal/guard"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/seal"
	"hooks/internal/store"
	"hooks/internal/tracker"
)

// visit is one event of one session in one project.
type visit struct {
	*App
	ev       event.Event
	now      time.Time
	began    time.Time // when the call did, whatever time it is said to be
	project  string
	files    *store.Store // nil: no state in this project
	seals    seal.Dir     // the user's state directory
	sealed   bool         // a loop of this session is on, whatever the project's files say
	witness  *seal.Record // what was written last of them, as the event found it
	loaded   []*thread    // the session's loops as they were read, while nothing has changed them
	runs     []*thread    // the same, as the last step left them
	settled  bool         // that step has decided
	damage   error        // of one of this session's runs, beside others that are in order
	after    func() error
	cfg      *config.Config
	ownPaths []string            // see own
	paths    tracker.Paths       // asks the disk for each folder once
	places   *clienthooks.Places // where the client reads its hooks, once it was asked for
	past     *guard.Repo         // of a replayed call: its repository by the transcript alone
	news     bool                // this event is not on the session's receipt yet
	tidings  []tiding            // what a person who looks elsewhere is told
	said     event.Reply         // what is on disk and is told, whatever fails after it

	recorded bool     // the refusal of this call is in a tick
	wasRead  struct { // the reading of the last call
		of      string
		reading guard.Reading
	}
	slips error // what went wrong and changes no decision

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
	if v.ev.Name == event.SessionStart { // with or without a loop: no later event can
		_ = brake.Arm(v.Env, v.ev.SessionID) // whether it is armed, a loop asks when it begins
	}
	if err := v.findProject(); err != nil {
		return event.Nothing(), err
	}
	if cmd, ok := v.invocation(); ok {
		reply, err := v.enter(cmd)
		return v.recordEntry(reply), err
	}
	if !v.sealed && !store.Exists(v.project) {
		return event.Nothing(), nil
	}
	if err := v.openState(); err != nil {
		return event.Nothing(), err
	}
	return v.meet()
}

// meet is the straight line of the event, in a project that has state.
func (v *visit) meet() (event.Reply, error) {
	if err := v.takeNotes(); err != nil {
		return event.Nothing(), err
	}
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
	v.loaded = nil
	return change()
}

// attended reports whether a person can answer a dialog. Clients that do not set
// CLAUDE_CODE_SESSION_ATTENDED mark a headless session (-p) by its entry point alone.
func (v *visit) attended() bool {
	if said := v.Env("CLAUDE_CODE_SESSION_ATTENDED"); said != "" {
		return said != "0"
	}
	return v.Env("CLAUDE_CODE_ENTRYPOINT") != "sdk-cli"
}

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
