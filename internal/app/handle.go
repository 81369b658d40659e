package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"hooks/internal/brake"
	"hooks/internal/drive"
	"hooks/internal/event"
	"hooks/internal/hint"
	"hooks/internal/kind"
	"hooks/internal/loop"
	"hooks/internal/seal"
	"hooks/internal/store"
	"hooks/internal/term"
	"hooks/internal/tracker"
)

// Handle answers one hook call. It recovers from panics and then returns the safe answer.
func (a *App) Handle(word string, stdin io.Reader) (answer Answer) {
	began := time.Now()
	var h *handler
	defer func() {
		switch p := recover(); {
		case p != nil && h == nil:
			answer = a.unreadable(word, fmt.Errorf("internal error: %v", p))
		case p != nil:
			answer = h.failed(fmt.Errorf("internal error: %v", p))
		}
	}()
	ev, err := event.Read(word, stdin)
	if err != nil {
		return a.unreadable(word, err)
	}
	ctx, cancel := context.WithDeadline(context.Background(), began.Add(ev.Word.Time))
	defer cancel()
	h = &handler{App: a, ctx: ctx, ev: ev, now: a.Now(), began: began}
	reply, err := h.answer()
	if err != nil {
		answer = h.failed(err)
		answer.Reply = answer.Reply.Say(strings.Join(h.files.Healed(), "\n"))
		return answer
	}
	switch r := h.seal.record; h.ev.Name {
	case event.Stop, event.UserPromptSubmit, event.UserPromptExpansion: // a person sees the reply
		if h.files != nil && r != nil && r.Rewired != "" {
			reply = h.sayRewired(reply)
		}
	}
	if h.runs.news {
		h.keepReceipt()
	}
	h.out.Reply = reply.Say(strings.Join(h.files.Healed(), "\n"))
	if h.out.person != nil {
		notify, bell := h.out.person.Later()
		if notify != nil {
			h.out.Notify = append(h.out.Notify, notify)
		}
		h.out.Reply.Ring = bell
	}
	return h.out.Answer
}

// answer finds the project and answers the event. Without a loop, only an entry creates state.
func (h *handler) answer() (reply event.Reply, err error) {
	if h.ev.Name == event.SessionStart { // even without a loop, because no later event can arm it
		_ = brake.Arm(h.Env, h.ev.SessionID) // a loop checks the result when it begins
	}
	err = h.findProject()
	switch {
	case h.ev.Name == event.ConfigChange:
		return h.settingsChanged(), err
	case err != nil:
		return event.Reply{}, err
	}
	name, args, note := "", "", ""
	switch h.ev.Name {
	case event.UserPromptExpansion, event.UserPromptSubmit, event.PreToolUse:
		name, args = h.invoked()
	}
	if name == "loop" {
		if note, err = h.loopLine(args); err != nil {
			return event.Block(hint.Text(err)), nil
		}
	}
	if name != "" && h.ev.Name != event.UserPromptSubmit {
		if cmd, _, looping := h.invocation(name, args); looping {
			reply, err = h.enter(cmd)
			if h.ev.Name == event.PreToolUse && reply.Blocks() {
				h.recordEntry(reply)
			}
			return reply, err
		}
	}
	if h.ev.Name == event.PreToolUse && h.ev.Dispatches() && !h.ev.InSubagent() {
		if cmd, ok := h.fed(); ok {
			return h.feed(cmd)
		}
	}
	reply, err = h.inState()
	return reply.Say(note), err
}

