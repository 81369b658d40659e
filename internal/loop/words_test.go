package loop

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseUSD(t *testing.T) {
	for in, want := range map[string]USD{
		"25": 25 * Dollar, ".5": Dollar / 2, "0.5": Dollar / 2, "1.000000000001": Dollar + 1,
		"1000000": maxDollars * Dollar, "1000000.000000000000": maxDollars * Dollar,
		"007": 7 * Dollar,
		"0":   0, "0.0": 0,
	} {
		if got, err := ParseUSD(in); err != nil || got != want {
			t.Errorf("%s: %d, %v", in, got, err)
		}
	}
	for in, want := range map[string]string{
		"": "is not an amount", ".": "is not an amount", "5.": "is not an amount",
		"-1": "is not an amount", "1e3": "is not an amount", "1.x": "is not an amount",
		"1.0000000000001": "is not an amount", "1000000.000000000001": "is over 1000000 dollars",
		"1000001": "is over 1000000 dollars", "99999999999999999999": "is over 1000000 dollars",
	} {
		if got, err := ParseUSD(in); err == nil || !strings.Contains(err.Error(), want) ||
			got != 0 {
			t.Errorf("%s: %d, %v", in, got, err)
		}
	}
}

func TestUSDAsJSON(t *testing.T) {
	for in, want := range map[string]USD{
		"1e2": 100 * Dollar, "1.5e-12": 2, "1.4e-12": 1, "0e0": 0, "1e6": maxDollars * Dollar,
		"0.0000000000014": 1,
	} {
		var u USD
		if err := u.UnmarshalJSON([]byte(in)); err != nil || u != want {
			t.Errorf("%s: %d, %v", in, u, err)
		}
	}
	for _, in := range []string{"-1", "-1e2", "1e7", "x", ""} {
		u := USD(3)
		if err := u.UnmarshalJSON([]byte(in)); err == nil || u != 3 {
			t.Errorf("%s: %d, %v", in, u, err)
		}
	}
	for u, want := range map[USD]string{
		0: "0", 5: "0.000000000005", -5: "-0.000000000005", Dollar: "1", -Dollar - Cent: "-1.01",
		Dollar / 10: "0.1",
	} {
		if got, err := u.MarshalJSON(); err != nil || string(got) != want {
			t.Errorf("%d: %s, %v", u, got, err)
		}
	}
	for u, want := range map[USD]string{Cent/2 - 1: "0.00", Cent / 2: "0.01",
		1005 * Cent: "10.05"} {
		if got := u.String(); got != want {
			t.Errorf("%d: %s", u, got)
		}
	}
	for had, want := range map[USD]USD{2*Cent + 2: 4*Cent + 2,
		25*Dollar + Cent: 37*Dollar + 52*Cent} {
		c := Ceilings{Dollars: had}
		if (axis{name: "dollars"}).raise(&c); c.Dollars != want {
			t.Errorf("%s is raised to %s", had, c.Dollars)
		}
	}
	for had, want := range map[int]int{5: 8, 4: 6, 1: 2, 999_999: MaxUnits,
		MaxUnits + 5: MaxUnits + 5} {
		c := Ceilings{PRs: had}
		if (axis{name: "PRs"}).raise(&c); c.PRs != want {
			t.Errorf("%d is raised to %d", had, c.PRs)
		}
	}
}

func TestParseRaise(t *testing.T) {
	for answer, want := range map[string]Ceilings{
		"iterations=1":                    {1, 20, 60, 25 * Dollar},
		"PRs=1000000, minutes=1":          {5, MaxUnits, 1, 25 * Dollar},
		"dollars=$0.01":                   {5, 20, 60, Cent},
		"iterations=0":                    {},
		"iterations=1000001":              {},
		"dollars=0":                       {},
		"dollars=0.000000000001":          {5, 20, 60, 1},
		"dollars=x":                       {},
		"hours=3":                         {},
		"iterations":                      {},
		"":                                {},
		" , ":                             {},
		"iterations=9 and carry on":       {},
		"minutes=90 dollars=30 prs=25":    {5, 25, 90, 30 * Dollar},
		"minutes=90,dollars=30,minutes=1": {5, 20, 1, 30 * Dollar},
	} {
		got, ok := parseRaise(answer, Defaults)
		if ok != (want != Ceilings{}) || ok && got != want {
			t.Errorf("%q: %+v, %v", answer, got, ok)
		}
	}
	to := Ceilings{8, 30, 90, 0}
	raise := func(run *Budget) string {
		return Gate{Raise: &to, Options: []Option{{}}}.describe(run).Options[0].Description
	}
	want := "Raise to 8 iterations, 30 PRs, 90 minutes, no dollar ceiling."
	if got := raise(&Budget{Skill: Work}); !strings.HasPrefix(got, want) {
		t.Error(got)
	}
	to.Dollars = 3 * Dollar
	want = "Raise to 8 iterations, 90 minutes, $3.00. Or type your own"
	watched := &Budget{Skill: Review, SinglePR: 4}
	if got := raise(watched); !strings.HasPrefix(got, want) {
		t.Error(got)
	}
}

