package guard

import (
	"context"
	"hooks/internal/guard/effect"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// scratch is a repository in which commands run.
func scratch(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "app")
	for name, text := range map[string]string{
		"x": "b\na\n", "y": "1\n", "f": "package f\n", "A": "a\n", "list.txt": "a\n",
		"internal/parse.go": "package internal\n", "docs/a.md": "# A\n", "x.json": `{"a":[]}`,
		"-delete.go": "", "-oF": "",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	shellRun(t, "bash", dir, `git init -qb main && git add -A &&
git -c user.name=a -c user.email=a@b commit -qm a && git branch old && git update-index --refresh`)
	return dir
}

// shellRun runs text in a shell that reaches no network and nothing of its user.
func shellRun(t interface{ Helper() }, shell, dir, text string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, shell, "-c", text)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + dir, "GIT_OPTIONAL_LOCKS=0",
		"GOFLAGS=-mod=mod", "GOPROXY=off", "GOCACHE=off", "GH_CONFIG_DIR=/nonexistent",
		"http_proxy=http://127.0.0.1:9", "https_proxy=http://127.0.0.1:9"}
	cmd.WaitDelay = time.Second
	_ = cmd.Run() // a command's own failure changes nothing either
}

// listing is everything that a folder holds.
func listing(t interface {
	Helper()
	Fatal(...any)
}, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			b.WriteString(path + "\n")
			return err
		}
		data, err := os.ReadFile(path)
		b.WriteString(path + "\x00" + string(data) + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestLooksChangeNothing runs each line that may pass under bash, and under zsh if it is there.
func TestLooksChangeNothing(t *testing.T) {
	dir := scratch(t)
	before := listing(t, dir)
	for _, c := range loadTable(t, "readonly.txt") {
		if c.kind != "yes" || c.call.Tool != "Bash" {
			continue
		}
		for _, shell := range shells() {
			if shellRun(t, shell, dir, c.call.Command); listing(t, dir) != before {
				t.Fatalf("readonly.txt:%d changes the folder under %s: %s", c.line, shell, c.text)
			}
		}
	}
}

func shells() []string {
	if _, err := exec.LookPath("zsh"); err != nil {
		return []string{"bash"}
	}
	return []string{"bash", "zsh"}
}

// TestLooksOfAnyWords builds command lines from words that write somewhere; no line that may pass
// changes a file under a real shell.
func TestLooksOfAnyWords(t *testing.T) {
	dir := scratch(t)
	before := listing(t, dir)
	words := rapid.SampledFrom(strings.Split(`git|diff|log|grep|branch|tag|config|find|sort|sed|awk|
uniq|xxd|tree|xargs|date|printf|read|test|[|]|.|x|A|F|HEAD|new|-o|-oF|-uo|-ro F|--output=F|--outp F|
--outpu=F|-n|-e|-ne|-i|-ni|-E|-k|-S|--|-|'w F'|'1w F'|p|-nw F|'s/a/b/w F'|-exec|-exec touch F|;|+|
';'|{}|-delete|-fprint|-fprint F|-fls|$v|"$v"|"a$v"|{-o,F}|{-fprint,F}|*|-*|-d|-D|-m|-a|-v|-l|
--list|--get|user.name|
-Otouch|-nOtouch|--open=touch|'{print > "F"}'|-f|-f A|'BEGIN{system("touch F")}'|
-O|-s|-r|-u|-c|'a[$(touch F)]'|-eq|1|-t|%n|%d|PATH|cat|<|> F|2>&1|>&$v|>&F|>/dev/null|$((v))|${!v}|
${v@P}|${v:=F}|{a,b}|--contains|--textconv|$(cat x)|; touch F||| cat|&& ls`, "|"))
	values := rapid.SampledFrom([]string{"F", "-oF", "-fprint", "--output=F", "-delete", "'-o F'",
		"-v", `'a[$(touch F)]'`, `'$(touch F)'`, "-Otouch"})
	passed := 0
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(words, 2, 6).Draw(t, "words")
		text := strings.ReplaceAll(strings.Join(list, " "), "\n", "")
		if rapid.Bool().Draw(t, "set") {
			text = "v=" + values.Draw(t, "value") + "; " + text
		}
		if !ReadOnly(effect.Call{Tool: "Bash", Command: text, Cwd: dir}) {
			return
		}
		passed++
		for _, shell := range shells() {
			if shellRun(t, shell, dir, text); listing(t, dir) != before {
				t.Fatalf("changes the folder under %s: %s", shell, text)
			}
		}
	})
	t.Log(passed, "lines passed")
}

// A71: the payload of a report is plain in the call, or is not known.
func TestReported(t *testing.T) {
	for command, want := range map[string]string{
		`hooks report <<< '{"a":1}'`:             `{"a":1}`,
		`hooks report <<<'{"a":"it'\''s"}'`:      `{"a":"it's"}`,
		`hooks report <<< "{\"a\":1}"`:           `{"a":1}`,
		"hooks report <<'E'\n{\"a\":\"$x\"}\nE":  "{\"a\":\"$x\"}\n",
		"hooks report <<E\n{\"a\":\"$x\"}\nE":    "",
		`hooks report <<< "$X"`:                  "",
		`hooks report <<< *`:                     "",
		`hooks report < x.json`:                  "",
		`cat x.json | hooks report`:              "",
		`hooks report <<< 1 <<< 2`:               "",
		`hooks report <<< 1 > y`:                 "",
		`hooks report 3<<< 1`:                    "",
		`X=1 hooks report <<< 1`:                 "",
		`! hooks report <<< 1`:                   "",
		`hooks report <<< 1 &`:                   "",
		`cd x && hooks report <<< 1`:             "",
		`hooks report <<< 1; hooks report <<< 2`: "",
		`./hooks report <<< 1`:                   "",
		`f() { hooks report; }; f <<< 1`:         "",
	} {
		c := effect.Call{Tool: "Bash", Fields: []effect.Field{{Path: "command", Value: command}}}
		if got, reports := Reported(c); got != want || !reports {
			t.Errorf("%s: %q, %v", command, got, reports)
		}
	}
}
