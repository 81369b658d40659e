package app

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/config"
	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/report"
	"hooks/internal/safefile"
	"hooks/internal/term"
	"hooks/internal/tracker"
	"hooks/internal/tracker/forge"
	"hooks/internal/usage"
)

// fetch looks up the facts that a Step asks for and that may take a while: they ask git and the
// tracker, and a check may take minutes.
func (h *handler) fetch(t *loopState, e loop.Event, k *loop.Known) (l lookup) {
	fill(&l, &k.Owner, func() loop.Owner { return h.owner(t) })
	fill(&l, &k.Around, func() loop.Around { return h.around(t, e) })
	fill(&l, &k.Begun, func() loop.Begun { return h.begun(t, k.Around.Is.Worktrees) })
	_, stop := e.(loop.TurnEnd)
	fill(&l, &k.Marked, func() bool { return h.interruptMark(t, !stop) })
	fill(&l, &k.NoDialog, h.dialogDenied)
	fill(&l, &k.Origin, func() loop.Origin {
		start, _ := usage.PromptStart(h.ev.Transcript, h.ev.PromptID)
		return loop.Origin{By: start.Origin, Prompt: start.Prompt}
	})
	fill(&l, &k.Sender, func() loop.Sender {
		there := t.Quiet != nil && t.Quiet.Typed
		return h.sender(!there || slices.Contains(t.Budget.Scheduled, h.ev.Prompt))
	})
	fill(&l, &k.Esc, func() bool {
		prompt, esc := usage.Escaped(h.ev.Transcript)
		return esc && (prompt == "" || slices.Contains(t.Tick.Prompts, prompt))
	})
	h.fetchAttempt(t, &l, k)
	h.fetchEntry(t, e, &l, k)
	h.fetchCall(t, &l, k)
	return l
}

// fetchLocked looks up the facts that are looked up with the state's lock alone.
func (h *handler) fetchLocked(t *loopState, e loop.Event, k *loop.Known) error {
	l := &lookup{}
	fill(l, &k.Dialogs, func() []loop.Answers { return h.pastDialogs(t, e) })
	try(l, &k.Told, func() (loop.Told, error) { return h.auditTold(t) })
	try(l, &k.Previous, func() (*loop.Iteration, error) { return h.previous(t.Skill, t.Budget) })
	try(l, &k.Last, func() (*loop.Iteration, error) {
		if t.Budget == nil {
			return nil, nil
		}
		return h.files.Last(t.Skill, func(l *loop.Iteration) bool {
			return l.Ran() && l.Of(t.Budget.RunID)
		})
	})
	try(l, &k.Snapshot, func() (*loop.Snapshot, error) {
		var previous *loop.Iteration
		if k.Previous.Is != nil {
			previous = *k.Previous.Is
		}
		return h.files.Snapshot(t.Budget, previous, true)
	})
	if k.Count.Asked() && l.err == nil {
		l.err = h.fetchSpent(t, e, k)
	}
	fill(l, &k.Calls, func() []loop.Result {
		path := h.transcript(t, e)
		_, calls, _, _ := usage.Done(path, h.counted(t, path), usage.NewTable(nil))
		return h.missedCalls(t, calls)
	})
	return l.err
}

// senderTime is how long after its event the lines of a prompt may reach the transcript.
const senderTime = 250 * time.Millisecond

