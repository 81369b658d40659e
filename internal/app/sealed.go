package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/codec"
	"hooks/internal/event"
	"hooks/internal/guard/effect"
	"hooks/internal/hint"
	"hooks/internal/install"
	"hooks/internal/kind"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/seal"
	"hooks/internal/store"
	"hooks/internal/tracker"
)

// sealRecord holds the user's state directory and the session's sealed record.
type sealRecord struct {
	seal.Dir
	// record is the sealed record that the event found, or nil if it is missing or unreadable.
	record *seal.Record
	on     bool // the session has an active loop, or its record cannot be read
}

// findProject finds the event's project. While the session has an active loop, the seal names the
// project, so that the environment and the call's working directory cannot redirect the event.
func (h *handler) findProject() error {
	h.seal.Dir = seal.At(seal.Home(h.Env))
	record, err := h.seal.Active(h.ev.SessionID)
	if err == nil && store.Held(record) != nil && h.typedPrompt(record) {
		// A person typed a prompt after a reset in a terminal. The model cannot type a prompt.
		if err = store.Lift(h.seal.Dir, record); err == nil {
			record, err = h.seal.Active(h.ev.SessionID)
		}
	}
	// The record was left by a killed process, or a person types in a session whose loops have
	// ended and lost their state.
	if err == nil && record != nil && (!record.On() ||
		!record.Runs() && !store.Exists(record.Project) && h.typedPrompt(record)) {
		record.Release()
		err, record = h.seal.Save(record), nil
	}
	h.seal.on, h.seal.record = record != nil || err != nil, record
	if h.project = tracker.Project(h.Env, h.ev.Cwd); record != nil {
		record.Adopt(h.project)
		h.project = record.Project
	}
	return err
}

// openState opens the project's state. While a loop is active, it reports any failure as damage.
func (h *handler) openState() error {
	if h.files != nil {
		return nil
	}
	files, err := store.Open(h.project)
	if errors.Is(err, fs.ErrNotExist) && (h.seal.record.Runs() || h.ev.Name == event.PreToolUse) {
		files, err = store.Create(h.project) // the seal restores its contents
	}
	if err != nil && h.seal.on {
		return &store.ChangedError{
			Skill:   h.sealedSkill(),
			Session: h.ev.SessionID,
			Changes: []string{err.Error()},
		}
	}
	if err != nil {
		return err
	}
	files.Seal(h.seal.Dir, proc.Boot)
	h.files = files
	return nil
}

// sealedSkill returns the skill of the session's first active loop, or else the first skill.
func (h *handler) sealedSkill() loop.Skill {
	for _, skill := range kind.Skills() {
		if l := h.seal.record.Loop(string(skill)); l != nil && l.On {
			return skill
		}
	}
	return kind.Skills()[0]
}

// clientLives reports whether the client of a session's last runs may still be alive.
func (h *handler) clientLives(session string) bool {
	r, _ := h.seal.Find(session)
	return r != nil && slices.ContainsFunc(r.Loops, func(l seal.Loop) bool {
		var b loop.Budget
		err := codec.Decode(gjson.Parse(l.State.Budget), &b)
		return err == nil && b.Owner.PID != 0 && alive(&b)
	})
}

// typedPrompt reports whether a person typed the event's prompt. The prompt must come over the
// client's own socket and must not be a task notification or a scheduled prompt.
func (h *handler) typedPrompt(r *seal.Record) bool {
	prompts := []string{event.UserPromptSubmit, event.UserPromptExpansion}
	if !slices.Contains(prompts, h.ev.Name) || h.ev.InSubagent() || h.ev.Wakeup() != nil ||
		h.sender(true) >= loop.SenderClient {
		return false
	}
	for _, b := range store.HeldBudgets(r) {
		if b.EventsFrom != nil && h.checkEventFrom(*b.EventsFrom) != nil ||
			slices.Contains(b.Scheduled, h.ev.Prompt) {
			return false
		}
	}
	return true
}

// mayEnter returns an error for a request from inside another loop of this project, for example
// from a script that imitates the client or from a client that a tool call started. Each event must
// come over a socket that its run's client created. See "Where events come from" in
// docs/security.md.
func (h *handler) mayEnter(owner loop.Process) error {
	for _, skill := range kind.Skills() {
		record, err := h.files.Other(skill, "")
		b := record.Run
		if err != nil || b == nil {
			continue // the entry itself reports damage
		}
		from, known := h.from(), b.EventsFrom != nil && proc.Of(*b.EventsFrom) == loop.Alive
		if b.EventsFrom != nil && (b.SessionID == h.ev.SessionID || known && from == nil) {
			if err := h.checkEventFrom(*b.EventsFrom); err != nil {
				return err
			}
		}
		other := owner.PID != b.Owner.PID ||
			known && (from == nil || from.PID != b.EventsFrom.PID)
		if other && h.Inside(b.Owner) {
			return hint.New("a person can start the loop in another terminal",
				"this client runs inside the client of the %s loop (process %d), so it cannot "+
					"start a loop", skill, b.Owner.PID)
		}
	}
	return nil
}

