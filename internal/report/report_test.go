package report

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	kinds "hooks/internal/kind/backlog"
	"hooks/internal/loop"
	"hooks/internal/page"
	"hooks/internal/tracker/backlog"
)

// Every text stays under the client's limit however much there is to say, and says that it was cut
// (R150).
func TestTextsStayUnderTheLimit(t *testing.T) {
	long := strings.Repeat("é", 400)
	line := loop.Iteration{Skill: kinds.Work}
	tick := loop.Tick{}
	for range 200 {
		line.Notes = append(line.Notes, long)
		tick.Notes = append(tick.Notes, long)
		tick.Pending = append(tick.Pending, loop.Gate{Name: loop.BacklogDrift, Question: long})
	}
	b := loop.Budget{Skill: kinds.Work}
	for name, text := range map[string]string{
		"status": Status(&line, ""),
		"entry":  Entry(&b, &tick), "ask": Ask(tick.Pending),
	} {
		if n := utf8.RuneCountInString(text); n >= 10_000 || n < 5_000 {
			t.Errorf("%s has %d characters", name, n)
		}
		if !strings.Contains(text, "further lines in the history") {
			t.Errorf("%s does not say that it was cut", name)
		}
	}
}

// R150: a final report has at most twelve lines however much there is to say. It has every gate
// with its answer, and names the page with the rest.
func TestFinalIsShort(t *testing.T) {
	b := loop.Budget{Skill: kinds.Work, Status: loop.Halted, StopCause: "cost_budget"}
	e := Ended{Denied: []loop.Denial{{Tool: "Bash", Rule: loop.MergeGate, Times: 3}}}
	for n := range 20 {
		text := Final(&b, e)
		lines := strings.Split(text, "\n")
		if len(lines) > maxFinal || len(text) > Limit ||
			!strings.HasPrefix(lines[len(lines)-1], "More: hooks report-card work") {
			t.Errorf("%d gates: %d lines:\n%s", n, len(lines), text)
		}
		if got := strings.Count(text, "answered \"yes\""); got != n {
			t.Errorf("%d of %d gates are in\n%s", got, n, text)
		}
		e.Asked = append(e.Asked, Asked{n + 1, loop.GateAnswer{Name: "backlog-drift",
			Question: strings.Repeat("é", 400), Answer: "yes"}})
	}
}

// A backlog is shown whole: it goes through no client, and no history has the rest.
func TestBacklogIsWhole(t *testing.T) {
	b := Board{Issues: make([]backlog.Fact, 500)}
	if n := strings.Count(page.Draw(page.Screen{Width: 200}, b), "\n#0 "); n != len(b.Issues) {
		t.Errorf("%d of %d issues are shown", n, len(b.Issues))
	}
}

// What is to be typed to continue names the very budget file, whatever its path is made of.
func TestResumeNamesItsBudget(t *testing.T) {
	for _, path := range []string{"b.json", "my state/b.json", `it's "mine".json`} {
		typed := Resume(&loop.Budget{Skill: kinds.Work, Ceilings: loop.Defaults,
			Command: "/sdd:work --loop"}, path)
		f, _, err := loop.ParseFlags(kinds.Work, strings.TrimPrefix(typed, "/sdd:work "))
		if err != nil || f.BudgetFile != path || !f.Resume {
			t.Errorf("%s is read as %q: %v", typed, f.BudgetFile, err)
		}
	}
}

