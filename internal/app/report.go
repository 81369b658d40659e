package app

import (
	"errors"
	"fmt"
	"io"

	"hooks/internal/guard/effect"
	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/seal"
	"hooks/internal/store"
	"hooks/internal/toolcall"
)

// Report merges a skill's facts into the open iteration of the caller's session and describes what
// they changed. Invalid input changes nothing.
func (a *App) Report(stdin io.Reader) (string, error) {
	raw, err := io.ReadAll(io.LimitReader(stdin, report.MaxFacts+1))
	if err != nil {
		return "", fmt.Errorf("read stdin: %w", err)
	}
	facts, err := report.Facts(raw)
	if err != nil {
		return "", err
	}
	h, err := a.openForPerson()
	if err != nil {
		return "", err
	}
	said := ""
	err = h.withRuns(func(list []*store.State) error {
		t, err := h.reporting(list, facts.Skill)
		if err != nil {
			return err
		}
		said, err = h.takeFacts(t, facts, raw)
		return err
	})
	return said, err
}

// reporting returns the open iteration to which a report belongs.
func (h *handler) reporting(list []*store.State, skill loop.Skill) (*store.State, error) {
	open := only(list, h.open)
	meant := only(open, func(t *store.State) bool { return skill == "" || skill == t.Skill })
	switch {
	case len(meant) == 1:
		return meant[0], nil
	case len(meant) > 1:
		one, other := meant[0].Skill, meant[1].Skill
		return nil,
			hint.New(fmt.Sprintf(`say of which the facts are: "skill":%q or "skill":%q`, one,
				other),
				"an iteration of %s and one of %s are open", one, other)
	}
	if len(open) > 0 {
		own := open[0].Skill
		way := fmt.Sprintf(`report what this iteration did, with "skill":%q or without it`, own)
		return nil, hint.New(way,
			"the report is of %s, and the open iteration is of %s", skill, own)
	}
	return nil,
		hint.New("report while an iteration runs, from inside its session (CLAUDE_CODE_SESSION_ID)",
			"no open iteration of session %q in %s", h.ev.SessionID, h.project)
}

// takeFacts records facts. If this process cannot write the seal, it leaves the facts for the next
// event.
func (h *handler) takeFacts(t *store.State, facts loop.Report, raw []byte) (string, error) {
	said, err := auditAnswer(t, facts, raw)
	if err != nil || said != "" {
		return said, err
	}
	said, err = h.apply(t, facts)
	if err == nil {
		err = h.write(t, loop.Save{Run: t.Budget, Tick: t.Tick})
	}
	if errors.Is(err, seal.ErrUnwritable) {
		n := store.Note{Session: seal.FileName(h.ev.SessionID), Report: raw}
		if err = store.AppendNote(h.project, n); err != nil {
			err = fmt.Errorf("leave the report for the next event: %w", err)
		}
	}
	if err != nil {
		return "", err
	}
	return said, nil
}

// apply merges facts into the iteration in memory and describes what they change.
func (h *handler) apply(t *store.State, facts loop.Report) (string, error) {
	previous, err := h.files.Last(t.Skill, t.Budget.Worked)
	if err != nil {
		return "", err
	}
	facts.DoNotMerge(h.config(t).DoNotMerge)
	f := loop.Look(t.Budget, t.Tick, previous, h.now)
	if facts.Backlog != nil && !t.Tick.FromTracker() {
		if f.Snapshot, err = h.files.Snapshot(t.Budget, previous, false); err != nil {
			return "", err
		}
	}
	changed := loop.Take(f, facts)
	return report.ReportAnswer(f, changed), nil
}

// takeNotes records the notes since the session's last event: what the brake's links refused or let
// through, and reports from inside the client's sandbox.
func (h *handler) takeNotes() error {
	return h.withRuns(func(list []*store.State) error {
		open := only(list, h.open)
		notes, err := h.files.TakeNotes(seal.FileName(h.ev.SessionID))
		if err != nil || len(open) == 0 {
			return err
		}
		for _, n := range notes {
			h.sideError(h.takeNote(open, n))
		}
		for _, t := range open {
			if err := h.write(t, loop.Save{Run: t.Budget, Tick: t.Tick}); err != nil {
				for _, n := range notes { // keep the notes for the next event
					_ = store.AppendNote(h.project, n)
				}
				return err
			}
		}
		return nil
	})
}

func (h *handler) takeNote(open []*store.State, n store.Note) error {
	switch {
	case n.Denied != nil:
		open[0].Tick.Deny(h.denialOf(open[0], n.Denied.Tool, ruleOf(n.Denied.Rule), n.Denied.What))
	case n.Started != nil && len(open) == 1: // with two, the start could belong to either
		if e, counts := h.startOf(open[0], *n.Started); counts {
			open[0].Tick.RecordStart(e)
		}
	case n.Report != nil:
		facts, err := report.Facts(n.Report)
		if err != nil {
			return err
		}
		t, err := h.reporting(open, facts.Skill)
		if err == nil {
			_, err = h.apply(t, facts)
		}
		return err
	}
	return nil
}

// startOf converts a noted start to an effect and reports whether it counts. Merges and approvals
// are counted by their passes instead.
func (h *handler) startOf(t *store.State, n store.NotedStart) (e loop.Effect, counts bool) {
	kind := effect.Kind(n.Kind)
	if e.Kind, counts = toolcall.EffectKind(kind); !counts || kind.Merges() {
		return e, false
	}
	e.PR, e.Label, e.Issue = max(n.PR, 0), n.Label, n.Issue
	other, _ := h.call().Elsewhere(h.rules(t), effect.Act{Repo: n.Repo, Cwd: n.Cwd})
	e.Elsewhere = other != ""
	return e, true
}

// ruleOf returns the rule behind a link's refusal.
func ruleOf(link string) string {
	switch link {
	case "unreadable":
		return loop.UnreadText
	case "sealed-record":
		return loop.StateGuard
	case loop.AuditRule:
		return link
	}
	return loop.MergeGate
}
