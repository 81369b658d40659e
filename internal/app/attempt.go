package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"hooks/internal/attempt"
	"hooks/internal/child"
	"hooks/internal/install"
	"hooks/internal/ledger"
	"hooks/internal/loop"
	"hooks/internal/markdown"
	"hooks/internal/safefile"
	"hooks/internal/store"
	"hooks/internal/tracker"
	"hooks/internal/usage"
)

// attemptFacts adds to f the facts at the start of an attempt. fresh is the entry's request; its
// KindRun is set only for a new task or audit loop.
func (h *handler) attemptFacts(
	t *store.State, f *loop.EntryFacts, root string, fresh *loop.Request,
) {
	tree, err := h.tree(h.ctx, root)
	f.Attempt = attempt.Attempt{Head: tree.Head, Branch: tree.Branch,
		Tree: treeSum(root, tree.Dirty), NoGit: tracker.Root(root) == "",
		Token: fmt.Sprintf("-%08x", rand.Uint32())} // must be unique, need not be secret
	list, unread := tree.Ignores(h.ctx, root, h.excluded())
	if err = errors.Join(err, unread); err == nil {
		f.Ignores = strings.Join(append(list, "-"), "\n")
	}
	if err != nil && !f.Attempt.NoGit {
		f.Attempt.Unread = child.Line(err.Error())
	}
	run := loop.Budget{KindRun: fresh.KindRun}
	if run.Own == nil && t != nil && t.Budget != nil {
		run.KindRun = t.Budget.KindRun
	}
	a := run.Attempts()
	f.List = h.listText(a)
	text := h.config(t).Redact(newestFeedback(root, ledgersOf(root, a.Source, a.Number)))
	f.Attempt.Feedback = strings.ToValidUTF8(text[:min(len(text), attempt.MaxFeedback)], "")
}

// fetchAttempt fetches the facts that Step needs to judge an attempt.
func (h *handler) fetchAttempt(t *store.State, l *lookup, k *loop.Known) {
	fill(l, &k.Claim, func() attempt.Claim { return h.claimSeen(t) })
	fill(l, &k.Evidence, func() attempt.Evidence { return h.evidence(t) })
	fill(l, &k.Check, func() attempt.CheckRun {
		return h.check(t, t.Budget.Attempts().Check)
	})
	fill(l, &k.Before, func() attempt.CheckRun {
		_, command := t.Values().Unmeasured("")
		return h.check(t, command)
	})
	fill(l, &k.Prompt, func() string { return h.prompt(t) })
}

// workerSeen reads the beginning of the worker's transcript. Ours reports whether it belongs to
// this attempt, or to the fork that runs the iteration. Fresh reports whether the model wrote
// nothing before the attempt's prompt (T93).
func (h *handler) workerSeen(t *store.State) (w attempt.Worker) {
	path := cmp.Or(h.ev.AgentTranscript, h.ev.Transcript)
	// A StopFailure event does not name the transcript.
	if h.ev.InSubagent() && h.ev.AgentTranscript == "" {
		path = usage.AgentTranscript(h.ev.Transcript, h.ev.AgentID)
	}
	a, call := t.Tick.Attempt, ""
	mark := fmt.Sprintf("(run %s)", t.Budget.RunID) // part of the message that begins an iteration
	if a != nil {
		mark, call = a.Token, a.Call
	}
	text, ok := safefile.ReadHead(path, 256<<10)
	if !strings.Contains(text, mark) { // a short fork can end before its transcript is written
		usage.WaitFlushed(path, h.ev.LastMessage)
		text, ok = safefile.ReadHead(path, 256<<10)
	}
	if h.ev.InSubagent() {
		by, known := usage.SentBy(path)
		if known && by != call { // from the worker's own helper, which may quote the token
			return attempt.Worker{}
		}
		ok = ok && known
	}
	if a != nil && !ok {
		return attempt.Worker{Ours: h.ev.AgentType == "" || a.Sent}
	}
	fresh := true
	for line := range strings.Lines(text) {
		if strings.Contains(line, mark) {
			return attempt.Worker{Ours: true, Known: true, Fresh: fresh}
		}
		fresh = fresh && !strings.Contains(line, `"type":"assistant"`)
	}
	return attempt.Worker{Known: true}
}

