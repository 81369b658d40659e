package loop

import (
	"fmt"
	"slices"
	"strings"
)

// criteriaDue asks about every issue to be worked on whose acceptance criteria are missing or
// unfinished (R89, R90).
func criteriaDue(f *Facts) []Gate {
	var due []Gate
	for _, n := range f.Tick.ambiguous(f) {
		target := fmt.Sprintf("#%d", n)
		if !slices.Contains(f.Run.DeferredTargets, target) {
			due = append(due, Gate{
				Question: fmt.Sprintf("Issue %s has ambiguous criteria. Skip, escalate, or "+
					"proceed with my best interpretation?", target),
				Target: target,
			})
		}
	}
	return due
}

func applyCriteria(_ *Budget, tick *Tick, g Gate, act, _ string) {
	switch act {
	case "skip":
		tick.Deferred = AppendNew(tick.Deferred, g.Target)
	case "escalate":
		tick.Deferred = AppendNew(tick.Deferred, g.Target)
		tick.Notes = AppendNew(tick.Notes, "Issue "+g.Target+
			": ask on the issue for acceptance criteria, do not work on it in this tick")
	}
}

// mergeDue asks before a PR is merged (R99, R100): in the specification's words if feedback was
// addressed, else with what is known.
func mergeDue(f *Facts) []Gate {
	t, pr := f.Tick, f.Merging
	g := Gate{Target: prTarget(pr), HeadSHA: t.head(pr)}
	why := "an earlier answer is void"
	if unknown := t.unknown(pr); unknown != "" {
		why = "nobody can tell who commented (" + unknown + ")"
	}
	g.Question = fmt.Sprintf("%s at %s: %s. Merge now, or hold for review?", g.Target,
		short(g.HeadSHA), why)
	if t.addressed(pr) {
		g.Question = fmt.Sprintf("Responder addressed human feedback on PR #%d. Merge now or hold "+
			"for human re-review?", pr)
	}
	return []Gate{g}
}

// short is a commit's name as people read it.
func short(sha string) string { return sha[:min(len(sha), 7)] }

func applyMerge(_ *Budget, tick *Tick, g Gate, act, _ string) {
	if act != "merge" {
		return
	}
	var pr int
	if _, err := fmt.Sscanf(g.Target, "PR #%d", &pr); err == nil {
		tick.Approvals = append(tick.Approvals, Approval{PR: pr, HeadSHA: g.HeadSHA})
	}
}

// failureDue asks about every issue or PR that failed in two consecutive iterations with the same
// root cause (R34, R105). Skipped ticks between them do not count.
func failureDue(f *Facts) []Gate {
	if f.Previous == nil {
		return nil
	}
	var due []Gate
	for _, now := range f.Tick.Report.Failures {
		cause := now.Cause
		if f.Redact != nil { // like with like: the earlier one was written redacted
			cause = f.Redact(cause)
		}
		again := slices.ContainsFunc(f.Previous.Failures, func(before Failure) bool {
			return before.Kind == now.Kind && before.Number == now.Number &&
				signature(before.Cause) == signature(cause)
		})
		if again {
			due = append(due, Gate{
				Question: fmt.Sprintf("%s failed twice with: %s. Skip, retry once more, or stop "+
					"the loop?", now.Subject(), now.Cause),
				Target: now.target(),
			})
		}
	}
	return due
}

// target is the failed issue or PR as targets are written: "#44" or "PR #44".
func (f Failure) target() string {
	if f.Kind == "pr" {
		return prTarget(f.Number)
	}
	return fmt.Sprintf("#%d", f.Number)
}

// Subject is the failed issue or PR as a sentence begins with it.
func (f Failure) Subject() string {
	if f.Kind == "pr" {
		return prTarget(f.Number)
	}
	return fmt.Sprintf("Issue #%d", f.Number)
}

func applyFailure(run *Budget, tick *Tick, g Gate, act, _ string) {
	if act == "skip" {
		run.skip(tick, g.Target)
	}
}

// signature is the part of a root cause that is compared: trimmed, case-folded, without digits
// and hexadecimal runs, so that addresses, line numbers and durations make no difference.
func signature(cause string) string {
	words := strings.FieldsFunc(strings.ToLower(cause), func(r rune) bool {
		return r == ' ' || r == '\t' || r == '\n' || r == '\r'
	})
	kept := words[:0]
	for _, w := range words {
		if w = dropNumbers(w); w != "" {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, " ")
}

// dropNumbers removes digits, and with them runs of hexadecimal digits that hold at least one
// digit.
func dropNumbers(word string) string {
	var out strings.Builder
	for rest := word; rest != ""; {
		run := strings.IndexFunc(rest, func(r rune) bool {
			return !strings.ContainsRune("0123456789abcdefx", r)
		})
		if run < 0 {
			run = len(rest)
		}
		if run > 0 {
			if !strings.ContainsAny(rest[:run], "0123456789") {
				out.WriteString(rest[:run])
			}
			rest = rest[run:]
			continue
		}
		next := strings.IndexAny(rest, "0123456789abcdefx")
		if next < 0 {
			next = len(rest)
		}
		out.WriteString(rest[:next])
		rest = rest[next:]
	}
	return out.String()
}
