package usage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hooks/internal/loop"
)

// tree is a session on disk.
type tree struct {
	testing.TB
	main string
}

func newTree(t testing.TB) tree {
	return tree{t, filepath.Join(t.TempDir(), "ac544b0a-5379-4db8-9e83-a8e731e05c27.jsonl")}
}

func (tr tree) agent(name string) string {
	return filepath.Join(strings.TrimSuffix(tr.main, ".jsonl"), "subagents", name+".jsonl")
}

// add appends raw text to a file of the tree.
func (tr tree) add(path string, lines ...any) {
	tr.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		tr.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		tr.Fatal(err)
	}
	defer f.Close()
	for _, l := range lines {
		if _, err := fmt.Fprintln(f, l); err != nil {
			tr.Fatal(err)
		}
	}
}

// counted is a result with its sums.
type counted struct {
	Result
	In, Out int64
	Dollars loop.USD
}

// unknown lists the models that the notes name as unknown.
func (c counted) unknown() (models []string) {
	for _, note := range c.Notes {
		if _, rest, found := strings.Cut(note, "Unknown model in cost accounting: "); found {
			model, _, _ := strings.Cut(rest, " ")
			models = append(models, model)
		}
	}
	return models
}

func summed(r Result, err error) (counted, error) {
	var s loop.Tokens
	for _, m := range r.ByModel {
		s = s.Add(m)
	}
	return counted{r, s.In(), s.Output, s.Dollars}, err
}

// count counts, with the cursors written and read as the store does.
func (tr tree) count(cursors []loop.Cursor) counted {
	tr.Helper()
	b, err := json.Marshal(cursors)
	if err != nil {
		tr.Fatal(err)
	}
	cursors = nil
	if err := json.Unmarshal(b, &cursors); err != nil {
		tr.Fatal(err)
	}
	r, err := summed(Count(tr.main, cursors, NewTable(nil)))
	if err != nil {
		tr.Fatal(err)
	}
	run := loop.Budget{Cursors: cursors}
	run.Spend(r.Spent)
	r.Cursors = run.Cursors
	return r
}

func sum(r counted) loop.Tokens {
	var s loop.Tokens
	for _, m := range r.ByModel {
		s = s.Add(m)
	}
	return s
}

func TestParityWithTheClient(t *testing.T) {
	tests := []struct {
		main   string
		agents []string
	}{
		{"interrupted", nil},
		{"scheduled-with-gate", nil},
		{"session", []string{"agent-abbb", "agent-aeae"}},
	}
	for _, tt := range tests {
		t.Run(tt.main, func(t *testing.T) {
			tr := newTree(t)
			recorded, err := os.ReadFile("testdata/" + tt.main + ".jsonl")
			if err != nil {
				t.Fatal(err)
			}
			tr.add(tr.main, strings.TrimSuffix(string(recorded), "\n"))
			for _, a := range tt.agents {
				b, err := os.ReadFile("testdata/" + a + ".subagent.jsonl")
				if err != nil {
					t.Fatal(err)
				}
				tr.add(tr.agent(a), strings.TrimSuffix(string(b), "\n"))
			}
			compareCost(t, tr.count(nil), recorded)
		})
	}
}

