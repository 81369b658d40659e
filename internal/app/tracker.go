package app

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/store"
	"hooks/internal/tracker"
	"hooks/internal/tracker/forge"
	"hooks/internal/usage"
)

// question is one to the tracker of a run, nil for the project's as it is now.
func (h *handler) question(t *store.State) forge.Question {
	q := forge.Question{Project: h.project, Env: h.Env, Config: h.config(t)}
	if t != nil && t.Budget != nil {
		q.Run = t.Budget.Tracker
	}
	return q
}

// askMerging looks up PRs that are about to be merged, side by side, because a person may have
// spoken since the iteration began. Of one that the tracker cannot tell it says why, so that a
// person decides (R99–R101), and the remote names the commit.
func (h *handler) askMerging(t *store.State, acts []loop.Act) (list []loop.Looked) {
	acts = slices.DeleteFunc(slices.Clone(acts), func(a loop.Act) bool {
		return a.Kind != loop.ActMerge && a.Kind != loop.ActLand
	})
	refused := func(a loop.Act) bool { return t.Tick.Halting() || t.Values().Landable(a) != nil }
	if n := slices.IndexFunc(acts, refused); n >= 0 {
		acts = acts[:n]
	}
	numbers := make([]int, len(acts))
	for i, a := range acts {
		numbers[i] = a.PR
	}
	for i, answer := range h.askPRs(t, numbers) {
		list = append(list, h.toldOf(t, numbers[i], &answer))
	}
	if slices.ContainsFunc(list, func(p loop.Looked) bool { return p.HeadSHA == "" }) {
		h.remoteHeads(t, list)
	}
	return list
}

// remoteHeads asks the run's remotes for the commits of PRs that the tracker did not name: by the
// forge's own refs, else by the branch.
func (h *handler) remoteHeads(t *store.State, list []loop.Looked) {
	ctx, cancel := context.WithTimeout(context.Background(), gitTime)
	defer cancel()
	remote, _, kind := h.question(t).Remotes(ctx)
	var refs []string
	for _, pr := range list {
		refs = append(refs, tracker.PullRef(kind, pr.Number))
	}
	commits, _ := tracker.RemoteRefs(ctx, h.project, remote, refs)
	var branches map[string]string
	if len(commits) < len(refs) {
		branches = h.heads(t, t.Tick.Tracked)
	}
	for i := range list {
		pr := &list[i]
		branch := slices.IndexFunc(t.Tick.Tracked, func(p loop.TrackedPR) bool {
			return p.Number == pr.Number
		})
		if pr.HeadSHA = cmp.Or(pr.HeadSHA, commits[refs[i]]); branch >= 0 {
			pr.HeadSHA = cmp.Or(pr.HeadSHA, branches[t.Tick.Tracked[branch].Branch])
		}
	}
}

// askPRs asks a run's tracker about PRs side by side, one answer each.
func (h *handler) askPRs(t *store.State, numbers []int) []forge.Answer {
	answers := make([]forge.Answer, len(numbers))
	var asking sync.WaitGroup
	for i, n := range numbers {
		q := h.question(t)
		q.PR = n
		asking.Go(func() { answers[i] = forge.Ask(context.Background(), q) })
	}
	asking.Wait()
	return answers
}

// toldOf returns the state of a PR from an answer, with the reason if its feedback is unknown. If
// every person who spoke has approved this very commit since, and the loop did and said nothing
// after that, no human feedback was addressed since the previous iteration (R99).
func (h *handler) toldOf(t *store.State, number int, answer *forge.Answer) loop.Looked {
	told := loop.Looked{PR: loop.PR{Number: number}}
	for i := range answer.PRs {
		pr := &answer.PRs[i]
		if pr.Number != number {
			continue
		}
		told.PR = pr.Loop()
		if len(pr.Approved) > 0 && t.Tick.Comments == 0 {
			if previous, err := h.previous(t.Skill, t.Budget); err == nil &&
				pr.Reviewed(previous.HeadAtEnd(number)) {
				told.HumanFeedback = new(false)
			}
		}
	}
	if told.HumanFeedback == nil {
		told.Unknown = answer.Unknown()
	}
	return told
}

// around asks git and the tracker what an iteration that ends leaves. What a dead client left is
// what was recorded then, so the remote is not asked: it would hide what moved since the crash.
func (h *handler) around(t *store.State, e loop.Event) (a loop.Around) {
	_, stop := e.(loop.TurnEnd)
	if stop {
		usage.WaitFlushed(context.Background(), h.ev.Transcript, h.ev.LastMessage)
		if t.Tick != nil && !t.Budget.UnderLoop && len(t.Tick.Prompts) > 0 {
			start, _ := usage.PromptStart(h.ev.Transcript, t.Tick.Prompts[0])
			a.UnderLoop = start.UnderLoop
		}
	}
	a.Worktrees = h.worktrees()
	if r := loop.TasksOf(t.Budget); r != nil && r.Finished()+1 >= len(r.List) { // it may be the end
		a.Dropped = dropped(h.project, t.Values().Tip())
	}
	foreign := t.Tick != nil &&
		(t.Tick.SessionID != h.ev.SessionID || proc.Of(t.Budget.Owner) == loop.Dead)
	if t.Tick == nil || !stop && foreign || h.ev.Name == event.SessionEnd {
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

// maxAsked bounds the PRs that are looked up at the end of one iteration, within the hook's time.
const maxAsked = 8

// askedAtEnd looks up the iteration's PRs whose branch is unknown, or of which it is not known
// whether a merge that was let through has landed. It makes no call if there is nothing to look up.
func (h *handler) askedAtEnd(t *store.State) (list []forge.PR) {
	missing := t.Tick.Unsettled(t.Budget)
	answers := h.askPRs(t, missing[:min(len(missing), maxAsked)])
	for i := range answers {
		list = append(list, answers[i].PRs...)
	}
	return list
}

// opened returns the open PRs, the newest first, of branches that the iteration moved or has
// checked out. It returns nil if every attempt to open one printed its address.
func (h *handler) opened(t *store.State, on []loop.Worktree) (numbers []int) {
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

// trail returns a commit, and a sum of what an iteration could leave: the local branches, and the
// uncommitted files of each worktree. It returns "" if git cannot report all of it.
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
func (h *handler) heads(t *store.State, prs []loop.TrackedPR) map[string]string {
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

// begun collects what an interrupted iteration may have left: the branches on which it worked,
// their heads on the remote, and uncommitted files (R44).
func (h *handler) begun(t *store.State, on []loop.Worktree) (left loop.Begun) {
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
