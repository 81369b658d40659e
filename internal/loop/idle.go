package loop

import (
	"fmt"
	"slices"
	"strings"
)

// Idle counts consecutive iterations in which nothing changed (A28, T91). It is nil after an
// iteration that changed something.
type Idle struct {
	Iterations int `json:"iterations"`
	// commit at which the first of these iterations began
	Since  string `json:"since,omitempty"`
	Before USD    `json:"dollars_before"` // the run's dollars at that time
	// Unseen is the state at the start of an iteration whose end was not inspected, because its
	// worker claimed nothing. The start of the next iteration shows whether it changed anything.
	Unseen *Mark `json:"unseen,omitempty"`
}

// Mark is a commit and a checksum of the uncommitted files; see Attempt.
type Mark struct {
	Head string `json:"head,omitempty"`
	Tree string `json:"tree,omitempty"`
}

// maxIdle is the number of consecutive idle iterations that stall a task or an audit loop. A work
// or prompt loop stalls only if a person sets the number. A task uses all its attempts first, so
// that the run ends for that reason (T57).
const maxIdle = 3

func (b *Budget) maxIdle() int {
	if b.MaxIdle > 0 {
		return b.MaxIdle
	}
	return max(maxIdle, b.Attempts().MaxIdle)
}

// foldIdle counts the ending iteration; before is the run at its start. Iterations that git could
// not read, or that the API or a person ended, do not count.
func (b *Budget) foldIdle(t *Tick, before *Budget, e Ending) {
	a := t.Attempt
	if b.MaxIdle > 0 {
		b.foldTrail(t, before, e)
		return
	}
	if a == nil || b.Own == nil || !t.Started || t.Verdict().Verdict == Outage {
		return
	}
	seen := !a.Sent || a.EndHead != ""
	switch changed := a.moved() || a.closed() || b.Own.Advanced(before.Own); {
	case seen:
		b.countIdle(changed, a.Head, before)
	case b.Attempts().Looks || t.Verdict().claims() || a.NoGit || a.Unread != "":
	case changed:
		b.Idle = nil
	default:
		b.idleSince(a.Head, before).Unseen = &Mark{a.Head, a.Tree}
	}
}

// foldTrail counts an iteration of a run with --max-idle. A merge or a new PR is progress that
// local git may not show.
func (b *Budget) foldTrail(t *Tick, before *Budget, e Ending) {
	if !t.Started || t.Failed != "" || t.Interrupted != "" || t.Trail == "" || e.Trail == "" {
		return
	}
	head, _, _ := strings.Cut(t.Trail, " ")
	b.countIdle(t.Trail != e.Trail || t.Merges+len(t.Observed.PRs) > 0, head, before)
}

func (b *Budget) countIdle(changed bool, head string, before *Budget) {
	if changed {
		b.Idle = nil
		return
	}
	b.idleSince(head, before).Iterations++
}

// idleSince returns the current count, or starts one at this commit.
func (b *Budget) idleSince(head string, before *Budget) *Idle {
	if b.Idle == nil {
		b.Idle = &Idle{Since: head, Before: before.DollarsEstimate}
	}
	return b.Idle
}

// lookBack decides at the start of this iteration whether the previous one, whose end was not
// inspected, counts as idle.
func (b *Budget) lookBack(e EntryFacts) {
	if b.Idle == nil || b.Idle.Unseen == nil {
		return
	}
	began := *b.Idle.Unseen
	b.Idle.Unseen = nil
	switch {
	case e.Unread != "":
	case began != Mark{e.Head, e.Tree}:
		b.Idle = nil
	default:
		b.Idle.Iterations++
	}
}

// moved reports whether the worker left another commit or other uncommitted files.
func (a *Attempt) moved() bool {
	return a.EndHead != "" && (a.EndHead != a.Head || a.EndTree != a.Tree)
}

// closed reports whether an auditor resolved a finding that was open before.
func (a *Attempt) closed() bool {
	return slices.ContainsFunc(a.Resolved, func(id string) bool {
		return !slices.Contains(a.Opened, id)
	})
}

// stalls is the Applies function of rows for runs that must make progress. For a work or prompt
// loop, a person must request that.
func stalls(b *Budget) bool { return attempted(b) || b.MaxIdle > 0 }

func noProgress(f *Facts) string {
	if i := f.Run.Idle; i == nil || i.Iterations < f.Run.maxIdle() {
		return ""
	}
	return f.Run.idleText()
}

// idleText describes the count, as in "nothing changed for 3 iterations, $4.10 since abc1234".
func (b *Budget) idleText() string {
	since := b.Idle.Since
	if since == "" {
		since = "then"
	}
	return fmt.Sprintf("nothing changed for %s, $%s since %s",
		Plural(b.Idle.Iterations, "iteration"), b.DollarsEstimate.minus(b.Idle.Before),
		Short(since))
}

func tellIdle(f *Facts) string {
	if text := f.Run.Standstill(); text != "" {
		return text
	}
	return fmt.Sprintf("the last iteration changed something; fires after %d that do not",
		f.Run.maxIdle())
}

// Standstill describes how long nothing has changed, or returns "" if the last iteration changed
// something.
func (b *Budget) Standstill() string {
	if b.Idle == nil || b.Idle.Iterations == 0 {
		return ""
	}
	return fmt.Sprintf("%s; fires after %d", b.idleText(), b.maxIdle())
}
