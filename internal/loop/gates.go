package loop

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"hooks/internal/attempt"
)

// MergePromise states when a merge is allowed. The pages about merges repeat it verbatim.
const MergePromise = "a merge passes unasked only if the tracker itself says that " +
	"nobody commented; if anyone commented, or the tracker cannot tell, the PR waits until you " +
	"approve that exact commit"

const NothingMore = "Stop the loop; nothing more is dispatched."

// gates lists the specification's seven gates.
var gates = [...]GateKind{
	{
		Name: ForceUnlock, Header: "Force unlock", When: Entry, Applies: everyRun, Safest: "no",
		Options: []Option{
			{"yes",
				"Take the lock. Its holder may lose work, or push over this iteration's commits."},
			{"no", "Leave the lock alone and skip this tick."},
			{"stop", "Leave the lock alone and stop this loop."},
		},
		Tell: Says("asks if --lock=force is set and another iteration holds the lock").Tell,
	},
	{
		Name: ResumeDivergence, Header: "Divergence", When: Entry, Applies: everyRun,
		Safest: "skip",
		Options: []Option{
			{"re-attach", "Continue with the PR as it is on the remote now."},
			{"skip", "Leave this PR alone for the rest of the run."},
			{"stop", NothingMore},
		},
		Apply: func(run *Budget, tick *Tick, g Gate, act, _ string) {
			if act == "skip" {
				run.skip(tick, g.Target)
				tick.Tracked = slices.DeleteFunc(tick.Tracked, func(p TrackedPR) bool {
					return prTarget(p.Number) == g.Target
				})
			}
		},
		Tell: Says("on --resume, asks about each open PR whose head has changed").Tell,
	},
	{
		Name: BudgetEscalation, Header: "Budget", When: Entry | Reported, Applies: everyRun,
		Safest: "continue",
		Options: []Option{
			{"continue", "Keep the ceilings; the loop stops when one of them is reached."},
			{"raise", ""},
			{"stop", NothingMore},
		},
		Due:   budgetDue,
		Apply: applyBudget,
		Tell:  tellBudgets,
	},
	{
		Name: BacklogDrift, Header: "Backlog", When: Entry | Reported, Applies: takesIssues,
		Safest: "re-propose",
		Options: []Option{
			{"re-propose", "Plan a new batch from the backlog as it is now."},
			{"continue", "Keep to the plan."},
			{"stop", NothingMore},
		},
		Due: driftDue,
		Apply: func(_ *Budget, tick *Tick, _ Gate, act, _ string) {
			if act == "re-propose" { // no worker starts before a new plan is reported
				tick.Replan, tick.Report.Plan = true, nil
			}
		},
		Tell: tellDrift,
	},
	{
		Name: AmbiguousCriteria, Header: "Criteria", When: Entry | Reported | Sending,
		Applies: everyRun, Safest: "skip",
		Options: []Option{
			{"skip", "Leave this issue out of this tick."},
			{"escalate", "Leave it out, and ask for acceptance criteria on the issue."},
			{"proceed", "Work on it with the model's best interpretation."},
			{"stop", NothingMore},
		},
		Due: criteriaDue,
		Apply: func(_ *Budget, tick *Tick, g Gate, act, _ string) {
			if act == "skip" || act == "escalate" {
				tick.Deferred = AppendNew(tick.Deferred, g.Target)
			}
			if act == "escalate" {
				tick.Notes = AppendNew(tick.Notes, "Issue "+g.Target+": ask for acceptance "+
					"criteria on the issue, and do not work on it in this tick")
			}
		},
		Tell: Says("asks about an issue whose criteria are missing or unfinished").Tell,
	},
	{
		Name: PostFeedbackMerge, Header: "Merge", When: Merging, Applies: everyRun, Safest: "hold",
		Options: []Option{
			{"merge", ""},
			{"hold", "Do not merge; leave it for a person to review again."},
			{"stop", "Do not merge, and stop the loop."},
		},
		Due: mergeDue,
		Apply: func(_ *Budget, tick *Tick, g Gate, act, _ string) {
			var pr int
			if _, err := fmt.Sscanf(g.Target, "PR #%d", &pr); err == nil && act == "merge" {
				tick.Approvals = append(tick.Approvals, Approval{PR: pr, HeadSHA: g.HeadSHA})
			}
		},
		Tell: tellMerges,
	},
	{
		Name: RepeatedFailure, Header: "Failed twice", When: Exit, Applies: everyRun,
		Safest: "skip",
		Options: []Option{
			{"skip", "Leave it alone for the rest of the run."},
			{"retry", "Let the next iteration try once more."},
			{"stop", NothingMore},
		},
		Due: failureDue,
		Apply: func(run *Budget, tick *Tick, g Gate, act, _ string) {
			if act == "skip" {
				run.skip(tick, g.Target)
			}
		},
		Tell: tellFailure.Tell,
	},
}

