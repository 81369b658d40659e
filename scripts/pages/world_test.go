//go:build pages

package pages

import (
	"fmt"
	"time"

	"hooks/internal/kind/backlog"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/tracker/forge"
)

// night is a run that one might find in the morning: it reached its ceiling in dollars.
func night() []report.Card {
	start := time.Date(2026, 11, 19, 22, 40, 0, 0, time.UTC)
	run := loop.Budget{
		RunID: "20261119T224000-4242", SessionID: "s1", Skill: backlog.Work, StartedAt: start,
		Ceilings:   loop.Ceilings{Iterations: 20, PRs: 20, Minutes: 600, Dollars: 25 * loop.Dollar},
		Status:     loop.Halted,
		StopCause:  "cost_budget",
		StopText:   "Cost budget reached: $25.43 / $25.00",
		PRsTouched: []string{"#201", "#202", "#203", "#205", "#206"},
		Command:    "/sdd:work --loop --max-dollars 25", UnderLoop: true, AgentsDispatched: 17,
		MergesAttempted: 2,
	}
	prices := []int64{182, 240, 95, 310, 0, 205, 262, 168, 401, 198, 256, 226}
	titles := []string{"Retry uploads after a lost connection", "Sort the audit log by time",
		"Show the plan in the invoice", "Keep the session over a restart", "Drop the old importer"}
	var lines []loop.Iteration
	at := start
	for i, cents := range prices {
		l := loop.Iteration{
			RunID: run.RunID, Seq: i + 1, Iteration: i + 1, Skill: backlog.Work, StartedAt: at,
			EndedAt: at.Add(time.Duration(6+cents/12) * time.Minute), Outcome: loop.OK,
			Dollars:    loop.USD(cents) * loop.Cent,
			PRsTouched: []string{run.PRsTouched[i%5]},
			Agents:     1 + i%2, Comments: i % 3,
		}
		l.Notes = []string{titles[i%5]}
		l.Titles = []loop.Issue{{Number: 140 + i%5, Title: titles[i%5]}}
		n := 201 + i%5
		if i%5 > 2 {
			n++
		}
		l.TrackedPRs = []loop.TrackedPR{{Number: n, Branch: fmt.Sprintf("feature/%d-part", 140+i%5),
			EndSHA: fmt.Sprintf("%07x%033x", 0xdef5678+i*4099, i), StateAtEnd: "open",
			Title: titles[i%5]}}
		if i%5 != 3 {
			l.Observed.PRs, l.Observed.Heads = []int{n}, []string{l.TrackedPRs[0].Branch}
		}
		l.Observed.Comments = i % 2
		asked := func(name, question, answer string) {
			l.Gates = append(l.Gates, loop.GateAnswer{Name: name, Question: question,
				Answer: answer, At: l.EndedAt})
		}
		switch i {
		case 2:
			l.Denied = []loop.Denial{{Tool: "Bash", Rule: loop.MergeGate,
				What: "gh pr merge 203 --squash", Times: 2}}
			asked("post-feedback-merge", "Responder addressed human feedback on PR #203. "+
				"Merge now or hold for human re-review?", "merge")
			l.Observed.Merged, l.TrackedPRs[0].StateAtEnd = []int{203}, "merged"
		case 4:
			l.Outcome, l.PRsTouched, l.TrackedPRs = loop.Errored, nil, nil
			l.Notes = []string{"API error: overloaded"}
			l.Observed = loop.Observed{}
		case 8:
			l.Denied = []loop.Denial{{Tool: "Bash", Rule: loop.StateGuard,
				What: "rm -rf .sdd/loop", Times: 1}}
			l.Failures = []loop.Failure{{Kind: "issue", Number: 144,
				Cause: "tests fail in TestPlan"}}
		case 9:
			asked("budget-escalation", "Approaching dollars ($20.61/$25.00). Continue, raise "+
				"ceiling, or stop?", "continue")
		case 11:
			l.Outcome, l.Fired = loop.Stopped, []string{"cost_budget"}
			l.Overrun = &loop.Overrun{Over: 43 * loop.Cent}
		}
		run.IterationsUsed, run.Seq = i+1, i+1
		run.DollarsEstimate += l.Dollars
		run.MinutesElapsed = int(l.EndedAt.Sub(start) / time.Minute)
		l.Budget = run
		lines = append(lines, l)
		at = l.EndedAt.Add(4 * time.Minute)
	}
	run.TokensByModel = map[string]loop.Tokens{
		"claude-opus-5-5": {Input: 4_210, Output: 512_800, CacheRead: 41_200_000,
			CacheWrite5m: 1_904_000, Dollars: 1930 * loop.Cent},
		"claude-haiku-4-5": {Input: 1_020, Output: 98_400, CacheRead: 9_870_000,
			Dollars: run.DollarsEstimate - 1930*loop.Cent},
	}
	st := report.Stand{Run: &run, Budgets: report.Axes(&run, &run, nil, false, at)}
	st.Gates = []report.Waiting{report.Wait(backlog.Work, loop.Gate{
		Name: loop.RepeatedFailure, Target: "#144",
		Question: "Issue #144 failed twice with: tests fail in TestPlan. Skip, retry, or stop?",
		Options: []loop.Option{{Label: "skip", Description: "Leave the issue alone in this run."},
			{Label: "retry", Description: "Send one more worker."},
			{Label: "stop", Description: "Stop the loop."}},
	}, true)}
	card := report.NewCard(st, lines)
	card.Worktrees = []loop.Worktree{{Path: ".sdd/worktrees/feature-144-part",
		Branch: "feature/144-part"}}
	card.Resume = report.Resume(&run, "")
	card.Stopped = report.StoppedBy(&run, &lines[len(lines)-1], card.Waiting, "")
	card.Folder = "/home/someone/invoices"
	card.Links = forge.Links{PR: "https://github.com/acme/invoices/pull/",
		Issue:  "https://github.com/acme/invoices/issues/",
		Commit: "https://github.com/acme/invoices/commit/"}
	return []report.Card{card}
}
