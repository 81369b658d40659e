package inspect_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"hooks/internal/inspect"
	"hooks/internal/loop"
	"hooks/internal/page"
	"hooks/internal/report"
	"hooks/internal/usage"
)

// FuzzReplay feeds any bytes as a session: nothing panics, every dollar of it is in a tick or
// outside of all, to the total that counting alone comes to, and nothing shown moves a cursor.
func FuzzReplay(f *testing.F) {
	for _, name := range []string{"session", "scheduled-with-gate", "interrupted"} {
		text, err := os.ReadFile("../usage/testdata/" + name + ".jsonl")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, []byte(nil))
	}
	night, err := txtar.ParseFile(
		"../../hooks/testdata/script/a_past_session_is_taken_through_the_rules.txtar")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(night.Files[1].Data, night.Files[2].Data)
	f.Fuzz(func(t *testing.T, main, worker []byte) {
		path := filepath.Join(t.TempDir(), "s.jsonl")
		agents := filepath.Join(strings.TrimSuffix(path, ".jsonl"), "subagents")
		if err := os.MkdirAll(agents, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string][]byte{path: main,
			filepath.Join(agents, "agent-w.jsonl"): worker} {
			if err := os.WriteFile(name, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		r, err := past.Replay(path, []string{"--max-dollars", "1"})
		if err != nil {
			return
		}
		counted, err := usage.Count(path, nil, usage.NewTable(nil))
		if err != nil {
			t.Fatal(err)
		}
		var spent loop.Tokens
		for _, m := range counted.ByModel {
			spent = spent.Add(m)
		}
		addsUp(t, r, spent.Dollars)
		for _, c := range page.Draw(page.Screen{Width: 200}, r) {
			if c != '\n' && (unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c)) {
				t.Fatalf("%U is shown", c)
			}
		}
	})
}

var past = &inspect.Inspector{Env: func(string) string { return "" }}

func addsUp(t *testing.T, r report.Replay, want loop.USD) {
	t.Helper()
	sum := r.Outside
	for _, i := range r.Iterations {
		sum += i.Dollars
	}
	if r.Total.Dollars != want || sum != want {
		t.Fatalf("counted %s, total %s, by tick %s", want, r.Total.Dollars, sum)
	}
}

// A person's own answer to the very question is taken over, not assumed, and acts as it would have.
func TestReplayTakesRecordedAnswers(t *testing.T) {
	for answer, want := range map[string]string{"continue": "iteration_budget",
		"iterations=9": "none", "stop": "prior_gate_stop"} {
		path := filepath.Join(t.TempDir(), "s.jsonl")
		if err := os.WriteFile(path, []byte(sixTicks(answer)), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := past.Replay(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := "none"
		if r.Stop != nil {
			got = r.Stop.Cause
		}
		if got != want {
			t.Errorf("%s: stopped by %s, want %s", answer, got, want)
		}
		asked := []report.Question{{Gate: "budget-escalation", Question: question, Answer: answer}}
		if diff := cmp.Diff(asked, r.Iterations[3].Asked); diff != "" {
			t.Errorf("%s: %s", answer, diff)
		}
	}
}

const question = "Approaching iterations (4/5). Continue, raise ceiling, or stop?"

// sixTicks is a session of six scheduled ticks, in the fourth of which a person answers the
// program's question.
func sixTicks(answer string) string {
	var b strings.Builder
	for n := 1; n <= 6; n++ {
		at := func(second int) string {
			return fmt.Sprintf("2026-11-20T12:0%d:%02d.000Z", n, second)
		}
		fmt.Fprintf(&b,
			`{"type":"user","promptId":"p%d","turnOrigin":"scheduled","timestamp":%q,"message":{"role":"user","content":"<command-message>sdd:work</command-message>\n<command-name>/sdd:work</command-name>\n<command-args>--loop</command-args>"}}`+"\n", n, at(0))
		if n == 4 {
			fmt.Fprintf(&b,
				`{"type":"assistant","timestamp":%q,"message":{"content":[{"type":"tool_use","id":"t","name":"AskUserQuestion","input":{"questions":[]}}]}}`+"\n", at(1))
			fmt.Fprintf(&b,
				`{"type":"user","timestamp":%q,"message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]},"toolUseResult":{"answers":{%q:%q}}}`+"\n", at(2), question, answer)
		}
		fmt.Fprintf(&b, `{"type":"system","subtype":"turn_duration","timestamp":%q}`+"\n", at(3))
	}
	return b.String()
}

// Esc in a tick ends the run at the next prompt; a fire while workers still run is skipped, as it
// is on a living loop; flags that cannot be honoured start nothing.
func TestReplayOfTicksThatDoNotRun(t *testing.T) {
	const (
		fire    = `{"type":"user","promptId":"p%d","turnOrigin":"scheduled","timestamp":"2026-11-20T12:0%[1]d:00.000Z","message":{"content":"<command-name>/sdd:work</command-name><command-args>--loop%s</command-args>"}}` + "\n"
		esc     = `{"type":"user","promptId":"p1","timestamp":"2026-11-20T12:01:30.000Z","message":{"content":"[Request interrupted by user]"}}` + "\n"
		send    = `{"type":"assistant","timestamp":"2026-11-20T12:01:10.000Z","message":{"content":[{"type":"tool_use","id":"t","name":"Agent","input":{"prompt":"go"}}]}}` + "\n"
		sent    = `{"type":"user","timestamp":"2026-11-20T12:01:11.000Z","message":{"content":[{"type":"tool_result","tool_use_id":"t"}]},"toolUseResult":{"status":"async_launched","agentId":"w"}}` + "\n"
		ends    = `{"type":"system","subtype":"turn_duration","timestamp":"2026-11-20T12:01:40.000Z"}` + "\n"
		stopped = `{"type":"user","promptId":"s","turnOrigin":"human","timestamp":"2026-11-20T12:01:50.000Z","message":{"content":"<command-name>/loop</command-name><command-args>stop</command-args>"}}` + "\n"
	)
	first, second := fmt.Sprintf(fire, 1, ""), fmt.Sprintf(fire, 2, "")
	for name, c := range map[string]struct{ session, want string }{
		"esc":       {first + esc + second, "ran refused user_interrupt"},
		"loop stop": {first + ends + stopped + second, "ran refused user_interrupt"},
		"workers":   {first + send + sent + ends + second, "ran skipped "},
		"mistyped":  {fmt.Sprintf(fire, 1, " --max-prs many"), "refused "},
		"cut off":   {first + second, "ran ran "},
		"both ways in": {first + strings.Replace(strings.Replace(send, "Agent", "Skill", 1),
			`{"prompt":"go"}`, `{"skill":"sdd:work","args":"--loop"}`, 1) + ends, "ran "},
		"ended between": {first + ends + second + ends, "ran ran "},
	} {
		path := filepath.Join(t.TempDir(), "s.jsonl")
		if err := os.WriteFile(path, []byte(c.session), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := past.Replay(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, i := range r.Iterations {
			got += i.Verdict + " "
		}
		if r.Stop != nil {
			got += r.Stop.Cause
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