// GateOf returns the gate with that name, or the zero GateKind if there is none.
func GateOf(name string) GateKind {
	return *cmp.Or(first(Gates, func(k GateKind) bool { return k.Name == name }), &GateKind{})
}

// Due returns the questions that the facts require and this tick has not asked yet, in order. It
// ignores answers from earlier ticks (R107).
func Due(f *Facts, at Moment) []Gate {
	var due []Gate
	for _, k := range Gates {
		if k.Due == nil || k.When&at == 0 || !k.Applies(f.Run) {
			continue
		}
		for _, g := range k.Due(f) {
			if !f.Tick.asked(k.Name, g.Target) {
				due = append(due, asGate(k.Name, g).describe(f.Run))
			}
		}
	}
	return due
}

// asGate returns g with the name, header and options of the named gate.
func asGate(name string, g Gate) Gate {
	k := GateOf(name)
	g.Name, g.Header, g.Options = k.Name, k.Header, slices.Clone(k.Options)
	return g
}

// describe fills in a missing option description with the ceilings that the option sets or the
// commit that it merges.
func (g Gate) describe(run *Budget) Gate {
	for i := range g.Options {
		switch o := &g.Options[i]; {
		case o.Description != "":
		case g.Raise != nil:
			o.Description = "Raise to " + g.Raise.text(run.CountsPRs()) + ". Or type your own, " +
				"such as dollars=50 iterations=12. In a terminal: " + run.raiseTo(*g.Raise)
		case g.HeadSHA != "":
			o.Description = "Merge this PR once, at " + attempt.Short(g.HeadSHA) + "."
		}
	}
	return g
}

// asked reports whether the gate's question about target is pending or was answered in this tick.
// An exit gate ignores t.Answered, because those answers concern the previous iteration.
func (t *Tick) asked(name, target string) bool {
	answered := t.Answered
	if ofExit(name) {
		answered = t.DeferredAnswers
	}
	return t.waits(name, target) || slices.ContainsFunc(answered, func(g GateAnswer) bool {
		return g.Name == name && g.Target == target
	})
}

// Act returns the option that an answer names, ignoring case, or "raise" if the answer sets new
// ceilings at the budget gate. Any other answer selects the gate's safest option.
func (g Gate) Act(answer string) string {
	word := strings.ToLower(strings.TrimSpace(answer))
	for _, o := range g.Options {
		if o.Label == word {
			return o.Label
		}
	}
	if g.Name == BudgetEscalation && g.Raise != nil {
		if _, ok := parseRaise(answer, *g.Raise); ok {
			return "raise"
		}
	}
	return GateOf(g.Name).Safest
}

// Understands reports whether an answer names an option, sets new ceilings at the budget gate or
// has several words. A malformed ceiling and any other single word count as typos.
func (g Gate) Understands(answer string) bool {
	word := strings.ToLower(strings.TrimSpace(answer))
	if slices.ContainsFunc(g.Options, func(o Option) bool { return o.Label == word }) {
		return true
	}
	if g.Name == BudgetEscalation && strings.Contains(answer, "=") {
		_, ok := parseRaise(answer, Ceilings{})
		return ok
	}
	return strings.ContainsAny(word, " \t\n")
}

// Answer applies a person's answer to the tick's pending gate i and returns the selected option. It
// records the answer verbatim. An answer given at the exit goes into the next iteration's line. If
// it stops the run, no next iteration exists, so it goes into this one's (R38).
func Answer(run *Budget, tick *Tick, i int, answer GateAnswer) string {
	g := tick.Pending[i]
	tick.Pending = slices.Delete(slices.Clone(tick.Pending), i, i+1)
	act := g.Act(answer.Answer)
	if ofExit(g.Name) && tick.Started && act != "stop" {
		tick.DeferredAnswers = append(tick.DeferredAnswers, answer)
	} else {
		tick.Answered = append(tick.Answered, answer)
	}
	k := GateOf(g.Name)
	switch {
	case act == "stop":
		fired := stoppedAt(g, tick.Iteration)
		if near, _, _ := strings.Cut(g.Question, ". "); answer.Origin == OriginFlag {
			fired.Text = near + ": stopped by --near-limit stop"
		}
		tick.Fired = append(tick.Fired, fired)
		tick.Pending = nil // no further question is asked (R49)
	case k.Apply != nil && k.Applies(run): // the run file may have lost Own
		k.Apply(run, tick, g, act, answer.Answer)
	}
	return act
}