// evidence returns the git state that a worker's claim is judged against.
func (h *handler) evidence(t *store.State) (e attempt.Evidence) {
	a, root := t.Tick.Attempt, h.root(t)
	if a.NoGit || a.Unread != "" {
		return e
	}
	at := tracker.Root(root)
	var tree tracker.Tree
	var hidden []string
	var top string
	var diff []byte
	var errs [6]error
	var asked sync.WaitGroup // concurrent, because git takes most of the time
	asked.Go(func() { tree, errs[0] = h.tree(h.ctx, root) })
	asked.Go(func() { hidden, errs[1] = tracker.Hidden(h.ctx, root) })
	asked.Go(func() { top, errs[2] = tracker.Top(h.ctx, root) })
	asked.Go(func() {
		// the commits at the start of the attempt and at the end of the last finished task or phase
		for _, sha := range loop.AppendNew(nil, a.Head, t.Budget.Attempts().Tip) {
			if kept, err := tracker.Descends(h.ctx, root, sha); !kept {
				e.Dropped, errs[3] = sha, err
				return
			}
		}
	})
	if a.Base != "" {
		asked.Go(func() { diff, errs[4] = tracker.Diff(h.ctx, root, a.Base) })
	}
	if base := t.Budget.Attempts().Since; base != "" {
		asked.Go(func() { e.Changed, errs[5] = tracker.Changed(h.ctx, at, base, "HEAD") })
	}
	asked.Wait()
	err := errors.Join(append(errs[:4:4], errs[5])...)
	if err == nil && tracker.RealPath(top) != tracker.RealPath(at) {
		err = fmt.Errorf("git works in %s, because core.worktree is set", top)
	}
	if err != nil {
		e.Failed = child.Line(err.Error())
		return e
	}
	e.Head, e.Branch, e.Dirty = tree.Head, tree.Branch, append(tree.Dirty, hidden...)
	ignores, err := tree.Ignores(h.ctx, root, h.excluded())
	if err != nil {
		e.Failed = child.Line(err.Error())
		return e
	}
	before := strings.Split(t.Budget.Ignores, "\n")
	for _, file := range ignores {
		if t.Budget.Ignores != "" && !slices.Contains(before, file) {
			name := file[:strings.LastIndexByte(file, ' ')]
			e.Dirty = append(e.Dirty, name+" (it makes git ignore files; undo that, or "+
				"commit a .gitignore)")
		}
	}
	e.Dirty = append(e.Dirty, h.keptOut(t, root)...)
	e.Tree = treeSum(root, tree.Dirty)
	switch {
	case errs[4] != nil:
		e.Weakened = []string{"the change could not be inspected: " + child.Line(errs[4].Error())}
	case a.Base != "" && a.Base != tree.Head:
		e.Weakened, e.Same = attempt.Weakened(diff), len(diff) == 0
	}
	return e
}

// dropped returns commit if HEAD is not known to contain it, and "" otherwise.
func dropped(root, commit string) string {
	if commit == "" {
		return ""
	} else if kept, _ := tracker.Descends(context.Background(), root, commit); kept {
		return ""
	}
	return commit
}

// agent returns the plugin's agent for the worker that the call starts. This agent needs less than
// half the context of the general one. agent returns "", which keeps the call's type, if the run
// has no agent, if the plugin lacks it or is not registered, or if the call names another type.
func (h *handler) agent(t *store.State) string {
	name, root := t.Budget.Attempts().Agent, h.Env("CLAUDE_PLUGIN_ROOT")
	general := h.ev.Text("subagent_type") == "general-purpose"
	if root == "" || name == "" || name != auditor && !general ||
		!isFile(filepath.Join(root, "agents", name+".md")) {
		return ""
	}
	return "hooks:" + name
}

// auditor is the plugin's agent without editing tools. It replaces any type that a call names.
const auditor = "auditor"

// maxLast bounds the stored last message of a worker, in bytes (A58).
const maxLast = 16 << 10

// claimSeen returns the claims in the worker's last message and in the run's files.
func (h *handler) claimSeen(t *store.State) attempt.Claim {
	claim := attempt.ReadClaim(h.ev.LastMessage, t.Tick.Attempt.Token)
	last := strings.ToValidUTF8(strings.TrimSpace(h.ev.LastMessage), "?")
	claim.Last = markdown.Cut(h.config(t).Redact(last), maxLast)
	a := t.Budget.Attempts()
	if claim.List = h.listText(a); a.Publishes {
		text, _, _ := keptFile(h.progressPath())
		claim.Progress = string(text)
		claim.Wrote = string(h.files.Copy(t.Skill, store.ProgressCopy))
	}
	return claim
}