// receiptTime bounds how long keepReceipt waits for the state lock, because it delays the answer.
const receiptTime = 200 * time.Millisecond

// keepReceipt saves a new receipt if no other save of this event included it. This is needed only
// once for each session and kind of event. If it fails, the next event tries again.
func (h *handler) keepReceipt() {
	ctx, cancel := context.WithTimeout(context.Background(), receiptTime)
	defer cancel()
	tx, err := h.files.Begin(ctx)
	if err != nil {
		return
	}
	defer tx.End()
	for _, skill := range h.runs.skills {
		s, err := h.files.LoadSealed(h.ev.SessionID, skill) // Load would accept an edited file
		if err == nil && h.receive(s.Budget) {
			_, _ = tx.Commit(&s, loop.Save{Run: s.Budget})
		}
	}
}

// settingsChanged blocks a change to the client's settings that would remove these hooks while a
// loop is active. The client does not show the reason, so settingsChanged stores the first one for
// the next reply that a person sees.
func (h *handler) settingsChanged() event.Reply {
	if !h.seal.on {
		return event.Reply{}
	}
	program, _ := os.Executable()
	s := install.ReadSettings(h.project, "", program, h.Env)
	lost := s.Unhooks(program, h.Env("CLAUDE_PLUGIN_ROOT"), h.Env)
	if lost == "" {
		return event.Reply{}
	}
	if r := h.seal.record; h.openState() == nil && r != nil && r.Rewired == "" {
		h.sideError(h.setRewired(lost))
	}
	return event.Block(rewired(lost))
}

func rewired(lost string) string {
	return hint.Text(hint.New("undo the change, or run `hooks loop stop` first",
		"%s, but this session needs its hooks until the loop ends", lost))
}

// sayRewired moves the stored reason for blocking a settings change to a reply that a person sees.
func (h *handler) sayRewired(reply event.Reply) event.Reply {
	if h.setRewired("") != nil {
		return reply // the reason is kept for the next reply
	}
	return reply.Say(rewired(h.seal.record.Rewired))
}

// setRewired takes the state lock and stores the reason for blocking a settings change in the
// session's record.
func (h *handler) setRewired(lost string) error {
	return h.withStateLock(func() error {
		r, err := h.seal.Find(h.ev.SessionID)
		if err != nil || r == nil {
			return err
		}
		r.Rewired = lost
		return h.seal.Save(r)
	})
}

// Pass uses up the permission for one merge or approval in a sealed loop. It succeeds once, while
// the call that passed the gate for this PR is still running. Brake links call it. session is the
// record's file name. If ok is false, why is the reason, and at is the approved commit or "".
func Pass(home, session string, act effect.Kind, pr int, sha string) (ok bool, why, at string) {
	approves := act == effect.ApprovePR
	if act != effect.MergePR && !approves {
		return false, "in a loop only merges that passed the merge gate are allowed", ""
	}
	dir := seal.At(home)
	record, err := dir.Record(session)
	if err != nil || record == nil {
		return false, "the loop's record cannot be read", ""
	}
	files, err := store.Open(record.Project)
	if err != nil {
		return false, "the loop's files are gone", ""
	}
	defer files.Close()
	files.Seal(dir, proc.Boot)
	why = fmt.Sprintf("the gate of PR #%d has not allowed a merge", pr)
	if approves {
		why = fmt.Sprintf("no approval of PR #%d has passed the gate", pr)
	}
	var states []store.State
	for _, skill := range kind.Skills() {
		st, err := files.LoadSealed(record.Session, skill)
		if err != nil {
			return false, err.Error(), ""
		}
		b := st.Budget
		if !approves && b != nil && b.SessionID == record.Session && b.Status == loop.Active &&
			b.Merges == loop.MergesNever {
			return false, "nothing is merged in this session (--merges never)", ""
		}
		states = append(states, st)
	}
	for _, st := range states {
		if st.Tick == nil || st.Tick.SessionID != record.Session {
			continue
		}
		for _, p := range st.Tick.Passed {
			if p.Approves != approves || !p.Allows(pr, sha) {
				if p.Allows(pr, p.HeadSHA) && p.Approves == approves {
					why, at = "the person approved only commit "+p.HeadSHA, p.HeadSHA
				}
				continue
			}
			call := p.ID
			if approves { // one call may both approve and merge
				call += " approval"
			}
			by := strconv.Itoa(os.Getpid()) + " " + proc.Describe(os.Getpid(), "").Start
			switch first, err := files.UsePass(st.Skill, call, pr, by); {
			case err != nil:
				return false, err.Error(), ""
			case first:
				return true, "", ""
			}
			why, at = fmt.Sprintf("the permission for PR #%d was already used", pr), ""
		}
	}
	return false, why, at
}