// R97: what a terminal takes for an answer, and what for a mistyped one.
func TestUnderstands(t *testing.T) {
	for _, c := range []struct {
		gate, answer string
		want         bool
	}{
		{BudgetEscalation, " Raise ", true}, {BudgetEscalation, "rise", false},
		{BudgetEscalation, "minutes=9", true}, {BudgetEscalation, "minutes=x", false},
		{BudgetEscalation, "minutes=9 please", false}, {BudgetEscalation, "carry on", true},
		{AmbiguousCriteria, "a=b", false}, {AmbiguousCriteria, "set a=b", true},
		{AmbiguousCriteria, "a\tb", true}, {AmbiguousCriteria, "a\nb", true},
		{AmbiguousCriteria, "skip", true}, {AmbiguousCriteria, "raise", false},
	} {
		k := GateOf(c.gate)
		if got := asGate(k.Name, Gate{Raise: &Defaults}).Understands(c.answer); got != c.want {
			t.Errorf("%s: %q is understood: %v", c.gate, c.answer, got)
		}
	}
	raise := Gate{Name: BudgetEscalation}
	if got := raise.Act("minutes=9"); got != "continue" {
		t.Errorf("without ceilings to raise it acts as %q", got)
	}
	other := Gate{Name: BacklogDrift, Raise: &Defaults}
	if got := other.Act("minutes=9"); got != "re-propose" {
		t.Errorf("at another gate it acts as %q", got)
	}
}

// R34: numbers, addresses and durations tell no failure apart; words do.
func TestSignatureOf(t *testing.T) {
	for cause, want := range map[string]string{
		"a\tb\nc\r\nd":         "a b c d",
		"at 0x7ffe12 in f00d":  "at in",
		"face of deadbeef":     "face of deadbeef",
		"line12: x3y":          "lin: y",
		"12":                   "",
		"Timeout after 31.5s!": "timeout after .s!",
		"go1.26 zzz9zzz":       "go. zzzzzz",
	} {
		if got := Signature(cause); got != want {
			t.Errorf("%q: %q, want %q", cause, got, want)
		}
	}
}

