package guard

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/plain"
	"hooks/internal/guard/program"
	"hooks/internal/guard/shellword"
)

// maxText is the size in bytes of a long text in these tests.
const maxText = 64 << 10

// bombs are texts that grow in depth or in what they expand to.
func bombs() map[string]string {
	out := map[string]string{
		"long":           "gh pr merge 5 " + strings.Repeat("x", maxText),
		"long flat":      strings.Repeat("a && ", 12_000) + "b",
		"long pipe":      strings.Repeat("a | ", 15_000) + "b",
		"brace product":  "echo " + strings.Repeat("{a,b}", 40),
		"brace depth":    strings.Repeat("{a,", 8000) + strings.Repeat("}", 8000),
		"brace sequence": "echo {1..99999999}{1..99999999}",
		"doubling":       "a=x;" + strings.Repeat("a=$a$a;", 200) + "eval $a",
		"doubling array": "a=(x x);" + strings.Repeat(`a=("${a[@]}" "${a[@]}");`, 60) + `"${a[@]}"`,
		"self call":      "f() { f; f; }; f",
		"self alias":     "alias a='a; a'; a",
		"loops": strings.Repeat("for a in 1 2 3 4 5 6 7 8; do ", 30) + "gh pr merge $a; " +
			strings.Repeat("done; ", 30),
		"whiles": strings.Repeat("while true; do x=$x$x; ", 30) + "y; " +
			strings.Repeat("done; ", 30),
		"ifs":      strings.Repeat("if a; then x=$x1; else x=2; fi; ", 1800),
		"branches": strings.Repeat("if a; then v=1; else v=2; fi; w=$v$v; ", 800) + "$v $w",
		"picks":    strings.Repeat("[ -f a ] && v=a$v; ", 300) + "$v $v $v",
		"globs": "v=" + strings.Repeat("a", 2000) + "; " +
			strings.Repeat("v=${v//"+strings.Repeat("*a", 60)+"b/x}; ", 40),
		"eval depth": strings.Repeat("eval ", 5000) + "gh pr merge 5",
		"bash depth": strings.Repeat("bash -c ", 500) + "x",
		"python":     "python3 -c '" + strings.Repeat("f(", 20_000) + "'",
		"python strings": `python3 -c "` + strings.Repeat("x = 'a' + x + x;", 3000) +
			`os.system(x)"`,
		"json": `curl -X POST https://api.github.com/graphql -d '` +
			strings.Repeat(`{"a":[`, 9000) + `'`,
		"graphql": `gh api graphql -f query='mutation` + strings.Repeat("{a(b:", 12_000) +
			`'`,
		"make":          "make --eval='" + strings.Repeat("A=$(A)$(A)\n", 1000) + "x:;$(A)' x",
		"powershell":    "pwsh -c '" + strings.Repeat("$(", 20_000) + "'",
		"invalid utf-8": "gh pr merge \xff\xfe 5; \xc3(",
		"nul":           "gh\x00 pr\x00 merge 5",
		"holes": shellword.Unknown + " \ue001\ue002" + " $(" +
			shellword.Unknown + ")",
		"unclosed":    "gh pr merge 5; echo 'x",
		"xargs":       "seq 1 60 | xargs -n1 " + strings.Repeat("xargs -n1 ", 50) + "echo",
		"printf":      "printf '%s' {1..200}{1..200}",
		"link circle": "ln -s p q; ln -s r p; ln -s q r; cat p; bash q; ./r; p",
		"name circle": "cp '#(which gh)' /tool && ./tool; cp a b; cp b a; ./a; ./b; alias x=y " +
			"y=x; x",
		"functions": "f() { g; }; g() { f; }; f",
		"sourced":   "echo '. ./s' > s; . ./s; bash s",
		"made":      "printf 'a: b\n\tmake b\nb: a\n\tmake a\n' > Makefile; make a",
		"templates": "printf 'tasks:\n  a: " + strings.Repeat("{{", 20_000) +
			"\n' > Taskfile.yml; task a",
		"variables":     "printf 'A = $(A)$(A)\nB += $(A)\nx:\n\t$(A)$(B)\n' > Makefile; make x",
		"npm":           "npm pkg set scripts.a='npm run b' scripts.b='npm run a'; npm run a",
		"gh aliases":    "gh alias set a b; gh alias set b a; gh a",
		"git aliases":   "git config alias.a '!git b'; git config alias.b '!git a'; git a",
		"substitutions": strings.Repeat("$(echo ", 180) + "x" + strings.Repeat(")", 180),
	}
	for _, unit := range []string{"(", "( ", "$(", "${a:-", "if ", "{ ", "`", "\"$(", "while ", "case x in ", "[[ (", "((", "$((", "a=(", "<(", "! ", "time ", "f()", "a[", "!( ", "<<A\n", "$[", "for a in b;do ", "((-", "((a?", "((a?1:(", ")(", "case a in b)(("} {
		out["open "+unit] = strings.Repeat(unit, maxText/len(unit))
		out["half "+unit] = strings.Repeat(unit, 2000)
	}
	return out
}

// TestBombs: every text is read within the step budget, without a fault; what could not be read says
// so. Only with HOOKS_WHOLE set are tools other than the shell tried.
func TestBombs(t *testing.T) {
	tools := []string{"Bash", "PowerShell", "REPL", "mcp__x__execute_command"}
	if os.Getenv("HOOKS_WHOLE") == "" {
		tools = tools[:1]
	}
	for name, text := range bombs() {
		t.Run(name, func(t *testing.T) {
			for _, tool := range tools {
				c := effect.Call{Tool: tool, Command: text, Cwd: "/p",
					Fields: []effect.Field{{Path: "code", Value: text}}}
				m := plain.New(c, effect.Repo{}.Known(), nil, program.Read)
				readCall(m.Shell("/p"), c)
				if m.Work < -maxText { // one step may overdraw by its own size at most
					t.Errorf("%s: overdrawn by %d steps", tool, -m.Work)
				}
				if m.Work < 0 && m.Read.Unparsable == "" {
					t.Errorf("%s: gave up without saying so", tool)
				}
			}
		})
	}
}

func TestTooLong(t *testing.T) {
	long := effect.Call{Tool: "Bash", Command: strings.Repeat("a", shellword.MaxShell+1)}
	r := Read(long, effect.Repo{}.Known(), nil)
	if !strings.Contains(r.Unparsable, strconv.Itoa(shellword.MaxShell)) || r.Bound != "" {
		t.Errorf("got %s", describe(r))
	}
}

// TestBeforeMistake: bash runs the lines before a syntax error.
func TestBeforeMistake(t *testing.T) {
	r := Read(effect.Call{Tool: "Bash", Command: "gh pr merge 5\n)"}, effect.Repo{}.Known(), nil)
	if len(r.Acts) != 1 || r.Acts[0].PR != 5 || r.Unparsable == "" {
		t.Errorf("got %s", describe(r))
	}
}

func TestZsh(t *testing.T) {
	c := effect.Call{Tool: "Bash", Command: "echo ${(U)x}; gh pr merge 5"}
	r := Read(c, effect.Repo{}.Known(), nil)
	if len(r.Acts) != 1 || r.Unparsable != "" {
		t.Errorf("got %s", describe(r))
	}
}
