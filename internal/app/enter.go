package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/tidwall/gjson"

	"hooks/internal/event"
	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/store"
	"hooks/internal/tracker"
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
	if h.seal.record != nil {
		for _, l := range h.seal.record.Loops { // a run keeps the one that it began with
			spaces = append(spaces, loop.Namespace(gjson.Get(l.State.Budget, "command").Str))
		}
	}
	return spaces
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
	if h.seal.record.Held() {
		return event.Nothing(), store.Held(h.seal.record)
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
	if h.seal.on { // a loop may have left a project that is gone
		if _, err := os.Stat(h.project); errors.Is(err, fs.ErrNotExist) {
			h.project, h.tool = tracker.Project(h.Env, h.ev.Cwd), nil
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
	h.files.Seal(h.seal.Dir, proc.Boot)
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

// fetchEntry looks up the facts that a Step needs to let an iteration begin.
func (h *handler) fetchEntry(t *loopState, e loop.Event, l *lookup, k *loop.Known) {
	asks, _ := e.(loop.Invocation)
	fill(l, &k.Standing, func() loop.Standing { return h.standing(t, asks) })
	fill(l, &k.Baseline, func() []loop.Cursor { return baseline(asks) })
	fill(l, &k.Other, func() (other loop.RunFile) {
		// an unreadable other run does not stop this entry
		if s, err := h.files.LoadSealed(asks.SessionID, t.Skill); err == nil {
			other = loop.RunFile{Run: s.Budget, Path: s.BudgetPath}
		}
		return other
	})
}

// baseline starts the count at the prompt that invoked the loop, so that earlier spending is not
// charged to it. If the prompt is not in the transcript yet, everything that is there is older.
func baseline(asks loop.Invocation) []loop.Cursor {
	from := int64(-1)
	if start, found := usage.PromptStart(asks.Transcript, asks.PromptID); found {
		from = start.Offset
	}
	return usage.Baseline(asks.Transcript, from)
}

// lookUp fetches, without the state's lock, the facts that an iteration begins with: on a resume,
// whether the recorded PRs and worktrees are still where they were (R135–R144); before a review,
// the heads that show whether anything has landed (R82).
func (e *entry) lookUp() {
	mode := e.known.Mode
	fresh := mode == loop.FreshRun
	var previous *loop.Iteration
	if !fresh && e.Budget != nil {
		// the entry reads the history again and returns the error
		previous, _ = e.previous(e.Skill, e.Budget)
	}
	f := loop.EntryFacts{Mode: mode}
	var tracks sync.WaitGroup
	var notes []string
	at := e.loopState
	if fresh {
		at = nil // a fresh run has the configuration as it is now
	}
	e.config(at) // read before it is shared
	tracks.Go(func() { f.Asked, f.Edges, notes = e.ask(at, previous) })
	f.Worktrees = e.worktrees()
	resumed := previous != nil && mode == loop.ResumeRun
	if resumed || previous != nil && loop.KindOf(e.Skill).Reviews {
		f.Heads = e.heads(e.loopState, previous.Open())
	}
	if e.asks.Flags.Idle > 0 || e.Budget != nil && e.Budget.MaxIdle > 0 {
		f.Trail = e.trail(f.Worktrees)
	}
	if root := e.attemptRoot(); root != "" {
		e.attemptFacts(at, &f, root, &e.asks.Request)
		if !fresh && e.Budget != nil {
			f.Dropped = dropped(root, loop.State{Run: e.Budget}.Tip())
		}
	}
	tracks.Wait()
	if resumed {
		f.Reattach(previous, e.endedPRs())
		f.Notes = append(f.Notes,
			tracker.CheckWorktrees(e.project, previous.Worktrees, f.Worktrees)...)
	}
	f.Notes = append(f.Notes, notes...)
	e.known.Entry = loop.Fetched(f)
}

// endedPRs are the PRs of the run on disk that are not re-attached. The entry itself reports what
// cannot be read.
func (e *entry) endedPRs() []loop.TrackedPR {
	var ended loop.EndedPRs
	_, _ = e.files.Last(e.Skill, func(l *loop.Iteration) bool {
		return e.Budget.Worked(l) && ended.Add(l)
	})
	return ended.List
}

// attemptRoot is where the attempts of the run work, "" for a kind that has none.
func (e *entry) attemptRoot() string {
	if _, ok := attemptsOf(e.Skill); !ok {
		return ""
	}
	if e.asks.Audit != nil {
		return e.asks.Audit.Worktree
	}
	return e.root(e.loopState)
}
