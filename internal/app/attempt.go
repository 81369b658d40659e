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
	"hooks/internal/kind/audit"
	"hooks/internal/kind/tasks"
	"hooks/internal/loop"
	"hooks/internal/safefile"
	"hooks/internal/store"
	"hooks/internal/tracker"
	"hooks/internal/usage"
)

// attemptFacts adds the facts that an attempt begins with. fresh is the request of a new task or
// audit loop.
func (h *handler) attemptFacts(
	t *store.State, f *loop.EntryFacts, root string, fresh *loop.Request,
) {
	tree, err := h.tree(h.ctx, root)
	f.Attempt = attempt.Attempt{Head: tree.Head, Branch: tree.Branch,
		Tree: treeSum(root, tree.Dirty), NoGit: tracker.Root(root) == "",
		Token: fmt.Sprintf("-%08x", rand.Uint32())} // unique, not secret
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
	if now := h.listNow(&run); now != nil {
		f.Own = now
	}
	a := run.Attempts()
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
	fill(l, &k.Prompt, func() string {
		kind, _ := attemptsOf(t.Skill)
		return kind.prompt(h, t)
	})
}

// workerSeen reads the beginning of the worker's transcript. It reports whether the transcript
// belongs to this attempt, or to the fork in which the iteration runs, and whether nothing precedes
// the attempt's prompt (T93).
func (h *handler) workerSeen(t *store.State) (w attempt.Worker) {
	path := cmp.Or(h.ev.AgentTranscript, h.ev.Transcript)
	// a StopFailure does not name the transcript
	if h.ev.InSubagent() && h.ev.AgentTranscript == "" {
		path = usage.AgentTranscript(h.ev.Transcript, h.ev.AgentID)
	}
	a, call := t.Tick.Attempt, ""
	mark := fmt.Sprintf("(run %s)", t.Budget.RunID) // part of the text that begins an iteration
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
		if known && by != call { // a helper of the worker, which may quote the token
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

// evidence checks a worker's claim against git and the progress file.
func (h *handler) evidence(t *store.State) (e attempt.Evidence) {
	a, root := t.Tick.Attempt, h.root(t)
	e.Lost = h.lostLines(t)
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
		for _, sha := range t.Values().Keeps() {
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
		err = fmt.Errorf("it uses %s, because core.worktree is set", top)
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

// attempts holds the lookups on this machine for a kind whose iterations are attempts. The
// decisions are in the kind's row of loop.Kinds and in its payload.
type attempts struct {
	prompt func(h *handler, t *store.State) string // returns the prompt of the attempt's worker
}

// attemptsOf returns false for a kind whose iterations are not attempts.
func attemptsOf(skill loop.Skill) (k attempts, ok bool) {
	switch skill {
	case tasks.Name:
		return attempts{(*handler).taskPrompt}, true
	case audit.Name:
		return attempts{(*handler).auditPrompt}, true
	}
	return k, false
}

// agent returns the plugin's agent for the worker that the call starts; the agent needs less than
// half the context of the general one. It returns "" to keep the type in the call, because the
// plugin is not registered, or the call names another type.
func (h *handler) agent(t *store.State) string {
	name, root := t.Budget.Attempts().Agent, h.Env("CLAUDE_PLUGIN_ROOT")
	general := h.ev.Text("subagent_type") == "general-purpose"
	if root == "" || name == "" || name != auditor && !general ||
		!isFile(filepath.Join(root, "agents", name+".md")) {
		return ""
	}
	return "hooks:" + name
}

// auditor is the plugin's agent without a tool that writes, which also replaces another type.
const auditor = "auditor"

// claimSeen returns the claims in the worker's last message.
func (h *handler) claimSeen(t *store.State) attempt.Claim {
	claim := attempt.ReadClaim(h.ev.LastMessage, t.Tick.Attempt.Token)
	text, _, _ := keptFile(h.progressPath())
	claim.Flagged, claim.Last = tasks.Flagged(text), h.lastWords(t)
	if now := h.listNow(t.Budget); now != nil {
		claim.List = now.Sum
	}
	return claim
}

// taskContext returns the instructions for this thread at the start of a task loop's iteration. It
// returns "" while a question waits and after the worker was sent.
func (h *handler) taskContext(t *store.State) string {
	drive := t.Budget.Drive()
	switch a := t.Tick.Attempt; {
	case len(t.Tick.Pending) > 0 || drive == "", a != nil && (a.Judged != nil || a.Sent):
		return ""
	case drive == loop.DriveStop && a != nil:
		if _, check := t.Values().Unmeasured(""); check != "" {
			return "This thread only conducts. End the turn now with one short line: the Stop " +
				"hook runs the check without the work, and then asks for the Agent call."
		}
		return "This thread only conducts. " + t.Budget.Order()
	case a == nil:
		return ""
	}
	kind, _ := attemptsOf(t.Skill)
	return kind.prompt(h, t)
}