// inState answers the event from the project's state, if there is any.
func (h *handler) inState() (reply event.Reply, err error) {
	if !h.seal.on && !store.Exists(h.project) {
		return reply, nil
	}
	if err = h.openState(); err != nil {
		if h.seal.record != nil && !h.seal.record.Runs() && h.ev.Name != event.PreToolUse {
			err = nil // a person removed the files of an ended loop
		}
		return reply, err
	}
	if h.seal.on && h.files.HasNotes() {
		if err = h.takeNotes(); err != nil {
			return reply, err
		}
	}
	switch h.ev.Name {
	case event.Stop:
		return h.stop()
	case event.PreToolUse:
		return h.preToolUse()
	case event.PostToolUse, event.PostToolUseFailure:
		return h.postToolUse()
	case event.UserPromptSubmit, event.UserPromptExpansion:
		return h.step(h.prompted())
	case event.SubagentStop:
		return h.workerEnded()
	case event.StopFailure:
		return h.turnFailed()
	case event.PermissionRequest:
		return h.inDialog()
	case event.SessionEnd:
		return h.step(loop.SessionEnd{Turn: h.turn(), Reason: h.ev.Reason})
	case event.SessionStart:
		begins := h.ev.Source == "startup" || h.ev.Source == "resume"
		return h.step(loop.ClientStart{Turn: h.turn(), Begins: begins, From: h.from()})
	}
	return reply, nil
}

// stayShut begins the message for a Stop if the loop's state cannot be trusted.
const stayShut = "hooks lets this turn end; merges, dispatch and schedules stay blocked\n"

// stop handles a Stop: it ends the session's open iterations or keeps the turn open (R117, design
// §1).
func (h *handler) stop() (event.Reply, error) {
	e := loop.TurnEnd{
		Turn: h.turn(), First: h.ev.StopActive != nil && !*h.ev.StopActive, Began: h.began,
		Working: h.ev.Workers(), DontAsk: h.ev.PermissionMode == "dontAsk",
	}
	for _, c := range h.ev.Crons {
		e.Schedule = append(e.Schedule, loop.Scheduled{
			Prompt: c.Prompt, Next: c.Next(h.now.Local()).UTC(), End: c.Ending(),
		})
	}
	reply, err := h.stepEach(func(*store.State) loop.Event { return e })
	if err != nil || len(h.runs.list) == 0 {
		return reply, err
	}
	if changed, ok := errors.AsType[*store.ChangedError](h.runs.damage); ok {
		reply = reply.Say(stayShut + hint.Text(store.Hinted(changed)))
	}
	return reply, err
}

// prompted builds the PromptSubmit event. Such an event can also show that the previous turn ended
// without a Stop, or that a person typed `/loop stop`.
func (h *handler) prompted() loop.PromptSubmit {
	e := loop.PromptSubmit{
		Turn: h.turn(), Text: h.ev.Prompt, Stops: h.ev.StopsLoop(),
		Expands: h.ev.Name == event.UserPromptSubmit, Wakes: h.ev.Wakeup(),
	}
	var names []loop.Names
	runs, _ := h.sessionRuns() // the step returns the same error
	for _, t := range runs {
		if t.Budget != nil {
			names = append(names, t.Budget.Names())
		}
	}
	if c, tick := loop.ParsePrompt(h.ev.Prompt, names...); tick {
		e.Invokes = c.Skill
	}
	return e
}

// turnFailed records that an API error ended the turn. No Stop follows. A worker's error does not
// end the turn.
func (h *handler) turnFailed() (event.Reply, error) {
	if h.ev.InSubagent() {
		return h.step(loop.WorkerEnd{Turn: h.turn(), Agent: h.ev.AgentID,
			Failure: h.ev.Failure, Reset: drive.ResetIn(h.ev.LastMessage, h.now.Local())})
	}
	return h.step(loop.TurnFailure{Turn: h.turn(), Failure: h.ev.Failure})
}

// workerEnded records the end of a worker. The client's own compaction agents have no type and do
// not count.
func (h *handler) workerEnded() (event.Reply, error) {
	if h.ev.AgentType == "" {
		_, err := h.sessionRuns()
		return event.Reply{}, err
	}
	return h.step(loop.WorkerEnd{Turn: h.turn(), Agent: h.ev.AgentID})
}

