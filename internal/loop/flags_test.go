package loop

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplitWords(t *testing.T) {
	for in, want := range map[string][]string{
		"": nil, "  ": nil, "a": {"a"}, " a  b\tc ": {"a", "b", "c"},
		`sh -c 'notify-send "$HOOKS_TITLE"'`: {"sh", "-c", `notify-send "$HOOKS_TITLE"`},
		`a "" ''`:                            {"a", "", ""}, `x"y z"w`: {"xy zw"},
		`C:\bin\say.exe "a b"`: {`C:\bin\say.exe`, "a b"}, `a "open b`: {"a", `"open`, "b"},
		"a;b $(c) `d`": {"a;b", "$(c)", "`d`"}, "a\r\nb": {"a", "b"}, `'a" b'`: {`a" b`},
		"don't --loop 'a b'": {"don't", "--loop", "a b"}, "'tis --loop": {"'tis", "--loop"},
		`'it'"'"'s'`: {"it's"}, "'it's so'": {"its", "so'"}, "a\u00a0b": {"a", "b"},
		`l'été "d'un"`: {"l'été", "d'un"},
	} {
		if d := cmp.Diff(want, SplitWords(in)); d != "" {
			t.Errorf("%q: %s", in, d)
		}
	}
}

// R2, R6–R9: a limit holds whatever text is before it.
func TestALimitAfterAnApostrophe(t *testing.T) {
	for _, args := range []string{
		"--loop only Anna's issues --max-dollars 2", `--max-dollars 2 --loop 5"`,
		"don't touch docs --loop --max-dollars 2", "--loop 'tis so --max-dollars 2"} {
		f, looping, err := ParseFlags(Work, args)
		if !looping || err != nil || f.Dollars != 2*Dollar {
			t.Errorf("%s: %v, %v, %v", args, looping, f.Dollars, err)
		}
	}
	for _, args := range []string{
		`--loop --budget-file "my dir/b.json`, `--loop --max-dollars "2`,
		"--loop fix the '90s bug --max-dollars 5 in users' code", "--loop (--max-dollars 5)",
		`--loop 5'10" tall --max-dollars 5 and 6'2" wide`, "--loop ‑‑max-dollars 5",
		"--loop 'a'--max-dollars 5 it's", `"--loop --max-dollars 5`, "“--loop”", "--loopp",
		"--loop,",
	} {
		if _, looping, err := ParseFlags(Work, args); !looping || err == nil {
			t.Errorf("%s is accepted", args)
		}
	}
	for _, args := range []string{
		"a.md --check 'test'and --max-dollars 5 don't", "a.md --check “make”",
		"a.md --max-task-dollars 1 --max-task-dollars 99", "a.md --strict-tests=false"} {
		f, _, err := ParseFlags("task", args)
		if err == nil && f.Dollars != 5*Dollar {
			t.Errorf("%s is accepted with %v", args, f.Dollars)
		}
	}
	if f, _, err := ParseFlags("task", `a.md --check "npx eslint --max-warnings 0"`); err != nil ||
		f.Task.Check != "npx eslint --max-warnings 0" {
		t.Errorf("%q, %v", f.Task.Check, err)
	}
	if _, looping, _ := ParseFlags(Work, `explain "the --loops flag" of x`); looping {
		t.Error("a quoted word is taken for a slip")
	}
}

// R6–R14: what is no loop flag is named with what was meant, and starts nothing.
func TestMistypedFlags(t *testing.T) {
	for arg, want := range map[string]string{
		"--Max-Prs 3":             `"--Max-Prs" is not a loop flag; did you mean --max-prs?`,
		"--max_minutes 3":         `"--max_minutes" is not a loop flag; did you mean --max-minutes?`,
		"-max-dollars 3":          `"-max-dollars" is not a loop flag; did you mean --max-dollars?`,
		"—lock=skip":              `"—lock" is not a loop flag; did you mean --lock?`,
		"–resume":                 `"–resume" is not a loop flag; did you mean --resume?`,
		"−−budget-file x":         `"−−budget-file" is not a loop flag; did you mean --budget-file?`,
		"--resum":                 `"--resum" is not a loop flag; did you mean --resume?`,
		"--locks":                 `"--locks" is not a loop flag; did you mean --lock?`,
		"--budget x":              `"--budget" is not a loop flag; did you mean --budget-file?`,
		"--max-idl 3":             `"--max-idl" is not a loop flag; did you mean --max-idle?`,
		"--max-iter 3":            `"--max-iter" is not a loop flag; did you mean --max-iterations?`,
		"-pr 3":                   `"-pr" is not a loop flag; did you mean --pr?`,
		"--prs 3":                 `"--prs" is not a loop flag; did you mean --pr or --max-prs?`,
		"--max-hours 3":           `"--max-hours" is not a loop flag; did you mean one of --max-iterations, --max-prs, --max-minutes, --max-dollars?`,
		"--resume=false":          "--resume=false has a value",
		"--lock=never":            "--lock=never is not a lock mode",
		"--lock":                  "--lock= is not a lock mode",
		"--budget-file --resume":  `--budget-file "--resume" is not a path`,
		"--budget-file ~/x":       `--budget-file "~/x" is not a path`,
		"--budget-file=":          `--budget-file "" is not a path`,
		"--budget-file a\x00b":    `--budget-file "a\x00b" is not a path`,
		"--max-prs 1000001":       `--max-prs "1000001" is not a whole number from 1 to 1000000`,
		"--max-dollars $x":        `--max-dollars "x" is not an amount in dollars`,
		"--resume --resume":       "--resume is given twice",
		"--max-agents 3":          "",
		"max-prs x=1 x x":         "",
		"--Max-Review-Pairs 3":    "",
		"--res":                   "",
		"- -- a-b":                "",
		"--max-prs 1000000":       "",
		"--budget-file ./a//b":    "",
		"--lock wait --max-prs=1": "",
	} {
		f, looping, err := ParseFlags(Work, "--loop "+arg)
		got := ""
		if err != nil {
			got = err.Error()
			var hinted interface{ Hint() string }
			if !errors.As(err, &hinted) || hinted.Hint() == "" {
				t.Errorf("%s: no hint", arg)
			}
		}
		if got != want || !looping {
			t.Errorf("%s: %q, want %q, looping %v, %+v", arg, got, want, looping, f)
		}
	}
}

