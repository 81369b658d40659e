package loop

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"hooks/internal/guard/effect"
)

// afterTool is the event that reports a tool's result, as named in counted_calls. afterToolWord is
// its name in receipts.
const (
	afterTool     = "PostToolUse"
	afterToolWord = "post-tool-use"
)

// Result is the result of a tool call.
type Result struct {
	Turn
	Event  string // event name, for example "PostToolUse"
	ID     string // tool_use_id
	Input  string // tool_input as the client wrote it
	Failed bool

	Answers *Answers // a person's answers in a dialog
	Sent    bool     // the call started a worker
	Worker  string   // id of the worker if it runs in the background
	Job     *Job     // background work that the call started, or nil
	Qmd     string   // the error if qmd was unreachable
	Effects []Effect // the call's effects on the forge
	Printed []int    // PRs whose addresses the call printed; nil if it only reads
	Looked  []string // the files that the call showed an auditor
}

// Effect is one effect that a call has on the forge.
type Effect struct {
	Kind  effect.Kind
	PR    int // number of the PR or issue; 0 if unknown
	Label string
	// Landed reports whether a merge call's output says that the PR is merged.
	Landed    bool
	Elsewhere bool // in a repository other than the project's
	// Issue reports whether the call comments on an issue. The number may still be a PR's.
	Issue bool
	// Starts reports whether the comment is made by a program that one of the brake's links may
	// start. In a braked iteration the link reports the comment, so this effect does not count.
	Starts bool
}

func (e Result) step(s State, _ *Known) Outcome {
	if !e.open(s) {
		return e.betweenTicks(s)
	}
	news := s.Tick.Ended(e.ID)
	if a := s.Tick.Attempt; len(e.Looked) > 0 && a != nil {
		news = a.Look(e.Looked, false) || news
	}
	if e.Failed {
		news = s.Tick.unreview(e.ID, e.Input) || news
	}
	if e.Answers != nil {
		out := Outcome{Save: Save{Run: s.Run, Tick: s.Tick}}
		out.Reply.Answers = s.answer(e.Now, *e.Answers)
		return out
	}
	started := addJob(&s.Run.Jobs, e.Job)
	waits := s.Tick.Starts.Opened > 0 && len(e.Printed) > 0 || len(s.Tick.Starts.Dropped) > 0
	if !news && !started && !e.Sent && e.Qmd == "" && len(e.Effects) == 0 && !waits {
		return Outcome{}
	}
	s.Tick.RecordEffects(e)
	out := Outcome{Save: Save{Tick: s.Tick}}
	if started {
		out.Save.Run = s.Run
	}
	return out
}

// betweenTicks records background work started after the iteration ended, in one of the run's turns
// or in a turn where an ended run's gate applies.
func (e Result) betweenTicks(s State) Outcome {
	switch {
	case s.Run == nil || e.Job == nil:
	case s.Quiet != nil && !s.Quiet.Free:
		if addJob(&s.Quiet.Jobs, e.Job) {
			return Outcome{Save: Save{Quiet: s.Quiet}}
		}
	case s.Run.Status == Active && slices.Contains(s.Run.LastPrompts, e.Prompt):
		if addJob(&s.Run.Jobs, e.Job) {
			return Outcome{Save: Save{Run: s.Run}}
		}
	}
	return Outcome{}
}

// RecordEffects counts a call's effects, once for each call.
func (t *Tick) RecordEffects(e Result) {
	t.Workers = AppendNew(t.Workers, e.Worker)
	if e.Qmd != "" {
		t.QmdDown, t.QmdError = true, e.Qmd
	}
	if !t.countOnce(e.Event, e.ID, e.Input) {
		return
	}
	for _, f := range e.Effects {
		t.count(f)
	}
	t.endStarts(e)
}

func (t *Tick) count(f Effect) {
	label := fmt.Sprintf("#%d %s", f.PR, f.Label)
	switch f.Kind {
	case effect.Comment, effect.ApprovePR:
		if !f.Starts || !t.Braked {
			t.Comments++
			t.Observed.Comments++
		}
		if !f.Issue || t.knowsPR(f.PR) {
			t.touch(f.PR)
			t.attemptTouches(f)
		}
	case effect.OpenPR:
		t.attemptTouches(f)
		if t.touch(f.PR); f.PR > 0 {
			t.track(PR{Number: f.PR, State: "open"})
		}
	case effect.MergePR:
		if t.touch(f.PR); f.Landed && f.PR > 0 {
			t.merged(f.PR)
		}
	case effect.SetLabel:
		t.Labels = AppendNew(t.Labels, label)
	case effect.DropLabel:
		t.Labels = Without(t.Labels, label)
	}
}

// RecordStart records the effect of a program about to start, as reported by the link that allowed
// it. A start is only an attempt: a PR counts as opened once its address is printed, and a label as
// removed once a call has succeeded. All other effects count at once.
func (t *Tick) RecordStart(f Effect) {
	switch f.Kind {
	case effect.OpenPR:
		t.Starts.Opened++
	case effect.DropLabel:
		t.Starts.Dropped = AppendNew(slices.Clone(t.Starts.Dropped),
			fmt.Sprintf("#%d %s", f.PR, f.Label))
	default:
		t.count(f)
	}
}

