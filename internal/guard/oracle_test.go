package guard

import (
	"context"
	"fmt"
	"hooks/internal/guard/effect"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// sandbox is a directory where bash runs with nothing on its PATH but stubs that record their words
// and a few harmless programs: what a command really calls.
type sandbox struct{ dir, log string }

const stub = `#!/bin/sh
{ printf '%s' "${0##*/}"; for a in "$@"; do printf '\037%s' "$a"; done; printf '\036'; } >> "$CALLS"
`

func newSandbox(t testing.TB) sandbox {
	t.Helper()
	s := sandbox{dir: t.TempDir()}
	s.log = filepath.Join(s.dir, "calls")
	bin := filepath.Join(s.dir, "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"gh", "git", "glab", "curl", "hub", "tea"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(stub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"bash", "sh", "cat", "tr", "rev", "sed", "seq", "xargs", "env",
		"timeout", "nohup", "nice", "stdbuf", "setsid", "tee", "chmod", "cp", "ln", "head", "grep",
		"sort", "printf", "echo", "which", "find", "basename", "sleep", "wc", "base64"} {
		if path, err := exec.LookPath(name); err == nil {
			if err := os.Symlink(path, filepath.Join(bin, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s
}

// run runs text in bash and returns the calls of the stubs, each as its words.
func (s sandbox) run(t testing.TB, text string) [][]string {
	t.Helper()
	work, err := os.MkdirTemp(s.dir, "w")
	if err != nil {
		t.Fatal(err)
	}
	os.Remove(s.log)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", text)
	cmd.Dir = work
	cmd.Env = []string{"PATH=" + filepath.Join(s.dir, "bin"), "HOME=" + work, "CALLS=" + s.log,
		"TMPDIR=" + work}
	cmd.Run() // a command may fail by itself
	if ctx.Err() != nil {
		t.Fatalf("bash did not end: %s", text)
	}
	data, _ := os.ReadFile(s.log)
	var calls [][]string
	for _, line := range strings.Split(strings.TrimSuffix(string(data), "\036"), "\036") {
		if line != "" {
			calls = append(calls, strings.Split(line, "\037"))
		}
	}
	return calls
}

// mergedBy are the PR numbers that gh pr merge was really called with; 0 stands for a word that is
// no number.
func mergedBy(calls [][]string) []int {
	var out []int
	for _, c := range calls {
		i := slices.Index(c, "merge")
		if c[0] != "gh" || i < 1 || !slices.Contains(c[:i], "pr") {
			continue
		}
		n := 0
		for _, w := range c[i+1:] {
			if k, err := strconv.Atoi(strings.TrimPrefix(w, "#")); err == nil {
				n = k
			}
		}
		out = append(out, n)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// needsMore are table lines whose merge depends on what the sandbox does not have: other programs,
// other answers.
func needsMore(text string) bool {
	for _, mark := range []string{"/usr/bin", "/bin/", "~/", "Program Files", ".exe", "./node_modules",
		"gh pr list", "|| gh pr merge", "[ -f x ]", "PR_NUMBER", "$SUDO", "$RUNNER", "gh $1",
		"--auto",
		"zsh", "sudo", "coproc", "busybox", "https://github.com", "feature/44",
		"gh pr merge --squash",
		"$(which gh)\" ./tool", "hash -p",
		"142 &", "/???/", "alias land", "command -p", "bash -lc", "> >(", "ksh", "fish", "docker",
		"scripts/"} {
		if strings.Contains(text, mark) {
			return true
		}
	}
	return text == "gh pr merge"
}

// shellClasses are the parts of the table whose lines bash alone can run.
var shellClasses = []string{
	"gh pr merge: spellings", "quoting, escapes, expansion", "variables",
	"functions, aliases, builtins", "shells in shells", "shells with joined options",
}

// TestTablesAgainstBash runs the tables' shell lines: what they are said to merge, bash merges;
// what is said to be harmless calls no merge and no push to a protected branch.
func TestTablesAgainstBash(t *testing.T) {
	s := newSandbox(t)
	ran := 0
	for _, c := range loadTable(t, "merges.txt") {
		if c.kind != "merge-pr" || c.call.Tool != "Bash" || needsMore(c.call.Command) ||
			!slices.Contains(shellClasses, c.class) {
			continue
		}
		text := strings.ReplaceAll(c.call.Command, "/tmp/", "./")
		if got := mergedBy(s.run(t, text)); !slices.Contains(got, c.pr) &&
			!(c.pr == 0 && len(got) > 0) {
			t.Errorf("merges.txt:%d: %s\n  bash merges %v, the table says %d", c.line, c.text, got,
				c.pr)
		}
		ran++
	}
	for _, c := range loadTable(t, "harmless.txt") {
		if c.call.Tool != "Bash" || c.class != "commit messages and other text" &&
			c.class != "git that lands nothing" || strings.Contains(c.text, "git worktree") {
			continue
		}
		for _, call := range s.run(t, strings.ReplaceAll(c.call.Command, "/tmp/", "./")) {
			text := strings.Join(call, " ")
			if strings.HasPrefix(text, "gh pr merge ") && text != "gh pr merge --help" {
				t.Errorf("harmless.txt:%d: %s\n  bash calls %s", c.line, c.text, text)
			}
		}
		ran++
	}
	if ran < 200 {
		t.Errorf("only %d lines were run", ran)
	}
}

// program1 draws shell text whose merges do not depend on anything outside of it.
func program1(t *rapid.T, depth int) string {
	n := rapid.IntRange(1, 3).Draw(t, "statements")
	var lines []string
	for range n {
		lines = append(lines, statement(t, depth))
	}
	joint := rapid.SampledFrom([]string{"\n", "; ", " && "}).Draw(t, "joint")
	if strings.Contains(strings.Join(lines, ""), "<<") {
		joint = "\n" // nothing may stand behind a here-document's end
	}
	return strings.Join(lines, joint)
}

func statement(t *rapid.T, depth int) string {
	pr := rapid.IntRange(1, 9).Draw(t, "pr")
	verb := rapid.SampledFrom([]string{"merge", "view"}).Draw(t, "verb")
	leaf := spelled(t, pr, verb)
	if depth == 0 {
		return leaf
	}
	inner := program1(t, depth-1)
	kind := rapid.IntRange(0, 23).Draw(t, "kind")
	name := fmt.Sprintf("v%d%d", depth, pr)
	switch kind {
	case 0:
		return "bash -c " + quote1(inner)
	case 1:
		return "eval " + quote1(inner)
	case 2:
		return hereDoc("bash", inner)
	case 3:
		return "echo " + quote1(inner) + " | sh -c 'cat' | bash"
	case 4:
		return "echo " + quote1(inner)
	case 5:
		return hereDoc("cat > "+name+".sh", inner) + "\n: done"
	case 6: // what is written to a file is searched for words; their spellings are the brake's
		inner = "gh pr " + verb + " " + strconv.Itoa(pr)
		return hereDoc("cat > "+name+".sh", inner) + "\nbash " + name + ".sh"
	case 7:
		return name + "() {\n" + inner + "\n}"
	case 8:
		return name + "() {\n" + inner + "\n}\n" + name
	case 9:
		return "if [ " +
			rapid.SampledFrom([]string{"a = a", "a = b", "-n x", "-z x", "! a = a"}).Draw(t,
				"test") + " ]; then\n" + inner + "\nelse " + leaf + "; fi"
	case 10:
		return "case " + rapid.SampledFrom([]string{"ab", "b", "a*"}).Draw(t, "subject") +
			" in a*)\n" + inner + "\n;; *) " + leaf + ";; esac"
	case 11:
		return "for " + name + " in 3 4; do\n" + inner + "\ngh pr " + verb + " $" + name + "\ndone"
	case 12:
		return "{ " + name + "=" + quote1(inner) + "; bash -c \"$" + name + "\"; }"
	case 13:
		return "printf '5\\n6\\n' | while read -r " + name + "; do gh pr " + verb + " \"$" + name +
			"\"; done"
	case 14:
		return "printf '2\\n3\\n' | xargs -n1 gh pr " + verb
	case 15:
		return "(\n" + inner + "\n)"
	case 16:
		return "{ " +
			rapid.SampledFrom([]string{"false", "true", "! true", "! false"}).Draw(t,
				"left") + rapid.SampledFrom([]string{" && ", " || "}).Draw(t, "op") + leaf +
			"; :; }"
	case 17:
		return "{ set -- pr " + verb + " " + strconv.Itoa(pr) + "; gh \"$@\"; }"
	case 18:
		return "{ " + name + "=(gh pr " + verb + "); " + "\"${" + name + "[@]}\" " +
			strconv.Itoa(pr) + "; }"
	case 19:
		return "git commit -m \"$(" + hereDoc("cat", inner) + "\n)\""
	case 22:
		return "{ " + rapid.SampledFrom([]string{"", "export "}).Draw(t, "export") + name + "=" +
			strconv.Itoa(pr) + "; sh -c 'gh pr " + verb + " $" + name + "'; }"
	case 23:
		return "{ " + name + "() { gh pr " + verb + " \"$1\"; }; " +
			rapid.SampledFrom([]string{"", "export -f " + name + "; "}).Draw(t, "exportf") +
			"bash -c '" + name + " 4'; :; }"
	case 20:
		return "x=$(" + leaf + ")"
	default:
		if strings.Contains(leaf, ";") || strings.HasPrefix(leaf, "command") {
			return leaf
		}
		return "env A=1 timeout 5 nice " + leaf
	}
}

// spelled writes gh pr VERB N in one of the ways that a shell takes for the same words.
func spelled(t *rapid.T, pr int, verb string) string {
	n := strconv.Itoa(pr)
	word := rapid.SampledFrom([]string{verb, "'" + verb + "'", verb[:1] + "''" + verb[1:], `"` +
		verb[:2] + `"` + verb[2:], `\` + verb, "$'" + fmt.Sprintf(`\x%02x`, verb[0]) + verb[1:] +
		"'",
		"$(echo " + verb + ")", "`printf %s " + verb + "`", "${nothing:-" + verb + "}"}).Draw(t,
		"word")
	switch rapid.IntRange(0, 4).Draw(t, "form") {
	case 0:
		return "gh pr " + word + " " + n
	case 1:
		return "gh -R a/b pr " + word + " " + n + " --squash"
	case 2:
		return "{ a=" + word + "; gh pr $a " + n + "; }"
	case 3:
		return "command gh pr " + word + " $((" + n + "))"
	default:
		return "gh {pr," + word + "} " + n
	}
}

// TestAgainstBash: what bash merges of generated programs is seen, or noted as not plain.
func TestAgainstBash(t *testing.T) {
	s := newSandbox(t)
	rapid.Check(t, func(rt *rapid.T) {
		text := program1(rt, rapid.IntRange(0, 2).Draw(rt, "depth"))
		want := mergedBy(s.run(t, text))
		c := effect.Call{Tool: "Bash", Command: text, Cwd: "/p"}
		r := Read(c, effect.Repo{Branch: "f"}.Known(), nil)
		seen := len(r.Merges()) > 0 || r.ReachesForge() || r.Unparsable != ""
		if len(want) > 0 && !seen {
			rt.Fatalf("bash merges %v, the reading sees nothing\n%s", want, text)
		}
	})
}
