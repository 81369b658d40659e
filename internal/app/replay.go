package app

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"hooks/internal/config"
	"hooks/internal/event"
	"hooks/internal/guard"
	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/replay"
	"hooks/internal/report"
	"hooks/internal/store"
	"hooks/internal/tracker"
	"hooks/internal/usage"
)

// Replay returns what the rules would have made of a past session, named by its id, the beginning
// of one, or the path of its transcript. Ceilings are the loop's own flags with their values, as
// in "--max-dollars=5"; those not named are the session's own. Money is counted at the current
// project's rates. Nothing is run or written, and of a call only what the transcript has is
// known.
func (a *App) Replay(session string, ceilings []string) (report.Replay, error) {
	limits, err := tried(ceilings)
	if err != nil {
		return report.Replay{}, err
	}
	path, err := usage.Find(a.clientDir(), session)
	if err != nil {
		return report.Replay{}, err
	}
	script, notes, err := a.script(path)
	if err != nil {
		return report.Replay{}, err
	}
	id := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	w := &rerun{App: a, session: replay.New(id, limits, !script.Loops()), id: id}
	for _, step := range script.Steps {
		if w.session.Step(step) {
			w.call(step)
		}
		w.session.Spend(step.Spent)
	}
	r := w.session.Result(script)
	r.Transcript, r.Notes = path, append(r.Notes, notes...)
	return r, nil
}

// tried reads the ceilings by the loop's own parser, so that they mean here what they mean there.
func tried(ceilings []string) (l replay.Limits, err error) {
	flags, _, err := loop.ParseFlags(loop.Work,
		strings.Join(append([]string{"--loop"}, ceilings...), " "))
	l.Ceilings = flags.Ceilings
	for _, c := range ceilings {
		name, _, _ := strings.Cut(c, "=")
		l.Named = append(l.Named, name)
	}
	if err != nil {
		err = hint.New("a ceiling is a whole number from 1; of dollars an amount, 0 for none", "%w",
			err)
	}
	return l, err
}

// script reads the steps of a session that matter to the rules, and what was spent between them.
func (a *App) script(path string) (*replay.Script, []string, error) {
	cfg := config.Load(tracker.Project(a.Env, a.cwd()))
	s := replay.Script{
		Names: []loop.Names{cfg.Names(), config.User(a.clientDir()).Names()}}
	var notes []string
	h := &handler{App: a}
	for m, err := range usage.Moments(path) {
		if err != nil {
			notes = append(notes, err.Error())
			continue
		}
		shell := m.Tool == "Bash" || m.Tool == "PowerShell" || m.Tool == "Monitor"
		s.Add(m, m.Kind == usage.Called && h.matters(m), shell)
	}
	s.Sort()
	table := usage.NewTable(cfg.Rates)
	r, err := usage.Timeline(path, table, s.Spend)
	if err != nil && len(s.Steps) == 0 {
		return nil, nil, err
	}
	if len(s.Steps) == 0 {
		return nil, nil, hint.New("a transcript is a session's own .jsonl file, below projects "+
			"in the client's folder", "%s holds no session", path)
	}
	for _, m := range r.Unknown {
		notes = append(notes, fmt.Sprintf("Unknown model %s: priced like the nearest known one", m))
	}
	if r.Skipped > 0 {
		notes = append(notes, loop.Plural(r.Skipped, "line")+" could not be read")
	}
	if s.Left > 0 {
		notes = append(notes, loop.Plural(s.Left, "call")+" beyond the most that are held: "+
			"the money is counted, nothing is judged")
	}
	return &s, notes, nil
}

// matters reports whether the rules could care about a call.
func (h *handler) matters(m usage.Moment) bool {
	h.ev, h.replayRepo = called(m, ""), &guard.Repo{Branch: m.Branch}
	if _, schedules := h.ev.Schedules(); schedules || m.Tool == "Skill" || h.ev.Asks() ||
		h.ev.Dispatches() {
		return true
	}
	r := h.read()
	return len(r.Acts) > 0 || unreadable(r) != ""
}

// nothing stands for the files of a replayed call, which are no longer what they were.
type nothing struct{}

// ReadFile is part of guard.Files.
func (nothing) ReadFile(string) (string, bool) { return "", false }

// called is a call as the client would have reported it before it ran.
func called(m usage.Moment, session string) event.Event {
	return event.Event{
		Name: event.PreToolUse, SessionID: session, Cwd: m.Cwd, AgentID: m.Agent, Tool: m.Tool,
		ToolUseID: m.ID, Input: m.Input,
	}
}

// rerun takes the calls of a past session through the rules.
type rerun struct {
	*App
	session *replay.Session
	id      string
}

