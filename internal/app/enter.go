package app

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/tidwall/gjson"

	"hooks/internal/event"
	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/store"
	"hooks/internal/tracker"
	"hooks/internal/tracker/forge"
	"hooks/internal/usage"
)

// invocation recognises the two ways into a tick: the slash command and the Skill tool.
func (h *handler) invocation() (loop.Command, bool) {
	name, args := h.ev.Command, h.ev.Args
	switch h.ev.Name {
	case event.UserPromptExpansion:
	case event.PreToolUse:
		name, args = h.ev.Skill()
	default:
		return loop.Command{}, false
	}
	cmd, ok := loop.ParseCommand(name, args, h.namespaces(name)...)
	if !ok {
		return cmd, false
	}
	_, looping, _ := loop.ParseFlags(cmd.Skill, cmd.Args)
	return cmd, looping
}

// namespaces are those that the project's configuration adds to ours. They are looked up only where
// a command might be in one of them.
func (h *handler) namespaces(command string) []string {
	space := loop.Namespace(command)
	if _, ok := loop.ParseCommand(command, "", space); space == "" || !ok || h.project == "" {
		return nil
	}
	if _, ours := loop.ParseCommand(command, ""); ours {
		return nil
	}
	spaces := slices.Clone(h.config(nil).TaskNamespaces)
	if h.witness != nil {
		for _, l := range h.witness.Loops { // a run keeps the one that it began with
			spaces = append(spaces, loop.Namespace(gjson.Get(l.State.Budget, "command").Str))
		}
	}
	return spaces
}

// entry is one request on its way in.
type entry struct {
	*handler
	*loopState
	asks   loop.Invocation
	known  loop.Known
	origin string   // who started the turn, where the transcript says it
	notes  []string // of what had to be cleared away first
	before string   // status block of an iteration that was found abandoned
	final  string   // and the final report, where that ended its run
}

func (h *handler) enter(cmd loop.Command) (event.Reply, error) {
	if h.ev.InSubagent() {
		return event.Block("error: a worker does not start a loop\nhint: the session's own " +
			"thread does"), nil
	}
	flags, _, err := loop.ParseFlags(cmd.Skill, cmd.Args)
	if err != nil {
		return event.Block(hint.Text(err)), nil
	}
	if h.witness.Held() {
		return event.Nothing(), store.Held(h.witness)
	}
	if err := h.nested(cmd); err != nil {
		return event.Block(hint.Text(err)), nil
	}
	kind, ok := attemptsOf(cmd.Skill)
	if !ok {
		return h.enterWith(cmd, flags, freshRun{})
	}
	fresh, said, err := kind.enter(h, cmd, &flags)
	switch {
	case err != nil:
		return event.Block(hint.Text(err)), nil
	case said != "": // the command of a mode without a loop continues (T43)
		return event.Nothing().Say(said), nil
	}
	return h.enterWith(cmd, flags, fresh)
}

// enterWith is enter for a command that was read.
func (h *handler) enterWith(
	cmd loop.Command, flags loop.Flags, fresh freshRun,
) (event.Reply, error) {
	if h.sealed { // a loop may have left a project that is gone
		if _, err := os.Stat(h.project); errors.Is(err, fs.ErrNotExist) {
			h.project = tracker.Project(h.Env, h.ev.Cwd)
		}
	}
	if err := h.foreignState(); err != nil {
		return event.Nothing(), err
	}
	files, err := store.Create(h.project)
	if err != nil {
		return event.Nothing(), err
	}
	e := h.request(cmd, flags)
	e.notes = h.healed()
	h.files = files
	h.files.Seal(h.seals, proc.Boot)
	if err := h.mayEnter(e.asks.Owner); err != nil {
		return event.Nothing(), err
	}
	e.asks.Tasks, e.asks.Audit, e.asks.Fed = fresh.tasks, fresh.audit, h.feeding
	e.asks.LeftOut = fresh.left
	reply, err := e.settle()
	if kind, ok := attemptsOf(cmd.Skill); ok && err == nil {
		reply = kind.entered(h, fresh, reply)
	}
	return reply, err
}

// foreignState refuses state that the repository itself brought. Its locks, counters and answers
// come from whoever committed them. Our own is never committed, because the folder ignores
// itself.
func (h *handler) foreignState() error {
	if !store.Exists(h.project) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), gitTime)
	defer cancel()
	for _, path := range tracker.Committed(ctx, h.project, store.Dir) {
		if filepath.Base(path) != ".gitignore" {
			return hint.New("look at it, then: git rm -r --cached "+store.Dir+"; rm -r "+store.Dir,
				"%s is part of the repository, so it says nothing about a loop of yours", path)
		}
	}
	return nil
}

// request is the invocation of a looping skill in this event's session.
func (h *handler) request(cmd loop.Command, flags loop.Flags) *entry {
	start, _ := usage.PromptStart(h.ev.Transcript, h.ev.PromptID)
	owner := proc.Owner()
	e := &entry{handler: h, origin: start.Origin,
		loopState: &loopState{store.State{Skill: cmd.Skill}}}
	e.asks = loop.Invocation{
		DontAsk: h.ev.PermissionMode == "dontAsk",
		Request: loop.Request{
			Now: h.now, SessionID: h.ev.SessionID, PromptID: h.ev.PromptID,
			Transcript: h.ev.Transcript, Owner: owner,
			Command: cmd, Flags: flags, RunID: h.runID(), Attended: h.attended(),
			UnderLoop: start.UnderLoop, Platform: runtime.GOOS, Gated: h.witness.Shut(),
			Model:      h.ev.Name == event.PreToolUse && !loop.Typed(start.Prompt, cmd, flags),
			EventsFrom: h.clientSocket(owner),
			Path:       cmp.Or(flags.BudgetFile, store.DefaultBudgetPath(cmd.Skill)), // R12
			Config:     h.config(nil).Text(),
			Prices:     usage.NewTable(h.config(nil).Rates).Source(),
			Tracker:    new(forge.Bind(context.Background(), h.question(nil))),
		},
	}
	return e
}
