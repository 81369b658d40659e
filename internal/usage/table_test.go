package usage

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"hooks/internal/config"
	"hooks/internal/loop"
)

// million is what a million tokens cost in a row, kind by kind, in dollars.
func million(t *testing.T, r Row) [5]string {
	t.Helper()
	var out [5]string
	for i, v := range []loop.USD{r.Input, r.Output, r.CacheRead, r.CacheWrite5m, r.CacheWrite1h} {
		b, _ := (v * 1_000_000).MarshalJSON()
		out[i] = string(b)
	}
	return out
}

// The rows of CONTRACT's table: input, output, cache read, cache write 5m, cache write 1h.
func TestBuiltinPrices(t *testing.T) {
	tests := map[[5]string][]string{
		{"4", "20", "0.2", "5", "8"}: {"claude-opus-5-5"},
		{"5", "25", "0.5", "6.25", "10"}: {"claude-opus-5", "claude-opus-4-8",
			"claude-opus-4-7", "claude-opus-4-6", "claude-opus-4-5", "claude-opus-4-5-20251101",
			"us.anthropic.claude-opus-4-5-20251101-v1:0", "anthropic/claude-opus-4.5",
			"claude-opus-4-5@20251101", "claude-opus-4-6[1m]", "Claude-Opus-5-latest",
			"bedrock/eu.anthropic.claude-opus-4-6",
			"arn:aws:bedrock:eu-west-1:1:inference-profile/eu.anthropic.claude-opus-4-5-20251101-v1:0"},
		{"2", "10", "0.1", "2.5", "4"}: {"claude-sonnet-5-5"},
		{"2", "10", "0.2", "2.5", "4"}: {"claude-sonnet-5", "claude-sonnet-5-20260701"},
		{"3", "15", "0.3", "3.75", "6"}: {"claude-sonnet-4-6", "claude-sonnet-4-5",
			"claude-sonnet-4-5-20250929", "claude-sonnet-4-0", "claude-sonnet-4-20250514",
			"claude-3-7-sonnet-20250219", "claude-3-5-sonnet-20241022"},
		{"0.1", "0.5", "0.01", "0.125", "0.2"}: {"claude-haiku-5-5"},
		{"1", "5", "0.1", "1.25", "2"}:         {"claude-haiku-4-5", "claude-haiku-4-5-20251001"},
		{"0.8", "4", "0.08", "1", "1.6"}:       {"claude-3-5-haiku-20241022"},
		{"0.25", "1.25", "0.03", "0.3", "0.5"}: {"claude-3-haiku-20240307"},
		{"8", "40", "0.2", "10", "16"}:         {"claude-fable-5-2", "claude-mythos-5-2"},
		{"10", "50", "0.25", "12.5", "20"}:     {"claude-fable-5-1", "claude-mythos-5-1"},
		{"10", "50", "1", "12.5", "20"}:        {"claude-fable-5", "claude-mythos-5"},
		{"15", "75", "1.5", "18.75", "30"}: {"claude-opus-4-1-20250805",
			"claude-opus-4-20250514", "claude-opus-4-0", "claude-3-opus-20240229"},
	}
	table := NewTable(nil)
	for want, names := range tests {
		for _, name := range names {
			row, known := table.Find(name)
			if d := cmp.Diff(want, million(t, row)); d != "" || !known || row.Source == "" {
				t.Errorf("%s, known %v (-want +got):\n%s", name, known, d)
			}
		}
	}
	if table.Source != "built-in default" {
		t.Errorf("source %q", table.Source)
	}
}