// listText returns the contents of the task list file, or "" if it cannot be read.
func (h *handler) listText(a loop.Attempts) string {
	text, _, _ := readOwn(h.project, "task list", a.List)
	return string(text)
}

// prompt returns the complete prompt for the open attempt's worker.
func (h *handler) prompt(t *store.State) string {
	var with loop.Papers
	a, task := t.Budget.Attempts(), t.Tick.Attempt.Task
	with.Number, with.Most = t.Budget.SinceRestart(t.Tick.Iteration)
	if a.Publishes {
		with.Progress, with.Anchor = h.relative(h.progressPath()), h.anchor()
		with.Log, _, _ = keptFile(h.progressPath())
		if list := ledgersOf(h.project, a.Source, task); len(list) > 0 && task <= a.Total {
			with.Ledger = list[0]
		}
	}
	if a.Sum != "" {
		with.Plan = h.plan(t, a)
	}
	return t.Budget.Own.Prompt(t.Tick.Attempt, with)
}

// plan returns the run's source as it was approved. It takes the source from the stored copy, the
// file, or the file at the run's first commit, and returns "" if none of these matches.
func (h *handler) plan(t *store.State, a loop.Attempts) string {
	text := h.files.Copy(t.Skill, store.PlanCopy)
	if loop.Digest(text) != a.Sum {
		text, _, _ = readOwn(a.Root, "plan", a.Source)
	}
	if loop.Digest(text) != a.Sum {
		kept, _ := tracker.FileAt(h.ctx, a.Root, a.Base, a.Source, maxTaskFile)
		text = []byte(kept)
	}
	if loop.Digest(text) != a.Sum {
		return ""
	}
	return string(text)
}

// anchor returns the path of the project's or person's /sdd:anchor command, or "" (T83).
func (h *handler) anchor() string {
	const command = "commands/sdd/anchor.md"
	person, _ := install.ClientDir(h.Env)
	for _, path := range []string{filepath.Join(h.project, ".claude", command),
		filepath.Join(person, command)} {
		if isFile(path) {
			return filepath.ToSlash(strings.TrimPrefix(path, h.project+string(filepath.Separator)))
		}
	}
	return ""
}

// newestFeedback returns the feedback in the first ledger that has any, or "" (L31).
func newestFeedback(root string, ledgers []string) string {
	for _, path := range ledgers {
		full, _ := insideRoot(root, path)
		text, _ := safefile.Read(full, maxTaskFile)
		if feedback := ledger.Feedback(text); feedback != "" {
			return feedback
		}
	}
	return ""
}

// ledgersOf returns the existing ledgers changes/NAME/loops/implement-NN.md for a task or section
// number. If spec is in a change, it searches only that change; otherwise it searches all changes.
func ledgersOf(root, spec string, number int) (list []string) {
	name := fmt.Sprintf("implement-%02d.md", number)
	parts := strings.Split(filepath.ToSlash(spec), "/")
	inChange := len(parts) > 2 && parts[0] == "changes"
	for _, path := range ledger.Find(root) {
		change, file, _ := ledger.Place(path)
		if file != name || inChange && change != parts[1] {
			continue
		}
		if full, ok := insideRoot(root, path); ok && isFile(full) {
			list = append(list, path)
		}
	}
	return list
}

// taskContext returns the instructions for this thread when an iteration of a task or audit loop
// begins. It returns "" while a question waits and after the worker was sent or judged.
func (h *handler) taskContext(t *store.State) string {
	drive := t.Budget.Drive()
	switch a := t.Tick.Attempt; {
	case len(t.Tick.Pending) > 0 || drive == "", a != nil && (a.Judged != nil || a.Sent):
		return ""
	case drive == loop.DriveStop && a != nil:
		if _, check := t.Values().Unmeasured(""); check != "" {
			return "This thread only conducts. End the turn now with one short line. The Stop " +
				"hook then runs the check as it is before the work and asks for the Agent call."
		}
		return "This thread only conducts. " + t.Budget.Order()
	case a == nil:
		return ""
	}
	return h.prompt(t)
}