// Of two loops a status line shows what waits, and only their iterations.
func TestLineOfTwoLoops(t *testing.T) {
	stand := func(skill loop.Skill, gate string) Stand {
		b := loop.Budget{Skill: skill, Status: loop.Active, Ceilings: loop.Defaults}
		return Stand{Run: &b, OwnerAlive: true, Gates: []Waiting{{Gate: loop.Gate{Name: gate}}},
			Budgets: Axes(&b, &b, nil, true, time.Time{})}
	}
	two := []Stand{stand(kinds.Work, "backlog-drift"), stand(kinds.Review, "budget-escalation")}
	const want = "work waits for you: backlog-drift · 0/5 it | " +
		"review waits for you: budget-escalation · 0/5 it"
	if got := Line(page.Screen{Width: 100}, two, ""); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A run that is over always has a next command: its question first, and a page to read at least.
func TestNextIsOneCommand(t *testing.T) {
	question := loop.Gate{Name: loop.RepeatedFailure, Target: "PR #7"}
	answered := question
	answered.Answer = "skip"
	for want, b := range map[string]loop.Budget{
		"hooks gate answer 'repeated-failure:PR #7' ANSWER": {Status: loop.Paused,
			Pending: []loop.Gate{answered, question}},
		"/sdd:work --loop --resume": {Status: loop.Paused, Pending: []loop.Gate{answered}},
		"/loop /sdd:work --loop":    {StopCause: "backlog_empty", UnderLoop: true},
		"hooks report-card work":    {StopCause: "pr_terminal"},
	} {
		b.Skill, b.Command, b.Ceilings = kinds.Work, "/sdd:work --loop", loop.Defaults
		if got := Next(&b, ""); got != want {
			t.Errorf("next: %s, want %s", got, want)
		}
	}
}

// Progress is what was seen: a skipped tick and an entry that was refused are no iterations without
// any.
func TestProgress(t *testing.T) {
	run := func(n int, outcome loop.LineOutcome) *loop.Iteration {
		return &loop.Iteration{Iteration: n, Outcome: outcome, Dollars: loop.Dollar,
			Budget: loop.Budget{IterationsUsed: n}}
	}
	idle, opened, moved, refused := run(1, loop.OK), run(2, loop.OK), run(4, loop.OK), run(5,
		loop.Stopped)
	opened.Observed.PRs = []int{7}
	moved.TrackedPRs = []loop.TrackedPR{{Branch: "b", StartSHA: "1", EndSHA: "2"}}
	refused.Budget.IterationsUsed = 4
	claimed := *moved
	moved.Observed.Heads = []string{"b"}
	for _, c := range []struct {
		lines []*loop.Iteration
		want  string
	}{
		{[]*loop.Iteration{idle}, "none seen in 1 iteration, $1.00"},
		{[]*loop.Iteration{idle, opened}, "in iteration 2, the last one"},
		{[]*loop.Iteration{opened, run(3, loop.Errored), &claimed},
			"last in iteration 2; since then 2 iterations, $2.00"},
		{[]*loop.Iteration{opened, run(3, loop.OK), moved, refused},
			"in iteration 4, the last one"},
	} {
		var lines []loop.Iteration
		for _, l := range c.lines {
			lines = append(lines, *l)
		}
		card := NewCard(Stand{Run: &loop.Budget{}}, lines)
		if got := card.Verified.Progress.String(); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// Words of trackers and people cannot move the cursor, colour the terminal or hide text.
func TestForeignTextIsHarmless(t *testing.T) {
	hostile := "title\x1b[2J\x1b]0;gone\x07\u202eevil\r\nSecond: line\x00"
	line := loop.Iteration{Skill: kinds.Work, Notes: []string{hostile}}
	b := loop.Budget{Skill: kinds.Work, Status: loop.Halted, StopText: hostile}
	gate := loop.Gate{Name: loop.BacklogDrift, Question: hostile}
	for name, text := range map[string]string{
		"status": Status(&line, hostile), "ask": Ask([]loop.Gate{gate}),
		"waiting": page.Draw(page.Screen{}, Waiting{Gate: gate}),
		"final": Final(&b,
			Ended{Asked: []Asked{{1, loop.GateAnswer{Question: hostile, Answer: hostile}}}}),
		"runs":     page.Draw(page.Screen{}, Runs{{Budget: b}}),
		"question": page.Draw(page.Screen{Width: 500}, Waiting{Skill: kinds.Work, Gate: gate}),
	} {
		if strings.ContainsAny(text, "\x1b\x07\r\x00\u202e") ||
			strings.Contains(text, "\nSecond:") {
			t.Errorf("%s: %q", name, text)
		}
	}
}

func TestRemaining(t *testing.T) {
	b := loop.Budget{Skill: kinds.Work, Ceilings: loop.Defaults, IterationsUsed: 3,
		PRsTouched: []string{"#1"}, MinutesElapsed: 70, DollarsEstimate: 26 * loop.Dollar}
	if got := Remaining(&b); got != "2 iterations, 19 PRs, 0 minutes, $0.00" {
		t.Error(got)
	}
	b.Skill, b.SinglePR, b.Ceilings.Dollars = kinds.Review, 142, 0
	if got := Remaining(&b); got != "2 iterations, 0 minutes, unlimited dollars" {
		t.Error(got)
	}
}

// A prediction that no run can reach is not shown: the iterations end before the money does.
func TestPredictionsAreBelievable(t *testing.T) {
	for _, spent := range []loop.USD{loop.Cent, 3 * loop.Dollar, 20 * loop.Dollar} {
		b := loop.Budget{Ceilings: loop.Ceilings{Iterations: 10, PRs: 10, Minutes: 600,
			Dollars: 25 * loop.Dollar}, IterationsUsed: 1, DollarsEstimate: spent,
			MinutesElapsed: 1, Status: loop.Active}
		for _, a := range Axes(&b, &b, nil, true, time.Time{}) {
			if a.More != nil && *a.More > 9 {
				t.Errorf("%s: %d more of 9 iterations", a.Name, *a.More)
			}
			if a.Name == "minutes" && a.EndsAt == nil {
				t.Error("the end of the minutes is known")
			}
		}
	}
}