func TestUnknownModels(t *testing.T) {
	tests := map[string]string{
		"claude-opus-5-6":    "claude-opus-5",
		"claude-opus-6":      "claude-opus-4-1",
		"claude-sonnet-9-1":  "claude-sonnet-4-6",
		"claude-haiku-6":     "claude-haiku-4-5",
		"claude-fable-6":     "claude-fable-5",
		"claude-verse-1":     "claude-opus-4-1",
		"gpt-9":              "claude-opus-4-1",
		"":                   "claude-opus-4-1",
		"claude-opus-55":     "claude-opus-4-1",
		"claude":             "claude-opus-4-1",
		"my-claude-opus-5-5": "claude-opus-4-1",
	}
	for name, want := range tests {
		row, known := NewTable(nil).Find(name)
		if row.Model != want || known {
			t.Errorf("%q is priced as %s, known %v, want %s", name, row.Model, known, want)
		}
	}
}

func TestConfiguredRowsWinPerModel(t *testing.T) {
	usd := func(d int64) loop.USD { return loop.USD(d) * 1_000_000 }
	free := loop.USD(0)
	table := NewTable([]config.Rate{
		{Model: "claude-opus-5", Input: usd(100), Output: usd(200)},
		{Model: "Claude-Sonnet", Input: usd(7), Output: usd(8), CacheRead: &free},
		{Model: "claude-haiku-5-5", Input: usd(20), Output: usd(40)},
		{Model: "local-llama", Input: 0, Output: 0},
	})
	tests := []struct {
		model string
		want  [5]string
	}{
		{"claude-opus-5", [5]string{"100", "200", "10", "125", "200"}},
		{"claude-opus-5-20260724", [5]string{"100", "200", "10", "125", "200"}},
		{"claude-opus-5-6", [5]string{"100", "200", "10", "125", "200"}},
		{"claude-opus-5-5", [5]string{"4", "20", "0.2", "5", "8"}},
		{"claude-sonnet-4-6", [5]string{"7", "8", "0", "8.75", "14"}},
		{"claude-sonnet-9", [5]string{"7", "8", "0", "8.75", "14"}},
		{"local-llama", [5]string{"0", "0", "0", "0", "0"}},
		{"claude-fable-5", [5]string{"10", "50", "1", "12.5", "20"}},
	}
	for _, tt := range tests {
		row, known := table.Find(tt.model)
		if d := cmp.Diff(tt.want, million(t, row)); d != "" || !known {
			t.Errorf("%s, known %v (-want +got):\n%s", tt.model, known, d)
		}
	}
	if row, _ := table.Find("claude-haiku-5-5"); row.Long != 5 || row.Fast != 1 {
		t.Errorf("the client's multipliers are lost: %+v", row)
	}
	if row, known := table.Find("gpt-9"); row.Model != "claude-opus-5" || known {
		t.Errorf("the dearest row is %+v", row)
	}
	if table.Source != "CLAUDE.md SDD config" {
		t.Errorf("source %q", table.Source)
	}
}

// cached is a prompt of that many tokens, read from the cache.
func cached(prompt int64) loop.Tokens { return loop.Tokens{CacheRead: prompt} }

