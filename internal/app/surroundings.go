package app

import (
	"context"
	"maps"
	"slices"
	"time"

	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/tracker"
	"hooks/internal/tracker/forge"
	"hooks/internal/usage"
)

// surroundings are what is looked up outside the state before an iteration ends: it may wait and ask git, so it is done
// before the guard is taken.
type surroundings struct {
	heads     map[string]string
	worktrees []loop.Worktree
	underLoop bool
	prs       map[loop.Skill][]forge.PR // what the tracker said of the PRs of each run
}

func (v *visit) lookAround(list []*thread) surroundings {
	o := surroundings{prs: map[loop.Skill][]forge.PR{}}
	for _, t := range list {
		if !v.open(t) || v.ev.WorkersRunning() {
			continue
		}
		usage.WaitFlushed(context.Background(), v.ev.Transcript, v.ev.LastMessage)
		if !t.Budget.UnderLoop && len(t.Tick.Prompts) > 0 {
			start, _ := usage.PromptStart(v.ev.Transcript, t.Tick.Prompts[0])
			o.underLoop = start.UnderLoop
		}
		if o.worktrees == nil {
			o.worktrees = v.worktrees()
		}
		o.prs[t.skill] = v.askedAtEnd(t)
		tracked := slices.Clone(t.Tick.Tracked)
		for _, pr := range o.prs[t.skill] {
			tracked = append(tracked, loop.TrackedPR{Number: pr.Number, Branch: pr.Branch})
		}
		o.heads = v.heads(tracked, o.heads)
	}
	return o
}

// gitTime bounds one question to git; what it does not answer in time stays unknown.
const gitTime = 5 * time.Second

func (v *visit) worktrees() []loop.Worktree {
	limit := gitTime
	if v.ev.Name == event.SessionEnd { // the client gives all its hooks 1.5 s there
		limit = 700 * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	list, err := tracker.Worktrees(ctx, v.project)
	if err != nil {
		return nil
	}
	return list
}

// heads asks the remote for the branches of PRs, on top of what is already known.
func (v *visit) heads(prs []loop.TrackedPR, known map[string]string) map[string]string {
	var branches []string
	for _, p := range prs {
		if _, ok := known[p.Branch]; !ok {
			branches = loop.AppendNew(branches, p.Branch)
		}
	}
	if len(branches) == 0 {
		return known
	}
	ctx, cancel := context.WithTimeout(context.Background(), gitTime)
	defer cancel()
	heads, err := tracker.RemoteHeads(ctx, v.project, "origin", branches)
	if err != nil {
		return known
	}
	for b, sha := range known {
		heads[b] = sha
	}
	return heads
}

// leftBehind is what an abandoned tick left. Its own session asks as at a Stop. What a dead one left is what was recorded
// then: the remote of today would hide what moved since the crash (R138).
func (v *visit) leftBehind(t *thread, previous *loop.Iteration) surroundings {
	now := v.worktrees()
	if v.foreign(t) {
		if previous != nil {
			t.Tick.Report.Worktrees = append(slices.Clone(previous.Worktrees), t.Tick.Report.Worktrees...)
		}
		recorded := func(w loop.Worktree) bool {
			return slices.ContainsFunc(t.Tick.Report.Worktrees, func(r loop.Worktree) bool { return r.Path == w.Path })
		}
		return surroundings{worktrees: slices.DeleteFunc(now, recorded)}
	}
	look := surroundings{worktrees: now}
	if v.ev.Name != event.SessionEnd { // whose time is too short to ask a remote
		look.heads = v.heads(t.Tick.Tracked, nil)
	}
	return look
}

// begun are the branches on which an interrupted iteration worked, and where they stand on the remote (R44).
func (v *visit) begun(t *thread, o surroundings) (branches, remote map[string]string) {
	ctx, cancel := context.WithTimeout(context.Background(), gitTime)
	defer cancel()
	branches, err := tracker.BranchesSince(ctx, v.project, t.Tick.StartedAt)
	if err != nil || v.ev.Name == event.SessionEnd { // whose time is too short to ask a remote
		return branches, nil
	}
	names := slices.Collect(maps.Keys(branches))
	for _, w := range o.worktrees {
		names = loop.AppendNew(names, w.Branch)
	}
	if remote, err = tracker.RemoteHeads(ctx, v.project, "origin", names); err != nil {
		return branches, nil
	}
	return branches, remote
}
