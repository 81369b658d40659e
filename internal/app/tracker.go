package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"hooks/internal/event"
	"hooks/internal/guard/effect"
	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/safefile"
	"hooks/internal/store"
	"hooks/internal/tracker"
	"hooks/internal/tracker/forge"
	"hooks/internal/usage"
)

// question returns a question for the run's tracker, or for the project's current one if t is nil.
func (h *handler) question(t *store.State) forge.Question {
	q := forge.Question{Project: h.project, Env: h.Env, Config: h.config(t)}
	if t != nil && t.Budget != nil {
		q.Run = t.Budget.Tracker
	}
	return q
}

// askMerging looks up, in parallel, the PRs that a call would merge, because a person may have
// commented since the iteration began. If the tracker has no answer for a PR, the result explains
// why, so that a person decides (R99–R101), and askMerging asks the remote for the PR's commit.
func (h *handler) askMerging(t *store.State, acts []effect.Act) (list []loop.Looked) {
	acts = slices.DeleteFunc(slices.Clone(acts), func(a effect.Act) bool {
		return !a.Kind.Merges() || a.Kind == effect.ApprovePR
	})
	refused := func(a effect.Act) bool {
		return t.Tick.Halting() || t.Values().Landable(a) != nil
	}
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

// remoteHeads fills in missing head commits from the run's remotes. It looks up the forge's own ref
// for each PR, and then the PR's branch.
func (h *handler) remoteHeads(t *store.State, list []loop.Looked) {
	remote, _, kind := h.question(t).Remotes(h.ctx)
	var refs []string
	for _, pr := range list {
		refs = append(refs, tracker.PullRef(kind, pr.Number))
	}
	commits, _ := tracker.RemoteRefs(h.ctx, h.project, remote, "", refs)
	var branches map[string]string
	if len(commits) < len(refs) {
		branches = h.heads(t, branchesOf(t.Tick.Tracked))
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

// askPRs asks a run's tracker about PRs in parallel. It returns one answer for each number.
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

// toldOf returns a PR's state according to the tracker's answer, and the reason if its feedback is
// unknown. Feedback counts as absent if this iteration has posted no comments, every commenter has
// since approved the head commit, and the previous iteration ended on that commit (R99).
func (h *handler) toldOf(t *store.State, number int, answer *forge.Answer) loop.Looked {
	told := loop.Looked{PR: loop.PR{Number: number}}
	for i := range answer.PRs {
		pr := &answer.PRs[i]
		if pr.Number != number {
			continue
		}
		told.PR = pr.Loop()
		if said := told.HumanFeedback; said != nil && *said && t.Tick.Comments == 0 {
			if previous, err := h.files.Last(t.Skill, t.Budget.Worked); err == nil &&
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

// around asks git, the remote and the tracker for the state at the end of an iteration. If the
// event is not a Stop and the iteration belongs to another session or a dead client, around asks
// only git, because later changes on the remote would hide the state at that time.
func (h *handler) around(t *store.State, e loop.Event) (a loop.Around) {
	_, stop := e.(loop.TurnEnd)
	if stop {
		usage.WaitFlushed(h.ev.Transcript, h.ev.LastMessage)
		if t.Tick != nil && !t.Budget.UnderLoop && len(t.Tick.Prompts) > 0 {
			start, _ := usage.PromptStart(h.ev.Transcript, t.Tick.Prompts[0])
			a.UnderLoop = start.UnderLoop
		}
	}
	a.Worktrees, _ = tracker.Worktrees(h.ctx, h.project)
	if t.Budget.Attempts().Last { // the run may end here
		a.Dropped = dropped(h.project, t.Values().Tip())
	}
	foreign := func() bool {
		return t.Tick.SessionID != h.ev.SessionID || proc.Of(t.Budget.Owner) == loop.Dead
	}
	if t.Tick == nil || !stop && foreign() || h.ev.Name == event.SessionEnd {
		return a // a SessionEnd hook has too little time to ask a remote
	}
	if stop && t.Tick.Trail != "" {
		a.Trail = h.trail(a.Worktrees)
	}
	tracked := slices.Clone(t.Tick.Tracked)
	if missing := t.Tick.Unsettled(t.Budget); stop && len(missing) > 0 {
		for _, answer := range h.askPRs(t, missing[:min(len(missing), maxAsked)]) {
			for _, pr := range answer.PRs {
				a.PRs = append(a.PRs, loop.Looked{PR: pr.Loop(), InFork: pr.Elsewhere})
				tracked = append(tracked, loop.TrackedPR{Number: pr.Number, Branch: pr.Branch})
			}
		}
	}
	if stop && t.Tick.Starts.Opened > 0 { // a program opened a PR whose number is unknown
		a.Opened = h.opened(t, a.Worktrees)
	}
	if len(tracked) > 0 {
		a.Heads = h.heads(t, branchesOf(tracked))
	}
	return a
}

// maxAsked bounds the PRs that are looked up at the end of an iteration, to stay within the hook's
// timeout. Only PRs whose branch or merge result is unknown are looked up.
const maxAsked = 8

// opened returns the open PRs, newest first, whose branches moved during the iteration or are
// checked out in a worktree.
func (h *handler) opened(t *store.State, on []loop.Worktree) (numbers []int) {
	own, err := tracker.BranchesSince(h.ctx, h.project, t.Tick.StartedAt)
	h.sideError(err)
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

// trail returns the HEAD commit and a hash of the local branches and each worktree's HEAD and
// uncommitted files. It returns "" if git fails.
func (h *handler) trail(on []loop.Worktree) string {
	branches, err := tracker.BranchesSince(h.ctx, h.project, time.Time{})
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
		if path := safefile.Absolute(h.project, w.Path); safefile.IsDir(path) {
			roots = append(roots, path)
		}
	}
	ctx, cancel := context.WithTimeout(h.ctx, treesTime)
	defer cancel()
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
	return head + " " + loop.Digest([]byte(strings.Join(left, "\x00")))
}

func branchesOf(prs []loop.TrackedPR) (branches []string) {
	for _, p := range prs {
		branches = loop.AppendNew(branches, p.Branch)
	}
	return branches
}

// heads returns the remote heads of branches. It returns nil if the remote does not answer
// or has changed since the run began.
func (h *handler) heads(t *store.State, branches []string) map[string]string {
	if len(branches) == 0 {
		return nil
	}
	_, remote, _ := h.question(t).Remotes(h.ctx)
	heads, _ := tracker.RemoteRefs(h.ctx, h.project, remote, tracker.Heads, branches)
	return heads
}

// begun collects the work that an interrupted iteration may have left: branches, their remote
// heads, and uncommitted files in the project and each worktree (R44). It omits trees that git
// cannot read in time.
func (h *handler) begun(t *store.State, on []loop.Worktree) loop.Begun {
	left := loop.Begun{Dirty: map[string][]string{}}
	ctx, cancel := context.WithTimeout(h.ctx, treesTime)
	defer cancel()
	for _, w := range append(slices.Clone(on), loop.Worktree{Path: "."}) {
		if tree, err := h.tree(ctx, safefile.Absolute(h.project, w.Path)); err == nil {
			left.Dirty[w.Path] = tree.Dirty
		}
	}
	var err error
	left.Branches, err = tracker.BranchesSince(h.ctx, h.project, t.Tick.StartedAt)
	if err != nil || h.ev.Name == event.SessionEnd { // there is too little time to ask a remote
		return left
	}
	names := slices.Collect(maps.Keys(left.Branches))
	for _, w := range on {
		names = loop.AppendNew(names, w.Branch)
	}
	left.Remote = h.heads(t, names)
	return left
}

// readOwn reads a file of at most maxTaskFile below root; see loop.Setup.Read. An empty path reads
// as an empty file.
func readOwn(root, what, path string) (text []byte, missing bool, err error) {
	if path == "" {
		return nil, false, nil
	}
	full, ok := insideRoot(root, path)
	if !ok {
		return nil, false, hint.New("give a path inside the project",
			"the %s %q is outside the project", what, path)
	}
	head, err := safefile.Head(full, maxTaskFile+1)
	if err == nil && len(head) > maxTaskFile {
		err = errors.New("it is over 1 MiB")
	}
	if err != nil {
		return nil, errors.Is(err, fs.ErrNotExist), hint.New("give the path of a file of at most "+
			"1 MiB", "the %s %s cannot be read: %w", what, path, err)
	}
	return []byte(head), false, nil
}

// keptFile reads a file that the loop writes in the project. there is false if the file does not
// exist. A link, a folder or a file over 1 MiB is an error, so that the loop does not read or
// overwrite other files.
func keptFile(path string) (text []byte, there bool, err error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err == nil && info.Mode().IsRegular() {
		if read, ok := safefile.Read(path, maxTaskFile); ok {
			return []byte(read), true, nil
		}
	}
	return nil, false, hint.New("move it away, or name another file with SDD_STATE_FILE or "+
		"SDD_PROGRESS_FILE", "the task loop cannot use its file %s: it is not a readable "+
		"regular file of at most 1 MiB", path)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// treeSum returns a hash of the uncommitted files' names, sizes and times, but not their contents.
// It returns "" if there are no such files.
func treeSum(root string, dirty []string) string {
	if top, _ := tracker.LinkedWorktree(root); top != "" {
		root = top
	}
	if len(dirty) == 0 {
		return ""
	}
	sum := fnv.New64a()
	for _, path := range dirty {
		fmt.Fprintf(sum, "%s\x00", path)
		if info, err := os.Lstat(filepath.Join(root, path)); err == nil {
			fmt.Fprintf(sum, "%d %d\x00", info.Size(), info.ModTime().UnixNano())
		}
	}
	return strconv.FormatUint(sum.Sum64(), 36)
}

// treesTime bounds the time for reading a project's worktrees, because there may be many and some
// events have only 10 s.
const treesTime = 5 * time.Second

// maxTaskFile is the maximum size of a spec, a task list or a progress file, in bytes.
const maxTaskFile = 1 << 20

// root returns the folder where a loop works: an audit loop's worktree, or the project.
func (h *handler) root(t *store.State) string {
	return cmp.Or(t.Budget.Attempts().Root, h.project)
}

// tree reads the working tree, without the loop's own files and the person's excluded files.
func (h *handler) tree(ctx context.Context, root string) (tracker.Tree, error) {
	tree, err := tracker.ReadTree(ctx, root)
	own := []string{h.inRepo(h.progressPath()), h.inRepo(h.viewPath())}
	state := h.inRepo(filepath.Join(h.project, ".sdd", "loop")) + "/"
	kept := tree.Dirty[:0]
	for _, path := range tree.Dirty {
		if path != own[0] && path != own[1] && !strings.HasPrefix(path, state) {
			kept = append(kept, path)
		}
	}
	if tree.Dirty = kept; len(kept) > 0 {
		left := h.leftOut(root)
		tree.Dirty = slices.DeleteFunc(kept, func(path string) bool {
			return slices.Contains(left, path)
		})
	}
	return tree, err
}

func (h *handler) relative(path string) string {
	rel, err := filepath.Rel(h.project, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// inRepo returns path relative to the repository root, as git names it. The project may be a folder
// inside the repository.
func (h *handler) inRepo(path string) string {
	top := tracker.Root(h.project)
	rel, err := filepath.Rel(tracker.RealPath(top), tracker.RealPath(h.project))
	if top == "" || err != nil {
		rel = "."
	}
	return filepath.ToSlash(filepath.Join(rel, filepath.FromSlash(h.relative(path))))
}

// leftOut returns the files that a person excluded from the task or audit run that works in root.
func (h *handler) leftOut(root string) []string {
	for _, kind := range slices.Backward(loop.Kinds) {
		if kind.Run.Of == nil {
			continue
		}
		b := h.runOf(kind.Name)
		if b != nil && cmp.Or(b.Attempts().Root, h.project) == root {
			return b.LeftOut
		}
	}
	return nil
}

// excluded returns the lines that make git ignore the view and the progress file.
func (h *handler) excluded() []string {
	return []string{"/" + h.inRepo(h.viewPath()), "/" + h.inRepo(h.progressPath())}
}
