package loop

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"hooks/internal/guard/effect"
)

// TestStepLeavesItsStateAlone: the state of before is judged again, without the lock and with it.
func TestStepLeavesItsStateAlone(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	gate := Gate{
		Name: RepeatedFailure, Target: "#44", Question: "again?",
		Options: []Option{{Label: "skip"}, {Label: "stop"}},
	}
	merge := Gate{
		Name: PostFeedbackMerge, Target: "PR #7", Question: "merge?",
		Options: []Option{{Label: "merge"}, {Label: "hold"}},
	}
	fresh := func(skill Skill, pending ...Gate) State {
		run := &Budget{
			Version: 1, RunID: "r", SessionID: "s", Skill: skill, Status: Active, Seq: 2,
			Ceilings:    Ceilings{Iterations: 9, PRs: 9, Minutes: 600, Dollars: 10},
			ActiveSince: now,
			Scheduled:   make([]string, 1, 8), LastPrompts: make([]string, 1, 8),
			TokensByModel:   map[string]Tokens{"m": {Input: 1}},
			Cursors:         []Cursor{{Path: "t.jsonl", Offset: 1}},
			DeferredTargets: make([]string, 1, 8),
			FailedIssues:    make([]int, 1, 8),
			PRsTouched:      make([]string, 1, 8),
		}
		run.Blocks = Blocks{PromptID: "p", Reasons: append(make([]string, 0, 8), "wake")}
		tick := &Tick{
			Version: 1, RunID: "r", SessionID: "s", Skill: skill, Iteration: 3, StartedAt: now,
			Started: true, Prompts: append(make([]string, 0, 8), "p"),
			Pending: append(make([]Gate, 0, 8), pending...),
			Dialogs: append(make([]Dialog, 0, 8),
				Dialog{ID: "d", Shown: []string{"again?", "merge?"}}),
			Approvals: append(make([]Approval, 0, 8), Approval{PR: 5, HeadSHA: "abc1234"}),
			Passed:    append(make([]Passed, 0, 8), Passed{ID: "c1", Input: "in", PRs: []int{5}}),
			Tracked:   append(make([]TrackedPR, 0, 8), TrackedPR{Number: 5, Branch: "b"}),
			Reviews: append(make([]PostedReview, 0, 8),
				PostedReview{Target: "PR #5", Call: callKey("c1", "in")}),
			Taken:   append(make([]int, 0, 8), 44),
			Workers: append(make([]string, 0, 8), "w"), Notes: append(make([]string, 0, 8), "note"),
			Labels: append(make([]string, 0, 8), "#1 x"),
			Denied: append(make([]Denial, 0, 8),
				Denial{Tool: "Bash", Rule: OtherRule, Times: 1}),
			Answered: append(make([]GateAnswer, 0, 8), GateAnswer{Name: "question"}),
			Asked:    &Asked{PRs: append(make([]PR, 0, 8), PR{Number: 5}, PR{Number: 7})},
			Report: Report{
				PRs: append(make([]PR, 0, 8), PR{Number: 5}),
				Failures: append(make([]Failure, 0, 8),
					Failure{Kind: "issue", Number: 44, Cause: "x"}),
			},
			MergesOf: append(make([]int, 0, 8), 5),
		}
		claimed := gate
		claim := &Claim{
			SessionID: "s", PromptID: "q", Gate: &claimed, Dialogs: make([]Dialog, 1, 8),
		}
		return State{run, tick, claim, &Quiet{Refused: make([]Wakeup, 1, 8)}}
	}
	dialogs := []Answers{{
		ID: "d", List: []DialogAnswer{{"again?", "skip"}, {"merge?", "merge"}},
	}}
	calls := []Result{{
		Turn: Turn{Now: now}, Event: "PostToolUse", ID: "c9", Input: "in",
		Effects: []Effect{
			{Kind: effect.Comment, PR: 5}, {Kind: effect.MergePR, PR: 5, Landed: true},
		},
	}}
	running := Running{Dollars: 1, Cursors: []Cursor{{Path: "t.jsonl", Offset: 9}}}
	known := Known{
		Bare: true, Redact: strings.ToUpper, Marked: Fetched(true),
		Around: Fetched(Around{
			Heads: map[string]string{"b": "def"},
			PRs: []Looked{{
				PR: PR{Number: 5, State: "merged", HeadSHA: "fff"}, InFork: true,
			}},
		}),
		Count: Fetched(Count{
			Spent: Spent{
				ByModel: map[string]Tokens{"m": {Output: 5}},
				Cursors: []Cursor{{Path: "t.jsonl", Offset: 9}},
			},
			Notes: []string{"n"},
		}),
		Previous: Fetched(&Iteration{
			RunID: "r", Failures: []Failure{{Kind: "issue", Number: 44, Cause: "x"}},
			Worktrees: append(make([]Worktree, 0, 8), Worktree{Path: "/w"}),
		}),
		Dialogs: Fetched(dialogs), Calls: Fetched(calls),
		Running: Fetched(RunningNow{Running: running, Read: keepAtCall}),
		Entry: Fetched(EntryFacts{
			Notes: make([]string, 1, 8), Gates: append(make([]Gate, 0, 8), gate),
			Heads: map[string]string{"b": "def"}, Asked: &Asked{PRs: []PR{{Number: 5}}},
		}),
		Baseline: Fetched(append(make([]Cursor, 0, 8), Cursor{Path: "t.jsonl"})),
		Merging: Fetched([]Looked{
			{PR: PR{Number: 5, HeadSHA: "abc1234"}},
			{PR: PR{Number: 7, HeadSHA: "abc"}, Unknown: "gh failed"},
		}),
	}
	own := Turn{Now: now, Session: "s", Prompt: "p", Attended: true}
	later := own
	later.Prompt = "later"
	acts := func(kinds ...effect.Act) Known {
		k := known
		k.Reading = Fetched(Reading{Acts: kinds})
		return k
	}
	foreign := known
	foreign.Owner = Fetched(Owner{Foreign: true, Gone: true})
	type test struct {
		e Event
		k Known
	}
	var tests []test
	for _, e := range []Event{
		TurnEnd{Turn: own, Schedule: []Scheduled{{Prompt: "x"}}}, TurnEnd{Turn: later},
		TurnEnd{Turn: own, Working: []string{"w"}},
		PromptSubmit{Turn: later}, PromptSubmit{Turn: own, Stops: true},
		PromptSubmit{Turn: later, Wakes: &Wakeup{Task: "j", Ended: true}},
		TurnFailure{Turn: own, Failure: "x"},
		SessionEnd{Turn: own, Reason: "clear"}, WorkerEnd{Turn: own, Agent: "w"},
		PersonStop{Turn: own, How: "x"}, ProcessEnd{Turn: own, Why: "x", Counts: true},
		DriverStop{Turn: own, Cause: CauseStall, Text: "x"},
		opens(now, NextTick), opens(now, FreshRun), asks(now, nil),
		asks(now, &Answers{ID: "d", List: []DialogAnswer{{"again?", "skip"}}}),
		asks(now, &Answers{ID: "d", List: []DialogAnswer{{"again?", "stop"}}}),
		Abandoned{Turn: own},
		Refused{Turn: own},
		Result{
			Turn: own, Event: "PostToolUseFailure", ID: "c1", Input: "in", Failed: true,
			Worker: "w2",
		},
		Result{Turn: own, Event: "PostToolUse", ID: "d", Answers: &dialogs[0]},
		Result{
			Turn: own, Event: "PostToolUse", ID: "c1", Input: "in",
			Effects: calls[0].Effects,
		},
		CatchUp{Turn: own, Counts: true},
		Heard{Turn: own},
		DialogBegins{Turn: own, ID: "d2", Shows: 4},
		Call{Turn: own, Tool: "Agent", ID: "c4", Sends: &Task{Issues: []int{45}}},
	} {
		tests = append(tests, test{e, known}, test{e, foreign})
	}
	for _, a := range [][]effect.Act{
		{{Kind: effect.MergePR, PR: 5, SHA: "abc1234"}}, {{Kind: effect.MergePR, PR: 7}},
		{{Kind: effect.MergePR, PR: 5}, {Kind: effect.MergePR, PR: 7}},
		{{Kind: effect.ApprovePR, PR: 9}},
		{{Kind: effect.Comment, PR: 9, Review: true}},
	} {
		tests = append(tests, test{Call{Turn: own, Tool: "Bash", ID: "c5", Input: "x"}, acts(a...)})
	}
	for i, c := range tests {
		for _, skill := range skillNames() {
			for _, pending := range [][]Gate{nil, {gate}, {merge}, {gate, merge}} {
				for _, claimed := range []bool{false, true} {
					s := fresh(skill, pending...)
					if !claimed {
						s.Claim = nil
					}
					all := []any{s, c.k.Previous, c.k.Around, c.k.Entry}
					before := whole(all)
					Step(s, c.k, c.e)
					if after := whole(all); !reflect.DeepEqual(before, after) {
						t.Errorf("%d %T of %s:\n%+v\n%+v", i, c.e, skill, before, after)
					}
				}
			}
		}
	}
}

func asks(now time.Time, answers *Answers) Invocation {
	r := Request{Now: now, SessionID: "s", PromptID: "later", Command: Command{Skill: Work}}
	return Invocation{Request: r, Answers: answers}
}

func opens(now time.Time, mode Mode) Opens {
	return Opens{Invocation: asks(now, nil), Mode: mode, Notes: make([]string, 1, 8)}
}