// sender returns who sent the prompt. The client's own lines may come a little after the event;
// patient waits for them. A program that drives the client by its SDK queues a person's words.
func (h *handler) sender(patient bool) loop.Sender {
	for {
		by := usage.Sender(h.ev.Transcript, h.ev.Prompt)
		switch {
		case by == loop.SenderClient &&
			strings.HasPrefix(h.Env("CLAUDE_CODE_ENTRYPOINT"), "sdk-"):
			return loop.SenderQueue
		case by != loop.SenderPerson || !patient || time.Since(h.began) > senderTime:
			return by
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// owner looks up whose the open iteration is, and whether its client lives.
func (h *handler) owner(t *loopState) (o loop.Owner) {
	dead := proc.Of(t.Budget.Owner) == loop.Dead
	o.Gone = t.Budget.OwnerLeft || dead
	session, path := t.Budget.SessionID, t.Budget.Transcript()
	if t.Tick != nil {
		session, path = t.Tick.SessionID, t.Tick.Transcript
	}
	if o.Foreign = dead || session != h.ev.SessionID; o.Foreign {
		o.LastSign = usage.LastSign(path).UTC().Truncate(time.Second)
	}
	return o
}

// fetchSpent counts what was spent since the last count. It is called with the state's lock, so
// that no token is counted twice. What cannot be counted now, the session's next iteration counts;
// no one reads a foreign session's transcript again.
func (h *handler) fetchSpent(t *loopState, e loop.Event, k *loop.Known) (err error) {
	path := h.transcript(t, e)
	table := usage.NewTable(h.config(t).Rates)
	spent, calls, notes, err := usage.Done(path, h.counted(t, path), table)
	if session := h.countedSession(t, e); err != nil && session != h.ev.SessionID {
		return uncounted(session, err)
	}
	if spent.Past(t.Budget) {
		spent.By = usage.Named(path, spent.By)
	}
	k.Calls = loop.Fetched(h.missedCalls(t, calls))
	count := loop.Count{Spent: spent, Notes: notes, Clock: h.clock(h.now)}
	if _, call := e.(loop.Call); call { // it ends no iteration
		if k.Model.Is == nil {
			k.Model = loop.Fetched(loop.Model{})
		}
	} else {
		if t.Budget.Seq == 0 {
			count.Notes = append(count.Notes, h.onceNotes()...)
		}
		k.Model = loop.Fetched(h.model(t, spent.Cursors))
		count.Reconfigured = t.Budget.Config != "" && !h.config(t).Same(h.config(nil))
	}
	k.Count = loop.Fetched(count)
	return nil
}

// runNow returns the run at this moment, with its open iteration, for a text.
func (h *handler) runNow(t *loopState) *loop.Budget {
	counted := func(path string) []loop.Cursor { return h.counted(t, path) }
	table := usage.NewTable(h.config(t).Rates)
	return usage.Now(t.Budget, t.Tick, true, counted, table, h.now).Run
}

// counted are the cursors from which the transcript's session is counted.
func (h *handler) counted(t *loopState, transcript string) []loop.Cursor {
	cursors, err := h.files.Counted(t.Budget, transcript)
	h.slip(err)
	return cursors
}

// countedSession is the session whose transcript is counted.
func (h *handler) countedSession(t *loopState, e loop.Event) string {
	switch _, ends := e.(loop.SessionEnd); {
	case ends:
		return h.ev.SessionID
	case t.Tick != nil:
		return t.Tick.SessionID
	}
	return t.Budget.SessionID
}

// onceNotes are what a run's first iteration says about how its money is counted and about the
// configuration.
func (h *handler) onceNotes() []string {
	cfg := h.config(nil)
	notes := report.ConfigNotes(cfg.WarningTexts())
	if days := usage.AgeDays(h.now); days > usage.StaleDays {
		notes = append(notes, report.StaleRates(usage.Dated, days))
	}
	return notes
}

// transcript is the transcript that a loop's iteration is in: the event's own at its Stop, else the
// one that the iteration recorded. A run that ends between its iterations is counted from its own,
// because after /clear a person ends it from another session.
func (h *handler) transcript(t *loopState, e loop.Event) string {
	own := false
	switch e.(type) {
	case loop.TurnEnd:
		own = !h.unknownPrompt(t) || t.Tick.Draining
	case loop.SessionEnd:
		own = !h.open(t)
	case loop.Call, loop.CatchUp, loop.Opens:
		own = true
	}
	switch {
	case h.ev.Transcript != "" && own:
		return h.ev.Transcript
	case t.Tick != nil:
		return t.Tick.Transcript
	}
	return t.Budget.Transcript()
}

// around asks git and the tracker what an iteration that ends leaves. What a dead client left is
// what was recorded then, so the remote is not asked: it would hide what moved since the crash.
func (h *handler) around(t *loopState, e loop.Event) (a loop.Around) {
	_, stop := e.(loop.TurnEnd)
	if stop {
		usage.WaitFlushed(context.Background(), h.ev.Transcript, h.ev.LastMessage)
		if t.Tick != nil && !t.Budget.UnderLoop && len(t.Tick.Prompts) > 0 {
			start, _ := usage.PromptStart(h.ev.Transcript, t.Tick.Prompts[0])
			a.UnderLoop = start.UnderLoop
		}
	}
	a.Worktrees = h.worktrees()
	if r := t.Budget.Tasks; r != nil && r.Finished()+1 >= len(r.List) { // it may be the end
		a.Dropped = dropped(h.project, t.values().Tip())
	}
	if t.Tick == nil || !stop && h.foreign(t) || h.ev.Name == event.SessionEnd {
		return a // a session's end leaves too little time to ask a remote
	}
	if stop && t.Tick.Trail != "" {
		a.Trail = h.trail(a.Worktrees)
	}
	tracked := slices.Clone(t.Tick.Tracked)
	if stop {
		for _, pr := range h.askedAtEnd(t) {
			a.PRs = append(a.PRs, loop.Settled{PR: pr.Loop(), InFork: pr.Elsewhere})
			tracked = append(tracked, loop.TrackedPR{Number: pr.Number, Branch: pr.Branch})
		}
		a.Opened = h.opened(t, a.Worktrees)
	}
	a.Heads = h.heads(t, tracked)
	return a
}

// foreign reports whether the tick's client is dead, or another session's.
func (h *handler) foreign(t *loopState) bool {
	return t.Tick.SessionID != h.ev.SessionID || proc.Of(t.Budget.Owner) == loop.Dead
}

// maxAsked is how many PRs are looked up at the end of one iteration, within the hook's time.
const maxAsked = 8

// askedAtEnd asks the tracker about the PRs that the iteration had to do with and of which
// something is missing: the branch, or whether a merge that was let through has landed. It asks
// no one where nothing is missing.
func (h *handler) askedAtEnd(t *loopState) (list []forge.PR) {
	missing := t.Tick.Unsettled(t.Budget)
	answers := h.askPRs(t, missing[:min(len(missing), maxAsked)])
	for i := range answers {
		list = append(list, answers[i].PRs...)
	}
	return list
}

// opened are the open PRs, the newest first, of branches that the iteration moved or has checked
// out; none where every attempt to open one printed its address.
func (h *handler) opened(t *loopState, on []loop.Worktree) (numbers []int) {
	if t.Tick.Starts.Opened == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), gitTime)
	defer cancel()
	own, err := tracker.BranchesSince(ctx, h.project, t.Tick.StartedAt)
	h.slip(err)
	q := h.question(t)
	q.PRs = true
	answer := forge.Ask(context.Background(), q)
	for _, pr := range answer.PRs {
		checkedOut := slices.ContainsFunc(on, func(w loop.Worktree) bool {
			return w.Branch == pr.Branch
		})
		if _, moved := own[pr.Branch]; (moved || checkedOut) && !pr.Elsewhere {
			numbers = append(numbers, pr.Number)
		}
	}
	slices.SortFunc(numbers, func(a, b int) int { return b - a })
	return numbers
}

func (h *handler) worktrees() []loop.Worktree {
	limit := gitTime
	if h.ev.Name == event.SessionEnd { // the client gives all its hooks 1.5 s there
		limit = 700 * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	list, err := tracker.Worktrees(ctx, h.project)
	if err != nil {
		return nil
	}
	return list
}

// trail is a commit, and a sum of what an iteration could leave: the local branches, and the files
// of each worktree that are not committed. It is "" where git does not tell all of it.
func (h *handler) trail(on []loop.Worktree) string {
	ctx, cancel := context.WithTimeout(context.Background(), gitTime)
	defer cancel()
	branches, err := tracker.BranchesSince(ctx, h.project, time.Time{})
	if err != nil {
		return ""
	}
	var left []string
	for name, sha := range branches {
		left = append(left, name+" "+sha)
	}
	slices.Sort(left)
	head, roots := "", []string{h.project}
	for _, w := range on {
		path := w.Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(h.project, path)
		}
		if isFolder(path) {
			roots = append(roots, path)
		}
	}
	for i, root := range roots {
		tree, err := h.tree(ctx, root)
		if err != nil {
			return ""
		}
		if i == 0 {
			head = tree.Head
		}
		left = append(left, root, tree.Head, treeSum(root, tree.Dirty))
	}
	return head + " " + sum([]byte(strings.Join(left, "\x00")))
}

// heads asks a run's remote for the branches of PRs; nil if it does not answer, or leads elsewhere
// than when the run began.
func (h *handler) heads(t *loopState, prs []loop.TrackedPR) map[string]string {
	var branches []string
	for _, p := range prs {
		branches = loop.AppendNew(branches, p.Branch)
	}
	if len(branches) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), gitTime)
	defer cancel()
	_, remote, _ := h.question(t).Remotes(ctx)
	heads, err := tracker.RemoteHeads(ctx, h.project, remote, branches)
	if err != nil {
		return nil
	}
	return heads
}