// call judges a past tool call, and counts its effects unless it is refused.
func (w *rerun) call(st *replay.Step) {
	h := &handler{App: w.App, now: st.At.UTC(), ev: called(st.Moment, w.id),
		replayRepo: &guard.Repo{Branch: st.Branch}}
	h.ev.PromptID = w.session.PromptID()
	if h.ev.Asks() {
		w.dialog(st)
		return
	}
	if seen := w.session.Seen(); seen != nil {
		if h.ev.Dispatches() {
			seen.RecordWorker(h.toolCall())
		}
		h.brings(seen, st)
	}
	refused := false
	h.runs = w.addressed(h)
	for _, t := range h.runs {
		refused = w.refused(h, t) || refused
	}
	for _, t := range h.runs {
		if h.open(t) && !refused {
			h.brings(t.Tick, st)
		}
	}
}

// addressed are the runs that a call is judged by. A question that holds the call back is settled
// first.
func (w *rerun) addressed(h *handler) []*loopState {
	var list []*loopState
	for _, t := range w.session.Threads() {
		if t.Tick != nil && !h.ev.InSubagent() && len(t.Tick.Held()) > 0 {
			w.session.Settle(t, h.now)
		}
		list = append(list, &loopState{store.State{Skill: t.Skill, Budget: t.Run, Tick: t.Tick}})
	}
	return h.addressed(list)
}

// brings counts into a tick what a call brought.
func (h *handler) brings(t *loop.Tick, st *replay.Step) {
	if st.Result == nil {
		return
	}
	after := *h
	after.ev.Name, after.ev.Response = event.PostToolUse, st.Result.Response
	after.ev.Error = st.Result.Error
	if after.ev.Error != "" {
		after.ev.Name = event.PostToolUseFailure
	}
	t.RecordEffects(after.result())
}

// dialog takes over a person's answers to the very questions that the rules ask.
func (w *rerun) dialog(st *replay.Step) {
	asked := event.Event{Name: event.PreToolUse, Tool: st.Tool, Input: st.Input}
	if st.Result == nil || asked.Answers().Forged {
		return
	}
	given := event.ParseAnswers(st.Result.Response)
	for _, a := range given.List {
		if a.Unanswered == "" && !given.AFK {
			w.session.Answered(a.Question, a.Text, st.Result.At)
		}
	}
}

// refused reports whether a run's rules refuse a call, and records why. Where a person is asked
// about the call, the question is recorded instead.
func (w *rerun) refused(h *handler, t *loopState) bool {
	reply := w.judge(h, t)
	if !reply.Blocks() {
		return false
	}
	r := h.read()
	asked := func(a guard.Act) bool { return t.Tick != nil && t.Tick.AsksMerge(a.PR) }
	if !slices.ContainsFunc(r.Merges(), asked) && (t.Tick == nil || len(t.Tick.Held()) == 0) {
		reason, _, _ := strings.Cut(reply.Reason(), "\n")
		w.session.Deny(report.Denial{
			Tool:   h.ev.Tool,
			Call:   h.inWords(r),
			Rule:   cmp.Or(reply.Rule(), loop.OtherRule),
			Reason: reason,
			Agent:  h.ev.AgentID,
			At:     h.now,
		})
	}
	return true
}

// judge steps a run by a call, with what the transcript has of it. Money that an open iteration has
// spent is not looked at before the iteration ends.
func (w *rerun) judge(h *handler, t *loopState) event.Reply {
	known := loop.Known{
		Bare:  true,
		Count: loop.Fetched(loop.Count{Spent: w.session.Spent(), Clock: loop.Clock{Wall: h.now}}),
		Running: loop.Fetched(loop.RunningNow{
			Running: loop.Running{From: t.Budget.DollarsEstimate},
		}),
	}
	reading := loop.Reading{Beside: h.openInOther(t)}
	if call := h.toolCall(); call.Sends == nil && call.Schedules == nil {
		reading = h.reading(t)
	}
	var merging []loop.Looked
	for i := range reading.Acts { // no one can be asked any more: a person decides
		a := &reading.Acts[i]
		a.SHA, a.Alone = "", true
		pr := loop.PR{Number: a.PR, HeadSHA: "unknown", HumanFeedback: new(true)}
		merging = append(merging, loop.Looked{PR: pr})
	}
	known.Reading, known.Merging = loop.Fetched(reading), loop.Fetched(merging)
	o := loop.Step(t.values(), known, h.toolCall())
	if o.Save.Tick != nil {
		t.Tick = o.Save.Tick
		w.session.SetTick(t.Skill, t.Tick)
	}
	return h.words(t, o.Reply)
}

// inWords is a call as a person would name it.
func (h *handler) inWords(r guard.Reading) string {
	command, shell := h.ev.ShellCommand()
	switch {
	case len(r.Acts) > 0:
		return r.Acts[0].Command
	case shell:
		return command
	}
	return strings.TrimSpace(h.ev.Tool + " " + h.ev.Text("description"))
}