// Kept reports whether a person answered hold to a question that stays pending. The Stop hook then
// lets the turn end without asking again.
func (t *Tick) Kept() bool {
	return slices.ContainsFunc(t.Pending, func(g Gate) bool { return g.Kept })
}

func ofExit(name string) bool { return GateOf(name).When == Exit }

// stoppedAt returns the condition that ends a run because a person answered stop at a gate (R49,
// R50).
func stoppedAt(g Gate, iteration int) Fired {
	f := Fired{
		Condition: "prior-gate-stop", Cause: "prior_gate_stop",
		Text:   fmt.Sprintf("Loop stopped at gate %s in iteration %d", g.Name, iteration),
		Detail: &StopDetail{g.Name, iteration},
	}
	if g.Name == RepeatedFailure {
		f.Condition, f.Cause = "repeated-failure", "repeated_failure"
	}
	return f
}

// AskForceUnlock returns the question to ask before another iteration's lock is removed (R104).
func AskForceUnlock() Gate {
	return asGate(ForceUnlock, Gate{Question: "Force-unlock previous iteration's lock? This may " +
		"corrupt in-flight work."})
}

// criteriaDue asks about each upcoming issue with missing or unfinished acceptance criteria, except
// issues that a person skipped (R89, R90).
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

// mergeDue asks before a PR is merged (R99, R100). If a person commented, it uses the
// specification's words. Otherwise it states why it asks.
func mergeDue(f *Facts) []Gate {
	t, pr := f.Tick, f.Merging
	g := Gate{Target: prTarget(pr), HeadSHA: t.head(pr)}
	why := "the earlier answer does not cover this commit"
	if f.Run.Merges == MergesAsk && t.noFeedback(pr) {
		why = "nobody commented, but with --merges ask every merge is asked about"
	}
	if unknown := t.unknown(pr); unknown != "" {
		why = "it is unknown who commented (" + unknown + ")"
	}
	g.Question = fmt.Sprintf("%s at %s: %s. Merge now, or hold for review?", g.Target,
		attempt.Short(g.HeadSHA), why)
	if t.addressed(pr) {
		g.Question = fmt.Sprintf("Responder addressed human feedback on PR #%d. Merge now or hold "+
			"for human re-review?", pr)
	}
	return []Gate{g}
}

// failureDue asks about every issue or PR that failed in two consecutive iterations with the same
// root cause (R34, R105). Skipped ticks do not count as iterations.
func failureDue(f *Facts) []Gate {
	if f.Previous == nil {
		return nil
	}
	var due []Gate
	for _, now := range f.Tick.Report.Failures {
		cause := now.Cause
		if f.Redact != nil { // the earlier cause was redacted before it was written
			cause = f.Redact(cause)
		}
		again := slices.ContainsFunc(f.Previous.Failures, func(before Failure) bool {
			return before.Kind == now.Kind && before.Number == now.Number &&
				Signature(before.Cause) == Signature(cause)
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

// target returns the target name of the failed issue or PR, "#44" or "PR #44".
func (f Failure) target() string {
	if f.Kind == "pr" {
		return prTarget(f.Number)
	}
	return fmt.Sprintf("#%d", f.Number)
}

// Subject names the failed issue or PR at the beginning of a sentence, for example "Issue #44".
func (f Failure) Subject() string {
	if f.Kind == "pr" {
		return prTarget(f.Number)
	}
	return fmt.Sprintf("Issue #%d", f.Number)
}

// Signature normalizes a root cause for comparison: lower case, with numbers removed so that
// addresses, line numbers and durations make no difference.
func Signature(cause string) string {
	kept := numbers().ReplaceAllString(strings.ToLower(cause), "")
	return strings.Join(strings.Fields(kept), " ")
}

// numbers matches decimal and hexadecimal numbers, such as 12, 0x7f and the commit abc1234.
var numbers = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("[0-9a-fx]*[0-9][0-9a-fx]*")
})
