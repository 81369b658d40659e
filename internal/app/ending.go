package app

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/event"
	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/report"
	"hooks/internal/store"
	"hooks/internal/tracker"
	"hooks/internal/usage"
)

// surroundings are what is looked up outside the state before an iteration ends: it may wait and ask git, so it is done
// before the guard is taken.
type surroundings struct {
	heads     map[string]string
	worktrees []loop.Worktree
	underLoop bool
}

func (v *visit) lookAround(list []*thread) surroundings {
	var o surroundings
	for _, t := range list {
		if !t.open(v.ev.SessionID) || v.workersRunning() {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
		usage.WaitFlushed(ctx, v.ev.Transcript, v.ev.LastMessage)
		cancel()
		if !t.Budget.UnderLoop && len(t.Tick.Prompts) > 0 {
			start, _ := usage.PromptStart(v.ev.Transcript, t.Tick.Prompts[0])
			o.underLoop = start.UnderLoop
		}
		if o.worktrees == nil {
			o.worktrees = v.worktrees()
		}
		o.heads = v.heads(t.Tick.Tracked, o.heads)
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

// ending counts what was spent; it is called under the guard, so that no token is counted twice. An error says that it
// could not be counted, which a note says too.
func (v *visit) ending(t *thread, o surroundings) (loop.Ending, error) {
	spent, notes, err := v.counted(t)
	if !v.foreign(t) { // what the clocks did after a client's death is no matter of the run
		t.Budget.Observe(v.clock(v.now))
	}
	if t.Budget.Seq == 0 {
		notes = append(notes, v.onceNotes()...)
	}
	t.Tick.Notes = loop.AppendNew(t.Tick.Notes, notes...)
	e := loop.Ending{Now: v.now, Spent: spent, Heads: o.heads, Worktrees: o.worktrees}
	if t.Tick.Interrupted != "" && t.Tick.Body {
		e.Branches, e.Remote = v.begun(t, o)
	}
	return e, err
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

// closed is an iteration that has ended on disk, and what a person is told of it.
type closed struct {
	loop.Closing
	status string // its status block
	final  string // the final report, where the run does not go on
}

// text is everything that a person is told.
func (c *closed) text() string {
	if c.final == "" {
		return c.status
	}
	return c.status + "\n\n" + c.final
}

// close ends the iteration on disk, then says what is told of it. The lock is released by the caller, after the reply.
func (v *visit) close(t *thread, previous *loop.Iteration, ending loop.Ending) (closed, error) {
	c, err := v.commit(t, previous, ending)
	if err != nil {
		return closed{}, err
	}
	t.Budget = &c.Run
	e := closed{Closing: c, status: report.Status(&c.Line, report.Wake(&c.Run))}
	if c.Run.Status != loop.Active {
		v.stopped(&c.Run)
		e.final = v.finalReport(t)
	}
	return e, nil
}

// commit ends the iteration on disk: the history line, which is the commit point, then its copy in the budget, then
// the tick goes.
func (v *visit) commit(t *thread, previous *loop.Iteration, ending loop.Ending) (loop.Closing, error) {
	c := loop.Close(*t.Budget, *t.Tick, previous, ending)
	redact(&c.Line, v.config().Redact)
	c.Run = c.Line.Budget
	created, err := v.files.Commit(&c.Line, t.BudgetPath, &c.Run)
	if created {
		c.Line.Notes = append(c.Line.Notes, createdNote(t.skill))
	}
	return c, err
}

// appendLine writes a line that closes no iteration.
func (v *visit) appendLine(l *loop.Iteration) error {
	redact(l, v.config().Redact)
	created, err := v.files.AppendHistory(l)
	if created {
		l.Notes = append(l.Notes, createdNote(l.Skill))
	}
	return err
}

// createdNote tells a person once what the history may hold (R123, R126).
func createdNote(skill loop.Skill) string {
	return fmt.Sprintf("Created %s — this file may contain sensitive content (issue bodies, user answers). "+
		"It is gitignored. Do not upload to external telemetry.", store.HistoryPath(skill))
}

// finalReport gathers the gates of the whole run from its history.
func (v *visit) finalReport(t *thread) string {
	r := report.Ended{
		Budget: filepath.ToSlash(t.BudgetPath), History: store.HistoryPath(t.skill), Elsewhere: t.BudgetPath != store.DefaultBudgetPath(t.skill),
	}
	for raw, err := range v.files.RawLines(t.skill) {
		var l loop.Iteration
		if err == nil {
			_, err = raw.Skim(endingField(&l), "gates", "qmd_error", "left")
		}
		if err != nil || l.RunID != t.Budget.RunID {
			continue // a damaged line is the doctor's business, not the report's
		}
		for _, g := range l.Gates {
			r.Asked = append(r.Asked, report.Asked{Iteration: l.Iteration, GateAnswer: g})
		}
		r.LastError, r.Left = l.LastQmdError, l.Left
	}
	return report.Final(t.Budget, r)
}

// endingField fills in what the final report tells of a line.
func endingField(l *loop.Iteration) func(name string, v gjson.Result) {
	return func(name string, v gjson.Result) {
		switch name {
		case "run_id":
			l.RunID = v.String()
		case "iteration":
			l.Iteration = int(v.Int())
		case "gates":
			l.Gates = nil
			_ = json.Unmarshal([]byte(v.Raw), &l.Gates)
		case "qmd_error":
			l.LastQmdError = v.String()
		case "left":
			l.Left = nil
			_ = json.Unmarshal([]byte(v.Raw), &l.Left)
		}
	}
}

// endAbandoned ends a tick that never reached its Stop: as interrupted where a person left a mark, else as errored.
func (v *visit) endAbandoned(t *thread) (closed, error) {
	previous, err := v.previous(t.skill, t.Budget)
	if err != nil {
		return closed{}, err
	}
	if t.Tick.Interrupted == "" && t.Tick.Failed == "" {
		if v.interruptMark(t) {
			t.Tick.Interrupt(byEsc)
		} else {
			t.Tick.Failed = cutOff
		}
	}
	own := *v
	own.ev.Transcript = t.Tick.Transcript // read and counted from its own session's transcript
	own.missedAnswers(t)
	ending, err := own.ending(t, v.leftBehind(t, previous))
	if err != nil && t.Tick.SessionID != v.ev.SessionID { // nobody reads that session's transcript again
		return closed{}, &hint.Error{Err: fmt.Errorf("count what session %s spent: %w", t.Tick.SessionID, err),
			Way: "try again; `hooks loop reset` in a terminal archives the run as it is"}
	}
	ending.Now = v.lastAlive(t)
	t.Tick.Pending = nil
	return v.close(t, previous, ending)
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

// foreign: the tick's client is dead, or another session's.
func (v *visit) foreign(t *thread) bool {
	return t.Tick.SessionID != v.ev.SessionID || proc.Of(t.Budget.Owner) == loop.Dead
}

// lastAlive is when an abandoned tick ended: now, in its own session; in a dead one the last time its transcript
// tells, so that the hours until someone found it are no minutes of the run (R32).
func (v *visit) lastAlive(t *thread) time.Time {
	if !v.foreign(t) {
		return v.now
	}
	at := usage.LastSign(t.Tick.Transcript).UTC().Truncate(time.Second)
	switch {
	case at.Before(t.Tick.StartedAt):
		return t.Tick.StartedAt
	case at.After(v.now):
		return v.now
	}
	return at
}
