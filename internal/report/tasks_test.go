package report

import (
	"strings"
	"testing"
	"time"

	"hooks/internal/attempt"
	"hooks/internal/kind/tasks"
	"hooks/internal/loop"
	"hooks/internal/page"
)

// someTasks is a run with a task of each result, at its third of five.
func someTasks() loop.Budget {
	return loop.Budget{RunID: "r1", Skill: tasks.Name, Status: loop.Active, Command: "/sdd:go s.md",
		Ceilings: loop.Ceilings{Iterations: 50, PRs: 20, Minutes: 480},
		KindRun: loop.KindRun{Own: &tasks.Run{Spec: "s.md", Index: 3, Try: 2, MaxTries: 3,
			Mode: "quick", Drive: loop.DriveStop, Reason: "1 file not committed",
			List: []tasks.Item{
				{Title: "a", Result: attempt.Verified, SHA: "0123456789ab", Tries: 1, Minutes: 3},
				{Title: "b", Result: attempt.Claimed, SHA: "abcdef012345", Tries: 2},
				{Title: "c", Result: attempt.Skipped},
				{Title: "d", Tries: 1, Dollars: loop.Dollar}, {Title: "e"}}}}}
}

// T68–T72: the lines of the status block and of an entry are the specification's own.
func TestTaskWords(t *testing.T) {
	line := func(change func(*loop.Iteration)) string {
		l := loop.Iteration{Skill: tasks.Name, Iteration: 3, Outcome: loop.OK, Budget: someTasks()}
		change(&l)
		return Status(&l, "")
	}
	for want, change := range map[string]func(*loop.Iteration){
		"Task 1/5 complete: a -- 0123456 (verified)\n": func(l *loop.Iteration) {
			l.Own = &tasks.Line{Task: 1, Try: 1, Title: "a",
				Judgement: attempt.Judgement{Verdict: attempt.Verified, SHA: "0123456789ab"}}
		},
		"Task 3/5 complete: c (claimed)\n": func(l *loop.Iteration) {
			l.Own = &tasks.Line{Task: 3, Try: 1, Title: "c",
				Judgement: attempt.Judgement{Verdict: attempt.Claimed}}
		},
		"Task 4/5, attempt 1 of 2: refused — 1 file not committed\n": func(l *loop.Iteration) {
			l.Own = &tasks.Line{Task: 4, Try: 1, Title: "d",
				Judgement: attempt.Judgement{Verdict: attempt.Overruled,
					Why: "1 file not committed"}}
		},
		"All 5 tasks complete. Opening PR for Gate 3 review.\n": func(l *loop.Iteration) {
			tasks.Of(&l.Budget).Index, tasks.Of(&l.Budget).OpensPR = 5, true
			l.Own = &tasks.Line{Task: 5, Judgement: attempt.Judgement{Verdict: attempt.Verified}}
		},
		"Awaiting Gate 3: all 5 tasks are done. Accept the work?\n": func(l *loop.Iteration) {
			l.Budget.Pending = []loop.Gate{{Name: tasks.GatePR,
				Question: "Gate 3: all 5 tasks are done. Accept the work?"}}
		},
	} {
		if got := line(change); !strings.Contains(got, want) {
			t.Errorf("%s\nis not in\n%s", want, got)
		}
	}
	b := someTasks()
	if got := b.Attempts().Resuming(); got != "Resuming execution from task 4/5." {
		t.Error(got)
	}
	if got := Remaining(&b); strings.Contains(got, "PR") {
		t.Errorf("a task loop has no ceiling of PRs: %s", got)
	}
}

// A run continues where it was begun, and a list that is done has nothing to resume.
func TestTaskResume(t *testing.T) {
	for want, change := range map[string]func(*loop.Budget){
		"/sdd:go --resume":   func(*loop.Budget) {},
		"/hooks:go --resume": func(b *loop.Budget) { b.Command = "/hooks:go a.md --check=x" },
		"hooks go --resume":  func(b *loop.Budget) { tasks.Of(b).Drive = loop.DriveProcess },
		"/sdd:go --resume --max-task-dollars 1.50": func(b *loop.Budget) {
			tasks.Of(b).Dollars = loop.Dollar
		},
		"": func(b *loop.Budget) { b.StopCause = "tasks_complete" },
	} {
		b := someTasks()
		b.Status = loop.Halted
		if change(&b); Resume(&b, "") != want {
			t.Errorf("%q, want %q", Resume(&b, ""), want)
		}
	}
}

// A final report of a long list has its counts and the first tasks, and names the page with the
// rest.
func TestFinalOfManyTasks(t *testing.T) {
	b := someTasks()
	b.Status = loop.Halted
	r := tasks.Of(&b)
	for range 200 {
		r.List = append(r.List, tasks.Item{Title: strings.Repeat("x", 80)})
	}
	text := Final(&b, Ended{})
	if !strings.Contains(text, "\nMore: hooks report-card task (202 further lines)") ||
		!strings.Contains(text, "\nNext: type /sdd:go --resume") ||
		!strings.Contains(text, "\n3 of 205 tasks done: ") ||
		strings.Count(text, "\n")+1 != maxFinal {
		t.Error(text)
	}
}

// taskPage is a page of a task loop with one foreign text in every place that may hold one.
func taskPage(text string) Card {
	p := pageOf(text)
	b := *p.Run
	b.Skill = tasks.Name
	b.Own = &tasks.Run{Spec: text, Check: text, Try: 1, MaxTries: 2, Reason: text,
		List: []tasks.Item{{Title: text, SHA: text, Tries: 1}}}
	p.Run = &b
	p.stand = Stand{Run: &b, Tried: map[int]loop.Record{1: &tasks.Line{Task: 1,
		Judgement: attempt.Judgement{Why: text, Weakened: []string{text}}}}}
	p.Iterations[0].Own = &tasks.Line{Task: 1, Try: 1, Judgement: attempt.Judgement{
		Verdict: attempt.Verdict(text)}}
	return p
}

// The terminal's screens of a task loop are never wider than the terminal, and a foreign title
// moves no cursor.
func TestTaskScreens(t *testing.T) {
	b := someTasks()
	tasks.Of(&b).List[3].Title = "title\x1b[2J\r\nTask 9: " + strings.Repeat("ü", 200)
	for _, width := range []int{20, 40, 80} {
		s := page.Screen{Width: width, Now: time.Unix(0, 0)}
		st := Stand{Run: &b, OwnerAlive: true}
		for name, text := range map[string]string{
			"tasks": page.Draw(s, List(st, nil)), "status": page.Draw(s, st),
			"explain": page.Draw(s, Why{Trouble: []string{tasks.Of(&b).List[3].Title}}),
			"list":    page.Draw(s, Runs{{Budget: b}}),
		} {
			for l := range strings.Lines(text) {
				if n := len([]rune(strings.TrimRight(l, "\n"))); n > width {
					t.Errorf("%s: %d columns of %d: %q", name, n, width, l)
				}
			}
			if strings.ContainsAny(text, "\x1b\r") || strings.Contains(text, "\nTask 9") {
				t.Errorf("%s: %q", name, text)
			}
		}
	}
}
