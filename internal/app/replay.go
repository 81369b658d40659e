package app

import (
	"fmt"
	"path/filepath"
	"strings"

	"hooks/internal/config"
	"hooks/internal/event"
	"hooks/internal/guard"
	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/replay"
	"hooks/internal/report"
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
	s := replay.Script{Spaces: cfg.TaskNamespaces}
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
