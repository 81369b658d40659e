package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"hooks/internal/config"
	"hooks/internal/event"
	"hooks/internal/loop"
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
func (e *entry) ask(previous *loop.Iteration) (asked *loop.Asked, edges [][2]int, notes []string) {
	q := e.question()
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
	if e.untracked(a.Err) {
		return nil, nil, nil
	}
	if a.Err != nil {
		a.Notes = append(a.Notes, "What the tracker did not tell is taken from the skill's report")
	}
	return heard(&a, previous), a.Edges, few(a.Notes)
}

func (h *handler) question() forge.Question {
	return forge.Question{Project: h.project, Env: h.Env, Config: h.config()}
}

// untracked reports whether nothing names a tracker for this project.
func (h *handler) untracked(err error) bool {
	var f *forge.Failure
	return errors.As(err, &f) && f.Why == forge.Unconfigured &&
		h.config().Tracker == config.Tracker{}
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
// spoken since the iteration began. If the tracker does not answer about a PR that it should
// know, nothing is known, and a person decides (R99–R101). Without a tracker there is no entry,
// and the skill's report counts.
func (h *handler) askMerging(t *loopState, acts []loop.Act) (list []loop.PR) {
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
	answers := h.askPRs(numbers)
	for i, a := range acts {
		var f *forge.Failure
		none := errors.As(answers[i].Err, &f) &&
			(f.Why == forge.Unconfigured || f.Why == forge.NoProgram)
		// a tracker that answered at the entry and is gone leaves the PR unknown: a person decides
		if none && t.Tick.AskedPR(a.PR) == nil {
			continue
		}
		list = append(list, h.toldOf(t, a.PR, &answers[i]))
	}
	return list
}

// askPRs asks the tracker about PRs side by side, one answer each.
func (h *handler) askPRs(numbers []int) []forge.Answer {
	answers := make([]forge.Answer, len(numbers))
	var asking sync.WaitGroup
	for i, n := range numbers {
		q := h.question()
		q.PR = n
		asking.Go(func() { answers[i] = forge.Ask(context.Background(), q) })
	}
	asking.Wait()
	return answers
}

// toldOf is what an answer has of a PR: its number alone if it has nothing. If every person who
// spoke has approved this very commit since, and the loop did and said nothing after that, no
// human feedback was addressed since the previous iteration (R99).
func (h *handler) toldOf(t *loopState, number int, answer *forge.Answer) loop.PR {
	for i := range answer.PRs {
		pr := &answer.PRs[i]
		if pr.Number != number {
			continue
		}
		told := pr.Loop()
		if len(pr.Approved) > 0 && t.Tick.Comments == 0 {
			if previous, err := h.previous(t.Skill, t.Budget); err == nil &&
				pr.Reviewed(previous.HeadAtEnd(number)) {
				told.HumanFeedback = new(false)
			}
		}
		return told
	}
	return loop.PR{Number: number}
}
