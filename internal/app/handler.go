package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

// handler answers one event of one session in one project.
type handler struct {
	*App
	ev         event.Event
	now        time.Time
	began      time.Time // by the machine's clock, when the hook started
	project    string
	files      *store.Store // nil: no state in this project
	tx         *store.Tx    // the change of the state under way
	seals      seal.Dir     // the user's state directory
	sealed     bool         // the seal says that a loop of this session is on
	witness    *seal.Record // the session's sealed record, as the event found it
	loaded     []*loopState // the session's loops as they were read, while nothing has changed them
	runs       []*loopState // the same, as the last step left them
	settled    bool         // that step has decided
	damage     error        // of one of this session's runs, beside others that are in order
	after      func() error
	until      time.Time           // when the reply is due, as in Answer
	ownPaths   []string            // see own
	paths      tracker.Paths       // asks the disk for each folder once
	places     *clienthooks.Places // where the client reads its hooks, once it was asked for
	replayRepo *guard.Repo         // of a replayed call: its repository by the transcript alone
	// clientFlags are those with which a driver starts its clients.
	clientFlags []string
	feeding     bool           // the event begins a conductor's next attempt
	news        bool           // the session's receipt lacks this kind of event
	notices     []notification // for a person who looks elsewhere
	syncs       bool           // events of a task loop are queued
	// configs are those that were looked up for this event, by what a run keeps of them.
	configs map[string]config.Config
	// replies already made durable; printed even if a later step fails
	committed event.Reply

	wasRead struct { // the reading of the last call
		of      string
		reading guard.Reading
	}
	slips error // errors that change no decision; printed on stderr

	from  *loop.Process // the process over whose socket the event came, once it was looked up
	asked bool
}

// config returns the configuration that a run has kept since it began. Without a run, and for one
// that an older version began, it is the project's own as it is now.
func (h *handler) config(t *loopState) config.Config {
	kept := ""
	if t != nil && t.Budget != nil {
		kept = t.Budget.Config
	}
	if h.configs == nil {
		h.configs = map[string]config.Config{}
	}
	c, known := h.configs[kept]
	if !known {
		c = config.Of(kept, h.project)
		h.configs[kept] = c
	}
	return c
}

// answer finds the project and its state. Without state, only an entry creates it.
func (h *handler) answer() (event.Reply, error) {
	if h.ev.Name == event.SessionStart { // with or without a loop: no later event can
		_ = brake.Arm(h.Env, h.ev.SessionID) // a loop that begins checks whether it is armed
	}
	err := h.findProject()
	if h.ev.Name == event.ConfigChange {
		return h.settingsChanged(), err
	} else if err != nil {
		return event.Nothing(), err
	}
	if cmd, ok := h.invocation(); ok {
		reply, err := h.enter(cmd)
		return h.recordEntry(reply), err
	}
	if cmd, ok := h.fed(); ok {
		return h.feed(cmd)
	}
	if !h.sealed && !store.Exists(h.project) {
		return event.Nothing(), nil
	}
	err = h.openState()
	switch {
	case err == nil:
		return h.meet()
	case h.witness != nil && !h.witness.Runs() && h.ev.Name != event.PreToolUse:
		return event.Nothing(), nil // a person removed what an ended loop had left
	}
	return event.Nothing(), err
}

// meet answers the event in a project that has state.
func (h *handler) meet() (event.Reply, error) {
	stopped, err := h.takeStops()
	if err == nil {
		err = h.takeNotes()
	}
	if err != nil {
		return stopped, err
	}
	reply, err := h.dispatch()
	return stopped.And(reply), err
}

// takeStops ends the session's runs that a person stopped while nothing could be written.
func (h *handler) takeStops() (all event.Reply, err error) {
	if h.witness == nil || !slices.ContainsFunc(h.witness.Loops, func(l seal.Loop) bool {
		return l.On && h.files.StopMarked(loop.Skill(l.Skill), l.RunID)
	}) {
		return event.Nothing(), nil
	}
	err = h.withRuns(func(list []*loopState) (err error) {
		all, err = h.forEachRun(list, h.stopMarked)
		return err
	})
	return all, err
}

// dispatch answers the event.
func (h *handler) dispatch() (event.Reply, error) {
	switch h.ev.Name {
	case event.Stop:
		return h.stop()
	case event.PreToolUse:
		return h.preToolUse()
	case event.PostToolUse, event.PostToolUseFailure:
		return h.postToolUse()
	case event.UserPromptSubmit, event.UserPromptExpansion:
		return h.prompt()
	case event.SubagentStop:
		return h.workerEnded()
	case event.StopFailure:
		return h.turnFailed()
	case event.SessionEnd:
		return h.step(loop.SessionEnd{Turn: h.turn(), Reason: h.ev.Reason})
	case event.SessionStart:
		return h.sessionStarted()
	}
	return event.Nothing(), nil
}

// withStateLock runs a change with the state's lock. The wait for the lock is bounded.
func (h *handler) withStateLock(change func() error) error {
	tx, err := h.files.Begin(context.Background())
	if err != nil {
		return fmt.Errorf("lock state: %w", err)
	}
	defer tx.End()
	h.tx, h.loaded = tx, nil
	return change()
}

// attended reports whether a person can answer a dialog. Clients that do not set
// CLAUDE_CODE_SESSION_ATTENDED mark a headless session (-p) by its entry point alone.
func (h *handler) attended() bool {
	if said := h.Env("CLAUDE_CODE_SESSION_ATTENDED"); said != "" {
		return said != "0"
	}
	return h.Env("CLAUDE_CODE_ENTRYPOINT") != "sdk-cli"
}

// gone reports whether nothing will continue a run by itself, because its session was closed or
// its client is dead.
func gone(b *loop.Budget) bool { return b.OwnerLeft || proc.Of(b.Owner) == loop.Dead }

// release drops the loop's lock once the reply is printed. The session has held it, so rubbish in
// its place was written over it.
func (h *handler) release(skill loop.Skill) {
	before, session, files := h.after, h.ev.SessionID, h.files
	h.after = func() error {
		err := files.Release(skill, func(l *loop.Lock) bool {
			return l == nil || l.SessionID == session
		})
		if before != nil {
			err = errors.Join(before(), err)
		}
		return err
	}
}
