package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"hooks/internal/config"
	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/tracker"
	"hooks/internal/tracker/backlog"
	"hooks/internal/tracker/forge"
)

// entryTime bounds the tracker's answer from the entry's beginning: an entry that waited for the
// lock has less left of the hook's time, and a dialog's result has little from the start.
func (e *entry) entryTime() time.Duration {
	if e.ev.Name == event.PostToolUse {
		return 6 * time.Second
	}
	return 55 * time.Second
}

// ask asks the tracker for the facts that an iteration begins with. If it cannot answer, one line
// says so and the skill's report takes over; a project without a known tracker gets no such line.
func (e *entry) ask(at *loopState, previous *loop.Iteration) (
	asked *loop.Asked, edges [][2]int, notes []string,
) {
	q := e.question(at)
	if e.asks.Rereads() {
		q.Config = e.config(nil)
	}
	switch {
	case loop.KindOf(e.Skill).Backlog:
		q.Backlog, q.Scope = true, backlog.ParseScope(e.asks.Flags.Rest)
	case e.asks.Flags.PR > 0:
		q.PR = e.asks.Flags.PR
	default:
		q.PRs = true
	}
	ctx, cancel := context.WithDeadline(context.Background(), e.began.Add(e.entryTime()))
	defer cancel()
	a := forge.Ask(ctx, q)
	if untracked(q, a.Err) {
		return nil, nil, nil
	}
	if a.Err != nil {
		a.Notes = append(a.Notes, "What the tracker did not tell is taken from the skill's report")
	}
	return heard(&a, previous), a.Edges, few(a.Notes)
}

// question is one to the tracker of a run, nil for the project's as it is now.
func (h *handler) question(t *loopState) forge.Question {
	q := forge.Question{Project: h.project, Env: h.Env, Config: h.config(t)}
	if t != nil && t.Budget != nil {
		q.Run = t.Budget.Tracker
	}
	return q
}

// untracked reports whether nothing names a tracker for this project.
func untracked(q forge.Question, err error) bool {
	var f *forge.Failure
	return errors.As(err, &f) && f.Why == forge.Unconfigured &&
		q.Config.Tracker == config.Tracker{}
}

// heard keeps the part of an answer that the iteration may need again, because every tool call
// reads it: the PRs of the run, not every open one. It is nil when the answer has nothing.
func heard(a *forge.Answer, previous *loop.Iteration) *loop.Asked {
	r := a.Report()
	asked := &loop.Asked{Backlog: r.Backlog}
	for i, pr := range r.PRs {
		if len(r.PRs) != 1 && !previous.Tracks(pr.Number) {
			continue
		}
		asked.PRs = append(asked.PRs, pr)
		if a.PRs[i].Elsewhere {
			asked.InForks = append(asked.InForks, pr.Number)
		}
	}
	for _, i := range r.Issues {
		if i.Criteria == backlog.CriteriaMissing || i.Criteria == backlog.CriteriaTBD {
			asked.Ambiguous = append(asked.Ambiguous,
				loop.Issue{Number: i.Number, Criteria: i.Criteria})
		}
	}
	if asked.Backlog == nil && asked.PRs == nil && asked.Ambiguous == nil {
		return nil
	}
	return asked
}

// maxNotes is how many lines about the tracker's answer a person gets to read.
const maxNotes = 4

func few(notes []string) []string {
	if len(notes) <= maxNotes {
		return notes
	}
	return append(slices.Clone(notes[:maxNotes]),
		fmt.Sprintf("tracker: and %s, see `hooks backlog`",
			loop.Plural(len(notes)-maxNotes, "more note")))
}

// askMerging looks up PRs that are about to be merged, side by side, because a person may have
// spoken since the iteration began. Of one that the tracker cannot tell it says why, so that a
// person decides (R99–R101), and the remote names the commit.
func (h *handler) askMerging(t *loopState, acts []loop.Act) (list []loop.Looked) {
	acts = slices.DeleteFunc(slices.Clone(acts), func(a loop.Act) bool {
		return a.Kind != loop.ActMerge && a.Kind != loop.ActLand
	})
	refused := func(a loop.Act) bool { return t.Tick.Halting() || t.values().Landable(a) != nil }
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
func (h *handler) remoteHeads(t *loopState, list []loop.Looked) {
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
func (h *handler) askPRs(t *loopState, numbers []int) []forge.Answer {
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

// toldOf is what an answer has of a PR: without feedback, the reason. If every person who spoke has
// approved this very commit since, and the loop did and said nothing after that, no human feedback
// was addressed since the previous iteration (R99).
func (h *handler) toldOf(t *loopState, number int, answer *forge.Answer) loop.Looked {
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
