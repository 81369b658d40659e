package loop

import (
	"strings"
	"testing"
)

// FuzzFlags: whatever a person or a schedule types, a limit is a limit, the same words mean the
// same run, and a prompt that is no looping command is none.
func FuzzFlags(f *testing.F) {
	f.Add("--loop --max-iterations 5 --max-dollars=$2.50 --lock=wait --resume 'a b'")
	f.Add("--loop --pr #142 --budget-file ../x --max-prs 1")
	f.Add("--loop --max-minutes -1 --max-dollars 1e9")
	f.Fuzz(func(t *testing.T, args string) {
		for _, skill := range skillNames() {
			flags, looping, err := ParseFlags(skill, args)
			if !looping || err != nil {
				continue
			}
			if c := flags.Ceilings; c.Iterations < 1 || c.PRs < 1 || c.Minutes < 1 ||
				c.Dollars < 0 || flags.PR < 0 {
				t.Errorf("%q gives %+v", args, flags)
			}
			again, _, err := ParseFlags(skill, args)
			if err != nil || again.canonical() != flags.canonical() {
				t.Errorf("%q means %q and %q, %v", args, flags.canonical(), again.canonical(), err)
			}
		}
		if c, ok := ParsePrompt(args); ok && !strings.Contains(c.Args, "loop") {
			t.Errorf("%q is taken for %+v", args, c)
		}
	})
}

// FuzzWords: causes, answers and amounts in anyone's words.
func FuzzWords(f *testing.F) {
	f.Add("Test failed at 0xdeadbeef after 12.3s", "$12.50", "dollars=50 iterations=12")
	f.Add("a1b2\t", "-0.001", "minutes=,")
	f.Fuzz(func(t *testing.T, cause, amount, answer string) {
		s := Signature(cause)
		if Signature(s) != s || len(s) > 3*len(cause) { // a letter may grow when its case is folded
			t.Errorf("the signature of %q is %q, and of that %q", cause, s, Signature(s))
		}
		if u, err := ParseUSD(amount); err == nil && u < 0 {
			t.Errorf("%q is %v", amount, u)
		}
		if c, ok := parseRaise(answer, Defaults); ok &&
			(c.Iterations < 1 || c.PRs < 1 || c.Minutes < 1 || c.Dollars <= 0) {
			t.Errorf("%q raises to %+v", answer, c)
		}
		for _, k := range Gates {
			act := asGate(k.Name, Gate{Raise: &Defaults}).Act(answer)
			known := false
			for _, o := range k.Options {
				known = known || o.Label == act
			}
			if !known {
				t.Errorf("%q at %s acts as %q", answer, k.Name, act)
			}
		}
	})
}
