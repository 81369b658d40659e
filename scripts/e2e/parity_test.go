//go:build e2e && linux

package e2e

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// spender is a worker that sends off two workers of its own in every iteration, one it waits for
// and one in the background, each on another model, and one of them a third.
func spender(r Request) Turn {
	main := Worker{Work: func(n int) []Call {
		return []Call{
			dispatch(fmt.Sprintf("WORKER one of %d", n), "haiku", false),
			dispatch(fmt.Sprintf("WORKER two of %d", n), "sonnet", true),
			bash("echo working"),
		}
	}}
	turn := main.Say(r)
	if prompt := r.Prompt(); strings.HasPrefix(prompt, "WORKER") ||
		strings.Contains(prompt, "\nWORKER") {
		turn = Turn{Text: "worked"}
		switch {
		case len(r.Calls()) == 0:
			turn = Turn{Calls: []Call{bash("echo step")}}
		case strings.Contains(prompt, "WORKER one") && len(r.Calls()) == 1:
			turn = Turn{Calls: []Call{dispatch("WORKER three", "fable", false)}}
		}
	}
	turn.Usage = costly(r)
	return turn
}

// dispatch sends a worker to the issue that its task names, else to one of its own.
func dispatch(task, model string, background bool) Call {
	prompt := task
	if !strings.Contains(task, "#") {
		number := 1000 + crc32.ChecksumIEEE([]byte(task))%1e6
		prompt = fmt.Sprintf("%s\nIt is issue #%d.", task, number)
	}
	return Call{"Agent", map[string]any{
		"description": task, "prompt": prompt, "subagent_type": "general-purpose",
		"model": model, "run_in_background": background,
	}}
}

// costly is usage of every kind, another one for every length of the conversation.
func costly(r Request) Usage {
	n := len(r.Messages)
	u := Usage{Input: 11 + n, Output: 300 + 7*n, CacheRead: 20_001 + 13*n, CacheWrite5m: 501 + n,
		CacheWrite1h: 203 + n, WebSearches: n % 2}
	switch {
	case strings.Contains(r.Model, "haiku"):
		// from some length on a long prompt, which costs five times as much
		u.CacheRead = 70_000 + 20_000*n
		u.Sampled = n%4 < 2 // but not where each of two samplings had a short one
	case strings.Contains(r.Model, "sonnet"):
		u.US = true
	case strings.Contains(r.Model, "opus"):
		u.Advisor = "claude-fable-5-2"
	}
	return u
}

// The program's count of a run equals the client's charge: main thread, awaited, background and
// nested workers, four models, every kind of token, web searches, and a second session that resumes
// the run (R58–R63).
func TestDollarsAreTheClientsOwn(t *testing.T) {
	w := newWorld(t, spender)
	first := w.Headless("/sdd:work --loop --max-dollars 0")
	b := w.Budget("work")
	same(t, "first session", b.Dollars, first.TotalUSD)
	for _, model := range []string{"claude-opus-5-5", "claude-haiku-5-5", "claude-sonnet-5-5",
		"claude-fable-5-2"} {
		u, told := b.ByModel[model]
		if !told || u.CacheRead == 0 || u.CacheWrite5m == 0 || u.CacheWrite1h == 0 {
			t.Errorf("%s: %+v", model, u)
		}
	}
	w.compareModels(b)

	second := w.Headless("/sdd:work --loop --max-dollars 0 --resume")
	same(t, "both sessions", w.Budget("work").Dollars, first.TotalUSD+second.TotalUSD)
	lines := w.History("work")
	if len(lines) != 2 || sameRun(t, lines)[1] != "ok" {
		t.Errorf("history is %+v", lines)
	}
	total := 0.0
	for _, l := range lines {
		total += l.Dollars
	}
	t.Logf("the client: $%.7f and $%.7f; counted: $%.7f, $%.7f of it in iterations", first.TotalUSD,
		second.TotalUSD, w.Budget("work").Dollars, total)
}

// same allows a hundredth of a cent, the bound; both sides are far closer.
func same(t *testing.T, what string, got, want float64) {
	t.Helper()
	if want == 0 || math.Abs(got-want) > 0.0001 {
		t.Errorf("%s: counted $%v, the client says $%v", what, got, want)
	}
}

// compareModels holds each model's usage against the client's cost-state, its own record at the end
// of a session.
func (w *World) compareModels(b Budget) {
	w.t.Helper()
	files, err := filepath.Glob(filepath.Join(w.Home, ".claude", "projects", "*", "*.jsonl"))
	if err != nil || len(files) != 1 {
		w.t.Fatalf("%d transcripts: %v", len(files), err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		w.t.Fatal(err)
	}
	var state struct {
		Type       string
		ModelUsage map[string]struct {
			InputTokens, OutputTokens, CacheReadInputTokens, CacheCreationInputTokens,
			WebSearchRequests int
			CostUSD float64
		}
	}
	for _, line := range strings.Split(string(data), "\n") {
		if strings.Contains(line, `"cost-state"`) {
			_ = json.Unmarshal([]byte(line), &state)
		}
	}
	if state.Type != "cost-state" || len(state.ModelUsage) != len(b.ByModel) {
		w.t.Fatalf("the client's own record is %+v, counted %+v", state, b.ByModel)
	}
	for model, want := range state.ModelUsage {
		got := b.ByModel[model]
		same(w.t, model, got.Dollars, want.CostUSD)
		if got.Input != want.InputTokens || got.Output != want.OutputTokens ||
			got.CacheRead != want.CacheReadInputTokens ||
			got.CacheWrite5m+got.CacheWrite1h != want.CacheCreationInputTokens ||
			got.WebSearches != want.WebSearchRequests {
			w.t.Errorf("%s: counted %+v, the client %+v", model, got, want)
		}
	}
}
