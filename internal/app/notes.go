package app

import (
	"fmt"

	"hooks/internal/guard"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/seal"
	"hooks/internal/store"
)

// takeNotes records what the brake's links refused and let through, and the reports from inside the
// client's sandbox, since the session's last event.
func (h *handler) takeNotes() error {
	if !h.sealed || !h.files.HasNotes() {
		return nil
	}
	return h.withRuns(func(list []*loopState) error {
		open := only(list, h.open)
		notes, err := h.files.TakeNotes(seal.FileName(h.ev.SessionID))
		if err != nil || len(open) == 0 {
			return err
		}
		for _, n := range notes {
			h.slip(h.takeNote(open, n))
		}
		for _, t := range open {
			if err := h.write(t, loop.Save{Run: t.Budget, Tick: t.Tick}); err != nil {
				for _, n := range notes { // for the next event
					_ = store.AppendNote(h.project, n)
				}
				return err
			}
		}
		return nil
	})
}

func (h *handler) takeNote(open []*loopState, n store.Note) error {
	switch {
	case n.Denied != nil:
		open[0].Tick.Deny(h.denialOf(open[0], n.Denied.Tool, ruleOf(n.Denied.Rule), n.Denied.What))
	case n.Started != nil && len(open) == 1: // of two, the text alone says whose it is
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

// startOf is a noted start as a loop counts it. Merges and approvals count by their passes.
func (h *handler) startOf(t *loopState, n store.NotedStart) (e loop.Effect, counts bool) {
	switch guard.Kind(n.Kind) {
	case guard.OpenPR:
		e.Kind = loop.OpenedPR
	case guard.Comment:
		e.Kind = loop.Commented
	case guard.SetLabel:
		e.Kind = loop.SetLabel
	case guard.DropLabel:
		e.Kind = loop.DroppedLabel
	default:
		return e, false
	}
	e.PR, e.Label, e.Issue = max(n.PR, 0), n.Label, n.Issue
	other, _ := h.elsewhere(t, guard.Act{Repo: n.Repo, Cwd: n.Cwd})
	e.Elsewhere = other != ""
	return e, true
}

// ruleOf is the rule of a link's refusal.
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

// noteReport leaves facts for the next event where this process may not write the seal.
func (h *handler) noteReport(raw []byte) error {
	n := store.Note{Session: seal.FileName(h.ev.SessionID), Report: raw}
	if err := store.AppendNote(h.project, n); err != nil {
		return fmt.Errorf("leave the report for the next event: %w", err)
	}
	return nil
}