// compareCost holds a result against the client's own total in the last cost-state line.
func compareCost(t *testing.T, got counted, recorded []byte) {
	t.Helper()
	lines := bytes.Split(bytes.TrimSpace(recorded), []byte("\n"))
	var state struct {
		TotalCostUSD float64
		ModelUsage   map[string]struct {
			InputTokens, OutputTokens, CacheReadInputTokens, CacheCreationInputTokens, WebSearchRequests int64
		}
	}
	if err := json.Unmarshal(lines[len(lines)-1], &state); err != nil || state.TotalCostUSD == 0 {
		t.Fatalf("no cost-state: %v", err)
	}
	if off := math.Abs(
		float64(got.Dollars)/float64(loop.Dollar) - state.TotalCostUSD); off > 0.0000001 {
		t.Errorf("%s dollars, the client has %v", got.Dollars, state.TotalCostUSD)
	}
	if len(got.ByModel) != len(state.ModelUsage) {
		t.Errorf("models %v", got.ByModel)
	}
	for model, want := range state.ModelUsage {
		m := got.ByModel[model]
		if m.Input != want.InputTokens || m.Output != want.OutputTokens ||
			m.CacheRead != want.CacheReadInputTokens ||
			m.CacheWrite5m+m.CacheWrite1h != want.CacheCreationInputTokens ||
			m.WebSearches != want.WebSearchRequests {
			t.Errorf("%s: %+v, the client has %+v", model, m, want)
		}
	}
	if got.Skipped > 0 || len(got.Notes) > 0 {
		t.Errorf("result %+v", got)
	}
}

// What an advisor answered is in none of the request's own numbers: the client charges it by the
// advisor's model, at normal speed, without searches.
func TestAdvisorsArePaidToo(t *testing.T) {
	const asked = `[{"type":"message","input_tokens":10,"output_tokens":5},` +
		`{"type":"advisor_message","model":"claude-opus-4-6","input_tokens":1000,"output_tokens":100,"cache_read_input_tokens":2000,"cache_creation_input_tokens":30,"cache_creation":{"ephemeral_1h_input_tokens":10},"server_tool_use":{"web_search_requests":9}}`
	s := said1{id: "a", model: "claude-haiku-4-5", in: 10, out: 5, speed: "fast", geo: "us",
		iterations: asked + "]"}
	tr := newTree(t)
	tr.add(tr.main, s)
	first := tr.count(nil)
	want := map[string]loop.Tokens{
		"claude-haiku-4-5": {Input: 10, Output: 5, Messages: 1, Dollars: 38_500_000},
		"claude-opus-4-6": {Input: 1000, Output: 100, CacheRead: 2000, CacheWrite5m: 20,
			CacheWrite1h: 10, Dollars: 9_597_500_000},
	}
	if d := cmp.Diff(want, first.ByModel); d != "" {
		t.Errorf("usage (-want +got):\n%s", d)
	}
	s.iterations = asked + `,{"type":"advisor_message","input_tokens":1}]`
	tr.add(tr.main, s, s)
	again := tr.count(first.Cursors)
	if d := cmp.Diff([]string{"unknown"}, again.unknown()); d != "" || sum(again).In() != 1 ||
		sum(again).Output != 0 {
		t.Errorf("a second advisor: %+v", again)
	}
}

// A forked session's transcript begins with copies of another's lines. The client marks them by the
// session that made the request, and they may be written after the loop's entry.
func TestCopiesFromAnotherSessionAreNotPaidAgain(t *testing.T) {
	tr := newTree(t)
	copied := func(line, from string) string {
		return strings.Replace(line, `"type":"assistant","uuid"`,
			`"type":"assistant","requestSessionId":"`+from+`","uuid"`, 1)
	}
	tr.add(tr.main, copied(said1{id: "a", in: 1000}.String(), "before"), said1{id: "b", in: 1},
		copied(said1{id: "c", in: 10}.String(), ""))
	if got := tr.count(nil); got.In != 11 || got.Skipped != 0 {
		t.Errorf("counted %+v", got)
	}
}

func TestLinesOfOneRequestCountOnce(t *testing.T) {
	tr := newTree(t)
	tr.add(tr.main, said1{id: "a", in: 10, out: 1}, said1{id: "a", in: 10, out: 5},
		said1{id: "b", in: 1}, said1{id: "a", in: 10, out: 3})
	tr.add(tr.main, said1{id: "a", request: "other", in: 100})
	first := tr.count(nil)
	if got := sum(first); got.Input != 111 || got.Output != 5 {
		t.Errorf("first count %+v", got)
	}
	tr.add(tr.main, said1{id: "a", in: 10, out: 8, web: 2})
	second := tr.count(first.Cursors)
	want := loop.Tokens{Output: 3, WebSearches: 2, Dollars: 3*20_000_000 + 2*loop.Cent}
	if d := cmp.Diff(map[string]loop.Tokens{"claude-opus-5-5": want}, second.ByModel); d != "" {
		t.Errorf("increase (-want +got):\n%s", d)
	}
	if again := tr.count(second.Cursors); again.Dollars != 0 || again.In != 0 ||
		len(again.ByModel) != 0 {
		t.Errorf("nothing new, but %+v", again)
	}
}