// Every figure is REFERENCE's, for one million tokens of each kind where nothing else is said.
func TestModifiers(t *testing.T) {
	all := loop.Tokens{Input: 1e6, Output: 1e6, CacheRead: 1e6, CacheWrite5m: 1e6,
		CacheWrite1h: 1e6}
	tests := []struct {
		name, model string
		q           request
		want        string
	}{
		// 30+150+3+37.5+60
		{"fast opus 4.6", "claude-opus-4-6", request{all, true, false, nil}, "280.5"},
		{"fast opus 4.7", "claude-opus-4-7-20260101", request{all, true, false, nil}, "280.5"},
		// 10+50+1+12.5+20
		{"fast opus 4.8", "claude-opus-4-8", request{all, true, false, nil}, "93.5"},
		{"fast opus 5", "claude-opus-5", request{all, true, false, nil}, "93.5"},
		// 8+40+0.4+10+16
		{"fast opus 5.5", "claude-opus-5-5", request{all, true, false, nil}, "74.4"},
		// 16+80+0.4+20+32
		{"fast fable 5.2", "claude-fable-5-2", request{all, true, false, nil}, "148.4"},
		{"fast mythos 5.2", "claude-mythos-5-2", request{all, true, false, nil}, "148.4"},
		{"no fast price", "claude-sonnet-5-5", request{all, true, false, nil}, "18.6"},
		{"us", "claude-opus-5-5", request{all, false, true, nil}, "40.92"}, // 37.2 × 1.1
		{"us and fast", "claude-opus-4-6", request{all, true, true, nil}, "308.55"},
		{"web search", "claude-opus-5-5", request{loop.Tokens{WebSearches: 3}, true, true, nil},
			"0.03"},
		{"no premium above 200k", "claude-sonnet-4-5",
			request{loop.Tokens{Input: 300_000}, false, false, nil}, "0.9"},
		{"haiku at 100k", "claude-haiku-5-5",
			request{loop.Tokens{Input: 40_000, CacheRead: 30_000, CacheWrite5m: 20_000,
				CacheWrite1h: 10_000, Output: 1e6}, false, false, nil}, "0.5088"},
		{"haiku over 100k", "claude-haiku-5-5",
			request{loop.Tokens{Input: 40_001, CacheRead: 30_000, CacheWrite5m: 20_000,
				CacheWrite1h: 10_000, Output: 1e6}, false, false, nil}, "2.5440005"},
		{"haiku in two samplings", "claude-haiku-5-5",
			request{cached(120_000), false, false, []loop.Tokens{cached(60_000), cached(60_000)}},
			"0.0012"},
		{"one of two is long", "claude-haiku-5-5",
			request{cached(120_000), false, false, []loop.Tokens{cached(100_001), cached(19_999)}},
			"0.00520004"},
		{"samplings that are not all", "claude-haiku-5-5",
			request{cached(120_000), false, false, []loop.Tokens{cached(60_000)}}, "0.006"},
		{"samplings without the cache's lifetime", "claude-opus-4-6",
			request{loop.Tokens{CacheWrite1h: 1e6}, false, false,
				[]loop.Tokens{{CacheWrite5m: 1e6}}}, "10"},
		{"one token read", "claude-haiku-5-5", request{loop.Tokens{CacheRead: 1}, false, true, nil},
			"0.000000011"},
		{"reference's check", "claude-opus-5-5",
			request{loop.Tokens{Input: 60, Output: 210, CacheWrite5m: 500, CacheRead: 5000}, false,
				false, nil}, "0.00794"},
	}
	for _, tt := range tests {
		row, known := NewTable(nil).Find(tt.model)
		got, _ := row.cost(tt.q).MarshalJSON()
		if string(got) != tt.want || !known {
			t.Errorf("%s: $%s, want $%s", tt.name, got, tt.want)
		}
	}
}

// Cache writes come with a split by lifetime, without one, or with one that leaves a rest.
func TestCacheWriteSplit(t *testing.T) {
	tests := []struct {
		line       string
		five, hour int64
	}{
		{`{"cache_creation_input_tokens":200}`, 200, 0},
		{`{"cache_creation_input_tokens":200,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0}}`, 200, 0},
		{`{"cache_creation_input_tokens":200,"cache_creation":{"ephemeral_5m_input_tokens":50,"ephemeral_1h_input_tokens":150}}`, 50, 150},
		{`{"cache_creation":{"ephemeral_1h_input_tokens":150},"cache_creation_input_tokens":200}`,
			50, 150},
		{`{"cache_creation":{"ephemeral_5m_input_tokens":50,"ephemeral_1h_input_tokens":150}}`, 50,
			150},
		{`{"cache_creation_input_tokens":null,"cache_creation":null}`, 0, 0},
	}
	for _, tt := range tests {
		r := record{}
		ok := r.read([]byte(`{"message":{"id":"x","model":"m","usage":` + tt.line + `}}`))
		s, good, _ := r.spent()
		if !ok || !good || s.Tokens.CacheWrite5m != tt.five || s.Tokens.CacheWrite1h != tt.hour {
			t.Errorf("%s: %+v", tt.line, s.Tokens)
		}
	}
}