func TestWhatIsReadOfFlags(t *testing.T) {
	args := "a --loop --lock wait --budget-file ./x//y --max-prs=7 --max-dollars $2.5 --resume " +
		"'b c'"
	f, looping, err := ParseFlags(Work, args)
	want := Flags{
		Ceilings: Ceilings{5, 7, 60, 2*Dollar + Dollar/2}, Lock: LockWait, Resume: true,
		Policy:     Policy{NearAsk, MergesFeedback},
		BudgetFile: "x/y", Rest: []string{"a", "b c"},
	}
	if f.explicit = nil; err != nil || !looping ||
		!cmp.Equal(want, f, cmp.AllowUnexported(Flags{})) {
		t.Errorf("%+v, %v, %v", f, looping, err)
	}
	if f, _, _ := ParseFlags(Work, "--loop"); f.Lock != "" || f.Ceilings != Defaults {
		t.Errorf("%+v", f)
	}
	for _, args := range []string{"--loop=1 --max-prs 0", "--loop=1"} {
		if _, looping, err := ParseFlags(Work, args); err == nil || !looping {
			t.Errorf("%s: looping %v, %v", args, looping, err)
		}
	}
	if _, _, err := ParseFlags(Review, "--loop --pr x"); err == nil ||
		!strings.Contains(err.Error(), `--pr "x"`) {
		t.Error(err)
	}
}

func TestSameFlags(t *testing.T) {
	plain, _, err := ParseFlags(Review, "--loop")
	if err != nil {
		t.Fatal(err)
	}
	review := Command{"sdd:review", Review, "--loop"}
	for args, want := range map[string]bool{
		"--max-prs 20": true, "--max-prs 21": false, "--resume": false, "--lock=wait": false,
		"--pr 7": false, "word": false,
	} {
		if got := SameCommand("/sdd:review --loop "+args, review, plain); got != want {
			t.Errorf("%s: the same %v", args, got)
		}
	}
}

func TestParseCommand(t *testing.T) {
	for name, want := range map[string]Skill{
		"work": Work, "/work": Work, "sdd:review": Review, "/x:work": Work, "works": "", "sdd:": "",
		"a:b:work": "",
	} {
		c, ok := ParseCommand(name, "x")
		if ok != (want != "") || c.Skill != want || ok && c.Args != "x" {
			t.Errorf("%s: %+v, %v", name, c, ok)
		}
	}
	for prompt, want := range map[string]Command{
		"/sdd:work --loop a":           {"sdd:work", Work, "--loop a"},
		" /loop 5m /sdd:review --loop": {"sdd:review", Review, "--loop"},
		"/loop\t/work --loop":          {},
		"/loop":                        {},
		"/loop 5m":                     {},
		"work --loop":                  {},
		"xwork --loop":                 {},
		"/work":                        {},
		"/loops /work --loop":          {},
	} {
		c, ok := ParsePrompt(prompt)
		if ok != (want != Command{}) || ok && c != want {
			t.Errorf("%q: %+v, %v", prompt, c, ok)
		}
	}
}

// R16, R131: only the ceilings that are named come from elsewhere.
func TestWith(t *testing.T) {
	given, others := Ceilings{1, 2, 3, 4}, Ceilings{5, 6, 7, 8}
	for name, want := range map[string]Ceilings{
		"--max-iterations": {5, 2, 3, 4}, "--max-prs": {1, 6, 3, 4}, "--max-minutes": {1, 2, 7, 4},
		"--max-dollars": {1, 2, 3, 8}, "--lock": {1, 2, 3, 4},
	} {
		if got := given.With(others, []string{name}); got != want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// The command that a run asks its model to schedule is the run's own, whatever text is in it.
func TestARunAgreesWithItsOwnCommand(t *testing.T) {
	for _, args := range []string{"--loop", "--loop \"focus on:\n\tthe parser\"", "--loop 'a  b' c",
		"--loop Anna's issues --resume", "--loop 'tis"} {
		f, _, err := ParseFlags(Work, args)
		b := newRun(Request{Command: Command{"sdd:work", Work, args}, Flags: f})
		c, is := ParsePrompt("/loop "+b.Command, b.Names())
		again, _, err2 := ParseFlags(c.Skill, c.Args)
		if err != nil || err2 != nil || !is || !b.agrees(again) {
			t.Errorf("%q: %q, %v, %v; it has %q", args, b.Command, err, err2, b.Flags)
		}
	}
}
