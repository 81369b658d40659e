package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/clipperhouse/displaywidth"
	"pgregory.net/rapid"

	"hooks/internal/kind/audit"
	"hooks/internal/kind/backlog"
	"hooks/internal/kind/tasks"
	"hooks/internal/loop"
	"hooks/internal/page"
	"hooks/internal/term"
)

// foreign is text of any kind: control characters, wide and combining ones, emoji, long words.
func foreign(t *rapid.T, label string) string {
	return rapid.OneOf(rapid.String(),
		rapid.StringOfN(rapid.RuneFrom([]rune("漢字👩‍👩‍👧é\u0301\x1b[m\u202e ab→…")), 0, 80, -1),
		rapid.StringMatching(`[a-z/:-]{0,90}`)).Draw(t, label)
}

// anyStand is a loop in any state with any words in it.
func anyStand(t *rapid.T) (Stand, []loop.Iteration) {
	text := func(label string) string { return foreign(t, label) }
	small := rapid.IntRange(0, 2_000_000)
	b := &loop.Budget{
		Version: 1, RunID: text("run"), SessionID: text("session"),
		Skill: rapid.SampledFrom(loop.Kinds).Draw(t, "kind").Name,
		Status: rapid.SampledFrom([]loop.Status{loop.Active, loop.Halted, loop.Paused}).Draw(t,
			"status"), Command: text("command"),
		StopCause: rapid.SampledFrom([]string{"cost_budget", "iteration_budget", "gate_waiting",
			"qmd_unreachable", "x"}).Draw(t, "cause"), StopText: text("stop"),
		Ceilings: loop.Ceilings{Iterations: small.Draw(t, "i"), PRs: small.Draw(t, "p"),
			Minutes: small.Draw(t, "m"), Dollars: loop.USD(small.Draw(t, "d")) * loop.Dollar / 2},
		IterationsUsed: small.Draw(t, "used"), MinutesElapsed: small.Draw(t, "min"),
		DollarsEstimate: loop.USD(small.Draw(t, "spent")) * loop.Dollar / 3,
		SinglePR:        rapid.SampledFrom([]int{0, 142}).Draw(t, "pr"),
		PRsTouched:      []string{"#1", "#201"},
	}
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	tick := &loop.Tick{Iteration: b.IterationsUsed, Started: true}
	gate := loop.Gate{Name: loop.AmbiguousCriteria, Question: text("question"),
		Target: text("target"), Options: []loop.Option{{Label: text("option")}}}
	line := loop.Iteration{
		RunID: b.RunID, Iteration: b.IterationsUsed, StartedAt: now.Add(-time.Hour), EndedAt: now,
		Outcome: loop.LineOutcome(text("outcome")), Notes: []string{text("note")},
		Dollars: b.DollarsEstimate, PRsTouched: []string{text("touched")},
		Failures: []loop.Failure{{Kind: "pr", Number: 4, Cause: text("failure")}},
		TrackedPRs: []loop.TrackedPR{{Number: 7, Branch: text("branch"), EndSHA: text("sha"),
			StateAtEnd: text("state")}}, Fired: []string{text("fired")},
		Worktrees: []loop.Worktree{{Path: text("path"), Branch: text("wbranch")}},
		Gates: []loop.GateAnswer{{Name: "question", Question: text("asked"),
			Answer: text("answer")}},
	}
	st := Stand{
		Run: b, Tick: tick, Minutes: b.MinutesElapsed,
		Budgets: Axes(b, b, tick, true, now),
		Gates:   []Waiting{Wait(b.Skill, gate, rapid.Bool().Draw(t, "paused"))},
		Lock:    &loop.Lock{StartedAt: now}, Last: RanIn(&line), Next: text("next"),
		Deferred: []string{text("deferred")}, Notes: []string{text("standing note")},
		Resume: Resume(b, text("file")),
	}
	return st, []loop.Iteration{line}
}

// Nothing that is drawn is wider than its screen, and nothing in it acts on a terminal, whatever
// the words are.
func TestNothingIsWiderThanTheScreen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := page.Screen{
			Width: rapid.IntRange(1, 130).Draw(t, "width"),
			Color: rapid.Bool().Draw(t, "colour"),
			Now:   time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC),
		}
		st, lines := anyStand(t)
		why := NewWhy(st)
		why.Stopped = StoppedBy(st.Run, &lines[0], st.Gates, "")
		if rapid.Bool().Draw(t, "runs") {
			f := loop.Look(st.Run, st.Tick, &lines[0], s.Now)
			why.Stopped, why.Conditions, why.Gates = nil, loop.States(f), loop.GateStates(f)
		}
		card := NewCard(st, lines)
		card.Stopped, card.Resume = why.Stopped, st.Resume
		var table bytes.Buffer
		h := HistoryTable(&table, s, 0, false)
		row := lines[0]
		row.Skill = rapid.SampledFrom([]loop.Skill{backlog.Work, tasks.Name, audit.Name}).Draw(t,
			"skill")
		row.Own = &tasks.Line{Task: 1}
		if row.Skill == audit.Name {
			row.Own = &audit.Line{Phase: audit.Phase(st.Run.StopText), Section: 1}
		}
		if err := h.Row("", &row, nil); err != nil {
			t.Fatal(err)
		}
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{
			"status": page.Draw(s, st), "explain": page.Draw(s, why), "card": page.Draw(s, card),
			"history": table.String(), "line": Line(s, []Stand{st, st}, "s1"),
		} {
			for line := range strings.Lines(text) {
				checkLine(t, s, name, strings.TrimSuffix(line, "\n"))
			}
		}
	})
}

func checkLine(t *rapid.T, s page.Screen, name, line string) {
	bare := displaywidth.Options{ControlSequences: true}
	if w := bare.String(line); w > max(s.Width, 20) {
		t.Fatalf("%s: %d columns on a screen of %d: %q", name, w, s.Width, line)
	}
	if s.Color {
		for _, style := range []string{page.Strong, page.Faint, page.Good, page.Warn, page.Bad,
			"0"} {
			line = strings.ReplaceAll(line, "\x1b["+style+"m", "")
		}
	}
	if term.Line(line) != line {
		t.Fatalf("%s: %q acts on a terminal", name, line)
	}
}