// begun is what an interrupted iteration may have left: the branches on which it worked, their
// heads on the remote, and files that are not committed (R44).
func (h *handler) begun(t *loopState, on []loop.Worktree) (left loop.Begun) {
	ctx, cancel := context.WithTimeout(context.Background(), gitTime)
	defer cancel()
	left.Dirty = h.dirty(on)
	var err error
	left.Branches, err = tracker.BranchesSince(ctx, h.project, t.Tick.StartedAt)
	if err != nil || h.ev.Name == event.SessionEnd { // whose time is too short to ask a remote
		return left
	}
	names := slices.Collect(maps.Keys(left.Branches))
	for _, w := range on {
		names = loop.AppendNew(names, w.Branch)
	}
	_, of, _ := h.question(t).Remotes(ctx)
	if heads, err := tracker.RemoteHeads(ctx, h.project, of, names); err == nil {
		left.Remote = heads
	}
	return left
}

// dirty are the files that are not committed in the project and in each worktree. What git does not
// tell in time is left out.
func (h *handler) dirty(on []loop.Worktree) map[string][]string {
	limit := gitTime
	if h.ev.Name == event.SessionEnd {
		limit = 300 * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	list := map[string][]string{}
	for _, w := range append(slices.Clone(on), loop.Worktree{Path: "."}) {
		root := w.Path
		if !filepath.IsAbs(root) {
			root = filepath.Join(h.project, root)
		}
		if tree, err := h.tree(ctx, root); err == nil {
			list[w.Path] = tree.Dirty
		}
	}
	return list
}

// interruptMark looks for the client's own mark, after what was counted, in a turn of this tick: a
// person may end a turn of their own between two ticks. That of a forked tick is in the fork's
// transcript only; where the turn reached its Stop, a worker's mark means that the worker was
// ended.
func (h *handler) interruptMark(t *loopState, forked bool) bool {
	path := t.Tick.Transcript
	r, err := usage.Main(path, t.Budget.Cursors)
	if forked {
		r, err = usage.Count(path, h.counted(t, path), usage.NewTable(nil))
	}
	return err == nil && r.Marked(t.Tick.Prompts, forked)
}

// pastDialogs returns the dialogs of the transcript.
func (h *handler) pastDialogs(t *loopState, e loop.Event) (list []loop.Answers) {
	r, err := usage.Main(h.transcript(t, e), t.Budget.Cursors)
	if err != nil {
		return nil
	}
	for _, a := range r.Answers {
		given := event.ParseAnswers(a.Result)
		list = append(list, answersOf(t.Tick.Pending, a.ToolUseID, h.ev.Input.Raw, given))
	}
	return list
}

// answersOf are a dialog's answers as loops take them: without questions that no one answered, and
// with each question as its gate has it, because a terminal may show other characters.
func answersOf(gates []loop.Gate, id, input string, given event.Answers) loop.Answers {
	a := loop.Answers{ID: id, Input: input, AFK: given.AFK}
	for _, one := range given.List {
		if one.Unanswered == "" {
			question := restored(one.Question, gates)
			a.List = append(a.List, loop.DialogAnswer{Question: question, Text: one.Text})
		}
	}
	return a
}

// restored is a question as its gate asks it.
func restored(shown string, gates []loop.Gate) string {
	for _, g := range gates {
		if g.Question == shown || term.Text(g.Question) == shown {
			return g.Question
		}
	}
	return shown
}

// dialogDenied reports whether the client's settings keep the dialog from being shown.
func (h *handler) dialogDenied() bool {
	return slices.ContainsFunc(h.call().SettingsFiles(), func(path string) bool {
		text, ok := safefile.Read(path, config.MaxFile)
		if !ok {
			return false
		}
		denied := false
		gjson.Get(text, "permissions.deny").ForEach(func(_, rule gjson.Result) bool {
			whole := []string{"AskUserQuestion", "AskUserQuestion(*)", "*"}
			denied = denied || slices.Contains(whole, rule.String())
			return !denied
		})
		return denied
	})
}