// failed returns the answer if the program itself fails. It allows a Stop and gives the reason. It
// refuses an entry. It also refuses a tool call that merges, dispatches, schedules, touches the
// state or cannot be read, because a loop may be active. Other events get no decision.
func (h *handler) failed(err error) Answer {
	a := Answer{After: h.out.After, Err: err}
	text := hint.Text(store.Hinted(err))
	_, _, entering := h.invocation(h.invoked())
	_, isChanged := errors.AsType[*store.ChangedError](err)
	_, isNewer := errors.AsType[*store.NewerError](err) // the state may belong to this session
	switch {
	case entering:
		a.Reply = event.Block(text)
	case h.ev.Name == event.Stop && errors.Is(err, store.ErrClosed):
		a.Reply = event.Reply{}.Say("hooks lets this turn end; its iteration is closed in the " +
			"history, and the next event continues from there\n" + text)
	case h.ev.Name == event.Stop && h.out.Reply.Blocks(): // another loop keeps the turn open
		a.Reply = event.Reply{}.Say(text)
	case h.ev.Name == event.Stop && !isNewer && h.bystander():
	case h.ev.Name == event.Stop && isChanged:
		a.Reply = event.Reply{}.Say(stayShut + text)
	case h.ev.Name == event.Stop:
		a.Reply = event.Reply{}.Say("hooks lets this turn end without having closed its " +
			"iteration\n" + text)
	case h.ev.Name == event.PreToolUse && h.mustStayShut(err):
		a.Reply = h.heldBack(err)
	}
	a.Reply = h.out.Reply.And(a.Reply)
	return a
}

// bystander reports whether this session has no loop in its seal or in any readable state file.
func (h *handler) bystander() bool {
	own := func(skill loop.Skill) bool {
		s, _ := h.files.Load(skill)
		return s.Budget != nil && s.Budget.SessionID == h.ev.SessionID ||
			s.Tick != nil && s.Tick.SessionID == h.ev.SessionID ||
			s.Lock != nil && s.Lock.SessionID == h.ev.SessionID
	}
	return !h.seal.on && h.files != nil && !slices.ContainsFunc(kind.Skills(), own)
}

// heldBack denies a call because the state of a loop cannot be trusted.
func (h *handler) heldBack(err error) event.Reply {
	return event.Deny(h.ev.Tool + " is held back while the loop's state cannot be trusted\n" +
		inTwoLines(store.Hinted(err)))
}

// inTwoLines formats an error on one line and its hint on the next.
func inTwoLines(err error) string {
	return hint.Text(hint.New(hint.Of(err), "%s", term.Line(err.Error())))
}

// mustStayShut reports whether to refuse the call while the state cannot be trusted. If the state
// was changed, the brake may be missing too, so a call that cannot be fully read is also refused.
func (h *handler) mustStayShut(err error) bool {
	if _, schedule := h.ev.Schedules(); schedule && !h.ev.EndsSchedule() {
		return true
	}
	if h.ev.Dispatches() {
		return true
	}
	call := h.call()
	r := call.Read()
	_, changed := errors.AsType[*store.ChangedError](err)
	unread := r.Unparsable != "" || changed && (r.Bound != "" || len(r.Opaque) > 0)
	return len(r.Merges()) > 0 || len(call.Tampers(r)) > 0 || unread
}

// unreadable answers a payload that cannot be read. It denies a tool call while a loop is or may be
// active, so that malformed input cannot bypass the guard. Otherwise it decides nothing.
func (a *App) unreadable(word string, err error) Answer {
	answer := Answer{Err: err}
	_, other := errors.AsType[*event.OtherEventError](err)
	if event.NameOf(word) != event.PreToolUse || other {
		return answer
	}
	project := tracker.Project(a.Env, a.cwd())
	record, serr := seal.At(seal.Home(a.Env)).Active(a.Env("CLAUDE_CODE_SESSION_ID"))
	if record == nil && serr == nil && (!store.Exists(project) || !anyActive(project)) {
		return answer
	}
	answer.Reply = event.Deny("A call that cannot be read is blocked while a loop is active\n" +
		inTwoLines(err))
	return answer
}

func anyActive(project string) bool {
	files, err := store.Open(project)
	if err != nil {
		return true
	}
	for _, skill := range kind.Skills() {
		s, err := files.Load(skill)
		if err != nil || s.Budget != nil && s.Budget.Status == loop.Active {
			return true
		}
	}
	return false
}