func TestUnfinishedLineWaits(t *testing.T) {
	tr := newTree(t)
	line := said1{id: "a", in: 10}.String()
	tr.add(tr.main, said1{id: "b", in: 1})
	f, _ := os.OpenFile(tr.main, os.O_APPEND|os.O_WRONLY, 0)
	f.WriteString(line[:300])
	first := tr.count(nil)
	f.WriteString(line[300:] + "\n")
	f.Close()
	second := tr.count(first.Cursors)
	if first.In != 1 || second.In != 10 || second.Skipped+first.Skipped > 0 {
		t.Errorf("%d then %d tokens, %d lines skipped", first.In, second.In,
			first.Skipped+second.Skipped)
	}
}

func TestOnlyTopLevelAssistantLinesCount(t *testing.T) {
	a := said1{id: "x", in: 1000}.String()
	quoted, _ := json.Marshal(a)
	tr := newTree(t)
	tr.add(tr.main,
		`{"type":"api-request","body":`+a+`}`,
		`{"body":`+a+`,"type":"api-request-blob"}`,
		`{"type":"api-request","body":`+string(quoted)+`}`,
		`{"parentUuid":"p","attachment":`+a+`,"type":"attachment"}`,
		`{"parentUuid":"p","type":"user","message":{"role":"user","content":[]},"toolUseResult":{"usage":{"input_tokens":5},"nested":`+a+`}}`,
		said1{id: "s", in: 7, model: "<synthetic>"},
		`{"type":"assistant","message":{"id":"n","model":"claude-opus-5-5","content":[]}}`,
		`{"type":"assistant","message":{"id":"n","model":"claude-opus-5-5","usage":null},"x_tokens":1}`,
		said1{id: "real", in: 3},
	)
	if r := tr.count(nil); r.In != 3 || r.Skipped != 0 {
		t.Errorf("%d tokens, %d skipped: %v", r.In, r.Skipped, r.ByModel)
	}
}

func TestRubbishIsSkippedAndCounted(t *testing.T) {
	tr := newTree(t)
	long := said1{id: "long", in: 1, text: strings.Repeat("x", 50<<20)}.String()
	torn := said1{id: "torn", in: 1}.String()
	tr.add(tr.main, said1{id: "a", in: 1}, long, said1{id: "b", in: 10}, "\x00\x01\xff\xfe",
		torn[:len(torn)/2]+torn, "not json", "", "\r",
		strings.Replace(said1{id: "bad", in: 1, text: "TEXT"}.String(), "TEXT", "\xff\xfe", 1),
		said1{id: "c", in: -1}, said1{id: "d", in: 1 << 40},
		said1{id: "e", in: 100, text: "größe 世界"}.String()+"\r")
	r := tr.count(nil)
	if r.In != 111 || r.Skipped != 7 {
		t.Errorf("%d tokens, %d skipped", r.In, r.Skipped)
	}
	fi, _ := os.Stat(tr.main)
	if r.Cursors[0].Offset != fi.Size() {
		t.Errorf("offset %d of %d", r.Cursors[0].Offset, fi.Size())
	}
}

