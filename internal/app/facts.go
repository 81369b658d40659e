package app

import (
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/config"
	"hooks/internal/event"
	"hooks/internal/hint"
	"hooks/internal/kind"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/report"
	"hooks/internal/safefile"
	"hooks/internal/store"
	"hooks/internal/term"
	"hooks/internal/toolcall"
	"hooks/internal/usage"
)

// senderTime bounds how long after its event the lines of a prompt may reach the transcript.
const senderTime = 250 * time.Millisecond

// sender returns the sender of the prompt. The client may write its lines shortly after the event;
// if patient is true, sender waits for them. A program that drives the client through its SDK
// queues prompts as a person's.
func (h *handler) sender(patient bool) loop.Sender {
	for {
		by := usage.Sender(h.ev.Transcript, h.ev.Prompt)
		switch {
		case by == loop.SenderClient &&
			strings.HasPrefix(h.Env("CLAUDE_CODE_ENTRYPOINT"), "sdk-"):
			return loop.SenderQueue
		case by != loop.SenderPerson || !patient || time.Since(h.began) > senderTime:
			return by
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// owner returns whether this session owns the open iteration and whether its client is alive.
func (h *handler) owner(t *store.State) (o loop.Owner) {
	dead := proc.Of(t.Budget.Owner) == loop.Dead
	o.Gone = t.Budget.OwnerLeft || dead
	session, path := t.Budget.SessionID, t.Budget.Transcript()
	if t.Tick != nil {
		session, path = t.Tick.SessionID, t.Tick.Transcript
	}
	if o.Foreign = dead || session != h.ev.SessionID; o.Foreign {
		o.LastSign = usage.LastSign(path).UTC().Truncate(time.Second)
	}
	return o
}

// spent counts the spending since the last count, and fetches other facts that the count shows.
// The caller holds the state lock, so that no token is counted twice. If counting fails in the
// run's own session, its next iteration counts the rest. For another session's transcript spent
// returns the error, because that transcript is not read again.
func (h *handler) spent(t *store.State, e loop.Event, k *loop.Known) (loop.Count, error) {
	path := h.transcript(t, e)
	table := usage.NewTable(h.config(t).Rates)
	counted, err := usage.Count(path, h.counted(t, path), table)
	session := t.Budget.SessionID
	if _, ends := e.(loop.SessionEnd); ends {
		session = h.ev.SessionID
	} else if t.Tick != nil {
		session = t.Tick.SessionID
	}
	if err != nil && session != h.ev.SessionID {
		return loop.Count{}, hint.New("try again; `hooks loop reset` in a terminal archives the "+
			"run as it is", "count what session %s spent: %w", session, err)
	}
	spent := counted.Spent
	if spent.Past(t.Budget) {
		spent.By = counted.Spenders(path)
	}
	k.Calls = loop.Fetched([]loop.Result(nil))
	if len(counted.Calls) > 0 {
		*k.Calls.Is = h.missedCalls(t, counted.Calls)
	}
	count := loop.Count{Spent: spent, Notes: counted.Notes, Clock: h.Clock()}
	count.Clock.Wall = h.now
	if _, call := e.(loop.Call); call { // a call does not end an iteration
		if k.Model.Is == nil {
			k.Model = loop.Fetched(loop.Model{})
		}
	} else {
		if t.Budget.Seq == 0 {
			count.Notes = append(count.Notes, h.onceNotes()...)
		}
		k.Model = loop.Fetched(h.model(t, spent.Cursors))
		count.Reconfigured = t.Budget.Config != "" && !h.config(t).Same(h.config(nil))
	}
	return count, nil
}

// model compares the main thread's latest model with the dearest model of the run.
func (h *handler) model(t *store.State, cursors []loop.Cursor) loop.Model {
	m := loop.Model{Name: usage.MainModel(cursors), Than: t.Budget.Model}
	if m.Name != m.Than && m.Name != "" && m.Than != "" {
		m.Tenths = usage.NewTable(h.config(t).Rates).Dearer(m.Name, m.Than)
	}
	return m
}

// missedCalls returns the results of the iteration's forge calls that no event reported because
// PostToolUse was killed or is not registered. It returns nil while both loops of a session are
// open, because the calls cannot be told apart.
func (h *handler) missedCalls(t *store.State, calls []usage.Moment) (list []loop.Result) {
	missed := func(c usage.Moment) bool { return t.Tick != nil && t.Tick.Missed(c.ID, c.At) }
	if !slices.ContainsFunc(calls, missed) || h.openBeside(t) {
		return nil
	}
	for _, c := range calls {
		if !missed(c) {
			continue
		}
		call := toolcall.Call{Env: h.Env, Project: h.project, View: h.call().View}
		call.Event = event.Event{
			Name: event.PostToolUse, SessionID: t.Tick.SessionID, Transcript: h.ev.Transcript,
			Cwd: c.Cwd, Tool: c.Tool, ToolUseID: c.ID, Input: c.Input,
			Response: c.Response, Error: c.Error,
		}
		if c.Error != "" {
			call.Event.Name = event.PostToolUseFailure
		}
		turn := h.turn()
		turn.Now, turn.Session, turn.Prompt = c.At, t.Tick.SessionID, ""
		list = append(list, call.Result(turn, h.firstRules()))
	}
	return list
}

// openBeside reports whether another loop has an open iteration in the same session.
func (h *handler) openBeside(t *store.State) bool {
	return slices.ContainsFunc(kind.Skills(), func(skill loop.Skill) bool {
		other, err := h.files.OpenTick(skill)
		return skill != t.Skill && err == nil && other != nil &&
			other.SessionID == t.Tick.SessionID
	})
}

// runNow returns the current state of the run, including its open iteration, for display.
func (h *handler) runNow(t *store.State) *loop.Budget {
	counted := func(path string) []loop.Cursor { return h.counted(t, path) }
	table := usage.NewTable(h.config(t).Rates)
	return usage.Now(t.Budget, t.Tick, true, counted, table, h.now).Run
}

// counted returns the cursors up to which the transcript is counted.
func (h *handler) counted(t *store.State, transcript string) []loop.Cursor {
	fresh := usage.Uncounted(transcript, t.Budget.Cursors)
	cursors, err := h.files.Counted(t.Budget, transcript, fresh)
	h.sideError(err)
	return cursors
}

// onceNotes returns the notes of a run's first iteration: warnings about the configuration and
// outdated rates.
func (h *handler) onceNotes() []string {
	cfg := h.config(nil)
	notes := report.ConfigNotes(cfg.Warnings)
	if days := usage.AgeDays(h.now); days > usage.StaleDays {
		notes = append(notes, report.StaleRates(usage.Dated, days))
	}
	return notes
}

// transcript returns the transcript of a loop's iteration: the event's own at its Stop, otherwise
// the recorded one. A run that ends between iterations is counted from its recorded transcript,
// because after /clear a person ends it from another session.
func (h *handler) transcript(t *store.State, e loop.Event) string {
	own := false
	switch e.(type) {
	case loop.TurnEnd:
		own = !h.turn().Foreign(t.Values()) || t.Tick.Draining
	case loop.SessionEnd:
		own = !h.open(t)
	case loop.Call, loop.CatchUp, loop.Opens:
		own = true
	}
	switch {
	case h.ev.Transcript != "" && own:
		return h.ev.Transcript
	case t.Tick != nil:
		return t.Tick.Transcript
	}
	return t.Budget.Transcript()
}

// interruptMark reports whether the client's interrupt mark follows the counted text in a turn of
// this iteration. Other turns are ignored, because a person may interrupt their own turn between
// two iterations. A forked iteration has its mark only in the fork's transcript. If the turn
// reached its Stop, a worker's mark means that the worker was ended.
func (h *handler) interruptMark(t *store.State, forked bool) bool {
	path := t.Tick.Transcript
	r, err := usage.Main(path, t.Budget.Cursors)
	if forked {
		r, err = usage.Count(path, h.counted(t, path), usage.NewTable(nil))
	}
	return err == nil && r.Marked(t.Tick.Prompts, forked)
}

// pastDialogs returns the answered dialogs of the transcript.
func (h *handler) pastDialogs(t *store.State, e loop.Event) (list []loop.Answers) {
	r, err := usage.Main(h.transcript(t, e), t.Budget.Cursors)
	if err != nil {
		return nil
	}
	for _, a := range r.Answers {
		given := event.ParseAnswers(a.Response)
		list = append(list, answersOf(t.Tick.Pending, a.ID, h.ev.Input.Raw, given))
	}
	return list
}

// answersOf converts a dialog's answers. It omits unanswered questions and restores each question
// to its gate's text, because a terminal may show other characters.
func answersOf(gates []loop.Gate, id, input string, given event.Answers) loop.Answers {
	a := loop.Answers{ID: id, Input: input, AFK: given.AFK}
	for _, one := range given.List {
		if one.Unanswered == "" {
			own := slices.IndexFunc(gates, func(g loop.Gate) bool {
				return g.Question == one.Question || term.Text(g.Question) == one.Question
			})
			if own >= 0 {
				one.Question = gates[own].Question
			}
			a.List = append(a.List, loop.DialogAnswer{Question: one.Question, Text: one.Text})
		}
	}
	return a
}

// dialogDenied reports whether the client's settings deny the dialog tool.
func (h *handler) dialogDenied() bool {
	return slices.ContainsFunc(h.call().SettingsFiles(), func(path string) bool {
		text, ok := safefile.Read(path, config.MaxFile)
		if !ok {
			return false
		}
		denied := false
		gjson.Get(text, "permissions.deny").ForEach(func(_, rule gjson.Result) bool {
			whole := []string{"AskUserQuestion", "AskUserQuestion(*)", "*"}
			denied = denied || slices.Contains(whole, rule.String())
			return !denied
		})
		return denied
	})
}