// endStarts settles the starts of a finished call. If the call printed a PR address that the
// effects in its text do not explain, one of its programs opened that PR.
func (t *Tick) endStarts(e Result) {
	left := slices.Clone(e.Printed)
	for _, f := range e.Effects {
		left = slices.DeleteFunc(left, func(n int) bool { return n == f.PR })
		if f.Kind == effect.OpenPR {
			t.Starts.Opened = max(0, t.Starts.Opened-1)
		}
	}
	for _, n := range left[max(0, len(left)-t.Starts.Opened):] {
		t.Starts.Opened--
		t.count(Effect{Kind: effect.OpenPR, PR: n})
	}
	if e.Failed {
		t.Starts.Opened = 0
	} else {
		for _, label := range t.Starts.Dropped {
			t.Labels = Without(t.Labels, label)
		}
	}
	t.Starts.Dropped = nil
}

// opened settles attempts to open a PR whose address no call printed. It counts the new PRs among
// numbers, which the tracker lists (R30).
func (t *Tick) opened(numbers []int) {
	for _, n := range numbers {
		if t.Starts.Opened > 0 && !t.knowsPR(n) {
			t.Starts.Opened--
			t.count(Effect{Kind: effect.OpenPR, PR: n})
		}
	}
	t.Starts.Opened = 0
}

// touch records that a successful call touched a PR. It ignores 0.
func (t *Tick) touch(pr int) {
	if pr > 0 {
		t.Observed.PRs = AppendNew(t.Observed.PRs, pr)
		t.PRs = AppendNew(t.PRs, prName(pr))
	}
}

// attemptTouches records the attempt's PR: the last PR it opened, or else the first PR it commented
// on or approved. PRs in other repositories do not count.
func (t *Tick) attemptTouches(f Effect) {
	a, opens := t.Attempt, f.Kind == effect.OpenPR
	if a != nil && !f.Elsewhere && f.PR > 0 && (opens || a.PR == 0) {
		a.PR = f.PR
	}
}

// knowsPR reports whether the iteration knows n as the number of a PR.
func (t *Tick) knowsPR(n int) bool {
	return slices.Contains(t.PRs, prName(n)) || t.PR(n) != nil ||
		slices.ContainsFunc(t.KnownPRs(), func(p PR) bool { return p.Number == n })
}

// Missed reports whether a call in the transcript has a result that no event in this tick reported.
// It returns false if maxCounted calls have been counted, because it cannot tell then.
func (t *Tick) Missed(id string, at time.Time) bool {
	counted := func(key string) bool { return strings.Contains(key, " "+id+" ") }
	return id != "" && len(t.Counted) < maxCounted && !slices.ContainsFunc(t.Counted, counted) &&
		(at.IsZero() || !at.Before(t.StartedAt))
}

// catchUp adopts effects of calls and a person's answers from the transcript if no event reported
// them, because PostToolUse was killed or is not registered. It reports whether there were any.
func (s State) catchUp(now time.Time, k *Known) (news bool) {
	t := s.Tick
	reported := t.Comments // the skill's number may include the missed comments
	for _, c := range k.Calls.or() {
		if t.Missed(c.ID, c.Now) {
			t.RecordEffects(c)
			news = true
		}
	}
	if news {
		t.Comments = max(reported, t.Observed.Comments)
	}
	for _, a := range k.Dialogs.or() {
		shown := func(d Dialog) bool { return d.ID == a.ID && !d.Done }
		news = slices.ContainsFunc(t.Dialogs, shown) && s.answer(now, a) != nil || news
	}
	return news
}

// answer records the answers from one dialog verbatim. It ignores answers that the call itself
// contained, and dialogs that timed out while the person was away. Answers to the skill's own
// questions are recorded under the name "question" (R120).
func (s State) answer(now time.Time, a Answers) *Answered {
	t := s.Tick
	i := t.shown(a.ID)
	if a.AFK || i >= 0 && (t.Dialogs[i].Forged || t.Dialogs[i].Done) {
		return nil
	}
	var dialog Dialog // an unknown dialog has not shown a gate's question
	if i >= 0 {
		t.Dialogs[i].Done = true
		dialog = t.Dialogs[i]
	} else if !t.countOnce(afterTool, a.ID, a.Input) {
		return nil
	}
	if len(a.List) == 0 {
		return nil
	}
	out := &Answered{}
	for _, given := range a.List {
		out.List = append(out.List, s.answerOne(now, dialog, given))
	}
	out.Begun = StartBody(s.Run, t)
	return out
}

func (s State) answerOne(now time.Time, dialog Dialog, given DialogAnswer) Acted {
	answer := GateAnswer{Name: "question", Question: given.Question, Answer: given.Text, At: now,
		Origin: OriginDialog}
	i := slices.IndexFunc(s.Tick.Pending, func(g Gate) bool { return g.Question == given.Question })
	if i < 0 || !dialog.shows(given.Question) {
		s.Tick.Answered = append(s.Tick.Answered, answer)
		return Acted{Text: given.Text}
	}
	g := s.Tick.Pending[i]
	answer.Name, answer.Target = g.Name, g.Target
	// the Ask command's recorded answer proves the origin; the call's input would not
	if dialog.Brought[given.Question] == given.Text {
		answer.Origin = OriginAsk
	}
	return Acted{Gate: g, Text: given.Text, As: Answer(s.Run, s.Tick, i, answer)}
}

// CatchUp adopts facts from the transcript that no event reported, before a call that depends on
// them.
type CatchUp struct {
	Turn
	Counts bool // the call opens a PR, so the number of PRs opened so far must be known
}

func (e CatchUp) step(s State, k *Known) Outcome {
	if !e.open(s) {
		return Outcome{}
	}
	k.wantIf(s.Tick.Unheard(s.Run), &k.Dialogs)
	k.wantIf(e.Counts, &k.Calls)
	k.Require()
	if !s.catchUp(e.Now, k) {
		return Outcome{}
	}
	return Outcome{Save: Save{Run: s.Run, Tick: s.Tick}}
}