// What stands for a secret, and what only looks like one.
func TestSecretsAtTheirBounds(t *testing.T) {
	for text, want := range map[string]string{
		"Bearer 12345678":                "Bearer <redacted>",
		"Bearer 1234567":                 "",
		"Bearer=12345678":                "",
		"Bearer x$345678":                "Bearer <redacted>",
		"Bearer %2345678":                "Bearer <redacted>",
		"Bearer $TOKEN_OF_MINE":          "",
		"curl -u me: x":                  "",
		"curl -u me:$PW x":               "",
		"curl -u me:x$ x":                "curl -u me:<redacted> x",
		"curl -u me:%pw x":               "curl -u me:<redacted> x",
		"ls -u:secret":                   "",
		"https://123456789012345@h":      "",
		"https://1234567890123456@h":     "https://<redacted>@h",
		"https://h/path?x=a:b@c":         "",
		"x ghp_1234567 y":                "",
		"x ghp_12345678 y":               "x <redacted> y",
		"x aaaaaaaaaaghp_12 y":           "",
		"ASIAIOSFODNN7EXAMPLE":           "<redacted>",
		"AKIASHORT":                      "",
		"AKIAIOSFODNN7EXAMPLES":          "",
		"abcdefghijklmnopqr12":           "",
		"eyJ45678901234567890":           "<redacted>",
		"eyJ4567890123456789":            "",
		"sk-abcdefghijklmnopqrst":        "",
		"Authorization is needed":        "",
		"Authorization: ":                "",
		"Authorization: Bearer abc x":    "Authorization: <redacted> x",
		"Authorization: Basic abc x":     "Authorization: <redacted> x",
		"Authorization: token abc x":     "Authorization: <redacted> x",
		"Authorization: Digest abc x":    "Authorization: <redacted> x",
		"Authorization: Negotiate abc x": "Authorization: <redacted> x",
		"Authorization: abc x":           "Authorization: <redacted> x",
		"'Cookie: a=1; b=2' x":           "'Cookie: <redacted>' x",
		`Authorization:"a b c" x`:        `Authorization:"<redacted>" x`,
		"x Cookie: a=1 b":                "x Cookie: <redacted> b",
		"token abcdefgh":                 "",
		"--token":                        "",
		"token=":                         "",
		"--token|abcdefgh":               "",
		"--token abcd x":                 "--token <redacted> x",
		"token=abc":                      "",
		"token=abcd":                     "token=<redacted>",
		"token=-abcd":                    "token=<redacted>",
		"token=a$cd":                     "token=<redacted>",
		"token=%bcd":                     "token=<redacted>",
		"token=$abcd":                    "",
		"--token -abcd":                  "",
		"API_KEY: abcd":                  "API_KEY: <redacted>",
		"my-private-key=abcd":            "my-private-key=<redacted>",
		"passwd=abcd accesskey=abcd":     "passwd=<redacted> accesskey=<redacted>",
		"x{Bearer 12345678":              "x{Bearer <redacted>",
		"x[Bearer 12345678":              "x[Bearer <redacted>",
		"ZBearer 12345678":               "",
		"zBearer 12345678":               "",
		"0Bearer 12345678":               "",
		"9Bearer 12345678":               "",
		"_Bearer 12345678":               "_Bearer <redacted>",
		"aBearer 12345678":               "",
		"ABearer 12345678":               "",
		"token=<redacted>":               "",
	} {
		if want == "" {
			want = text
		}
		if got := Secrets(text); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}

// R125: every list of a line that can hold foreign words; the names of commits stay.
func TestRedactALine(t *testing.T) {
	long := strings.Repeat("a", 64)
	l := Iteration{
		Observed:   Observed{Heads: []string{"x"}, Worktrees: []string{"x"}},
		Denied:     []Denial{{Tool: "x", What: "x"}},
		Overrun:    &Overrun{By: []Spender{{Who: "x", Model: "x"}}},
		TrackedPRs: []TrackedPR{{StartSHA: long, EndSHA: long + "a"}, {StartSHA: "x", EndSHA: ""}},
	}
	over := *l.Overrun
	l.Budget.Carried = []GateAnswer{{Name: "x", Question: "x", Answer: "x"}}
	l.Budget.Pending = []Gate{{Name: "x", Question: "x", Answer: "x"}}
	l.Budget.StopText = "x"
	l.Redact(func(s string) string { return strings.ToUpper(s) })
	want := Iteration{
		Observed: Observed{Heads: []string{"X"}, Worktrees: []string{"X"}},
		Denied:   []Denial{{Tool: "x", What: "X"}},
		Overrun:  &Overrun{By: []Spender{{Who: "X", Model: "x"}}},
		TrackedPRs: []TrackedPR{
			{StartSHA: long, EndSHA: strings.ToUpper(long + "a")},
			{StartSHA: "X"},
		},
	}
	want.Budget.Carried = []GateAnswer{{Name: "x", Question: "X", Answer: "X"}}
	want.Budget.Pending = []Gate{{Name: "x", Question: "X", Answer: "X"}}
	want.Budget.StopText = "X"
	if diff := cmp.Diff(want, l); diff != "" || over.By[0].Who != "x" {
		t.Errorf("%+v: %s", over, diff)
	}
}

func TestAddDenial(t *testing.T) {
	list := AddDenial(nil, Denial{Tool: "Bash", Rule: MergeGate, What: "x"})
	for _, d := range []Denial{
		{Tool: "Bash", Rule: MergeGate, What: " x "}, {Tool: "Edit", Rule: MergeGate, What: "x"},
		{Tool: "Bash", Rule: DispatchRule, What: "x"},
		{Tool: "Bash", Rule: MergeGate, What: "y", Times: 4},
		{Tool: "Bash", Rule: MergeGate, What: strings.Repeat("z", maxWhat)},
		{Tool: "Bash", Rule: MergeGate, What: strings.Repeat("z", maxWhat+1)},
	} {
		list = AddDenial(list, d)
	}
	var times []int
	for _, d := range list {
		times = append(times, d.Times)
	}
	if diff := cmp.Diff([]int{2, 1, 1, 4, 1, 1}, times); diff != "" {
		t.Error(diff)
	}
	if last := list[len(list)-1].What; last != strings.Repeat("z", maxWhat-len("…"))+"…" {
		t.Error(last)
	}
}