func TestEverySubagentTranscriptCounts(t *testing.T) {
	tr := newTree(t)
	tr.add(tr.main, said1{id: "m", in: 1})
	tr.add(tr.agent("agent-1"), said1{id: "a1", in: 10, sidechain: true})
	tr.add(tr.agent("agent-1/subagents/agent-2"),
		said1{id: "a2", in: 100, model: "claude-haiku-4-5-20251001", sidechain: true})
	tr.add(tr.agent("notes"), said1{id: "no", in: 5000})
	first := tr.count(nil)
	if first.In != 111 || len(first.ByModel) != 2 {
		t.Errorf("%d tokens by %v", first.In, first.ByModel)
	}
	tr.add(tr.agent("agent-1"), said1{id: "a3", in: 1000, sidechain: true}) // resumed
	tr.add(tr.agent("workflows/w/agent-9"), said1{id: "a9", in: 10000, sidechain: true})
	second := tr.count(first.Cursors)
	if second.In != 11000 {
		t.Errorf("%d tokens by %v", second.In, second.ByModel)
	}
	if third := tr.count(second.Cursors); third.In != 0 || len(third.Cursors) != 4 {
		t.Errorf("%d tokens, cursors %v", third.In, third.Cursors)
	}
}

// A copy of a worker's line in another transcript is the same request, in a later count too.
func TestACopyInAnotherTranscriptIsTheSameRequest(t *testing.T) {
	line := said1{id: "a1", in: 10}
	tr := newTree(t)
	tr.add(tr.main, line, said1{id: "m", in: 100})
	tr.add(tr.agent("agent-1"), line)
	first := tr.count(nil)
	if first.In != 110 {
		t.Errorf("%d tokens", first.In)
	}
	tr.add(tr.main, line)
	if r := tr.count(first.Cursors); r.In != 0 {
		t.Errorf("%d tokens in the next tick", r.In)
	}
}

// A count is whole or not at all; a look at what is spent so far takes what it can read.
func TestAnUnreadableFileIsNamed(t *testing.T) {
	tr := newTree(t)
	tr.add(tr.agent("agent-1"), said1{id: "b", in: 10})
	if err := os.Mkdir(tr.main, 0o700); err != nil {
		t.Fatal(err)
	}
	r, err := Count(tr.main, nil, NewTable(nil))
	if err == nil || !strings.Contains(err.Error(), tr.main) || r.ByModel != nil ||
		r.Cursors != nil || len(r.Notes) != 1 {
		t.Errorf("%v, %+v", err, r)
	}
	look, err := Running(tr.main, nil, Fresh(tr.main, nil, []string{"1"}, ""), NewTable(nil))
	if err == nil || look.Dollars == 0 || len(look.Cursors) != 1 {
		t.Errorf("%v, %+v", err, look)
	}
}

func TestUnknownModelsAreNamedOnceAndNeverFree(t *testing.T) {
	tr := newTree(t)
	for i := range 3 {
		tr.add(tr.main, said1{id: fmt.Sprint("a", i), in: 1, model: "gpt-9"},
			said1{id: fmt.Sprint("b", i), in: 1, model: "claude-opus-5-5"})
	}
	tr.add(tr.main,
		strings.Replace(said1{id: "n", in: 1}.String(), `"model":"claude-opus-5-5",`, "", 1))
	r := tr.count(nil)
	if d := cmp.Diff([]string{"gpt-9", "unknown"}, r.unknown()); d != "" {
		t.Errorf("unknown (-want +got):\n%s", d)
	}
	if r.ByModel["gpt-9"].Dollars != 3*15_000_000 || r.ByModel["unknown"].Dollars != 15_000_000 {
		t.Errorf("dollars %v", r.ByModel)
	}
}

func TestTheSameMessageIDInTwoAgentsIsTwoRequests(t *testing.T) {
	tr := newTree(t)
	tr.add(tr.agent("agent-1"), said1{id: "m", request: "r1", in: 1, sidechain: true})
	tr.add(tr.agent("agent-2"), said1{id: "m", request: "r2", in: 10, sidechain: true},
		said1{id: "m", request: "r1", in: 1, sidechain: true})
	if r := tr.count(nil); r.In != 11 {
		t.Errorf("%d tokens", r.In)
	}
}
