//go:build !windows

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/creack/pty"
	"github.com/hinshun/vt10x"

	"hooks/internal/drive"
	"hooks/internal/hint"
	"hooks/internal/inspect"
	"hooks/internal/loop"
)

// once is a run of one task, then the order last.
type once struct {
	prompt   string
	last     drive.Order
	verdicts []drive.Verdict
}

func (o *once) Next() (drive.Order, error) {
	if len(o.verdicts) > 0 {
		return o.last, nil
	}
	return drive.Order{Prompt: o.prompt, Done: 1, Total: 4,
		Name: "task 1 of 1, attempt 1", Title: "Parse it"}, nil
}

func (o *once) Ended(v drive.Verdict) (string, error) {
	o.verdicts = append(o.verdicts, v)
	return "verified", nil
}

func (o *once) Halt(cause, text string) (drive.Order, error) {
	return drive.Order{Do: drive.Finish, Cause: cause, Text: text, Code: 1}, nil
}

// types runs `hooks go` with a client that prints its arguments, and a run that ends with last.
func types(t *testing.T, last drive.Order, env map[string]string, args ...string) (
	*once, string, error,
) {
	t.Helper()
	var cli struct {
		Go goCmd `cmd:""`
	}
	k, err := kong.Must(&cli, kong.Name("hooks"), named()).Parse(append([]string{"go"}, args...))
	if err != nil {
		return nil, "", err
	}
	var out bytes.Buffer
	get := func(name string) string { return env[name] }
	c := caller{&inspect.Inspector{Env: get, Now: time.Now},
		strings.NewReader(""), &out, &out}
	run := &once{last: last}
	err = cli.Go.drive(k, nil, c, func(command string, _ *drive.Client) (drive.Run, error) {
		run.prompt = strings.TrimSpace("/sdd:" + command)
		return run, nil
	})
	return run, out.String(), err
}

const fakeClient = `#!/bin/sh
printf '{"type":"result","terminal_reason":"completed","result":"'
printf '%s|' "$@"
printf '"}\n'
`

func TestGo(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "claude"), []byte(fakeClient), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	done := drive.Order{Do: drive.Finish, Text: "1 task is done"}

	run, out, err := types(t, done, nil, "docs/spec.md", "--check", "go test ./...",
		"--max-iterations", "9", "--max-dollars", "0", "--resume", "--", "--model", "opus")
	if err != nil || !strings.HasSuffix(out, "\n1 task is done\n") ||
		!strings.Contains(out, "task 1 of 1, attempt 1 · verified") {
		t.Errorf("%v\n%s", err, out)
	}
	got := strings.Split(run.verdicts[0].Text, "|")
	want := []string{"-p", "/sdd:go docs/spec.md --check 'go test ./...' --max-iterations 9 " +
		"--max-dollars 0 --resume", "--session-id", run.verdicts[0].Session, "--output-format",
		"stream-json", "--verbose", "--model", "opus", ""}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for line, want := range map[string]string{"": "/sdd:go", "docs/spec.md": "/sdd:go docs/spec.md",
		"audit docs/plan.md": "/sdd:audit docs/plan.md"} {
		args := append(strings.Fields(line), "--", "--model", "opus")
		if run, _, err = types(t, done, nil, args...); err != nil || run.prompt != want ||
			!strings.HasSuffix(run.verdicts[0].Text, "|--model|opus|") {
			t.Errorf("%q, %v", run.prompt, err)
		}
	}

	run, _, err = types(t, done, nil, "docs/spec.md", "--", "--tools", "", "--model", "opus")
	if err != nil || run.prompt != "/sdd:go docs/spec.md" ||
		!strings.HasSuffix(run.verdicts[0].Text, "|--tools||--model|opus|") {
		t.Errorf("%q, %v", run.prompt, err)
	}

	paused := drive.Order{Do: drive.Finish, Text: "paused", Cause: "backlog-drift", Code: 1}
	if _, out, err = types(t, paused, nil); err == nil || !strings.HasSuffix(out, "\npaused\n") ||
		!strings.Contains(hint.Text(err), "backlog-drift") {
		t.Errorf("%v\n%s", err, out)
	}
}

const slowClient = `#!/bin/sh
echo '{"type":"assistant","message":{"content":[{"type":"text","text":"Reading it"}]}}'
sleep 2
echo '{"type":"result","terminal_reason":"completed"}'
`

// On a terminal the progress is drawn in place, and is gone at the end.
func TestGoOnATerminal(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "claude"), []byte(slowClient), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	ptmx, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no terminal can be opened here: %v", err)
	}
	defer ptmx.Close()
	if err := pty.Setsize(ptmx, &pty.Winsize{Rows: 10, Cols: 60}); err != nil {
		t.Fatal(err)
	}
	screen, shown := vt10x.New(vt10x.WithSize(60, 10)), make(chan string)
	go func() {
		var all bytes.Buffer
		_, _ = io.Copy(io.MultiWriter(&all, screen), ptmx)
		shown <- all.String()
	}()
	var cli struct {
		Go goCmd `cmd:""`
	}
	k, err := kong.Must(&cli, kong.Name("hooks"), named()).Parse([]string{"go"})
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"LANG": "C.UTF-8", "NO_COLOR": "1", "TERM": "xterm"}
	get := func(name string) string { return env[name] }
	c := caller{&inspect.Inspector{Env: get, Now: time.Now},
		strings.NewReader(""), tty, tty}
	err = cli.Go.drive(k, nil, c, func(string, *drive.Client) (drive.Run, error) {
		return &once{last: drive.Order{Do: drive.Finish, Text: "1 task is done"}}, nil
	})
	tty.Close()
	all := <-shown
	if err != nil || !strings.Contains(all, "██░░░░░░░░ 1/4 · $0.00 · 0s") ||
		!strings.Contains(all, "s · Reading it\r\x1b[K") || strings.Contains(all, "\x1b[?25l") ||
		strings.Contains(all, "\x1b[2m") {
		t.Errorf("%v\n%q", err, all)
	}
	left := strings.Split(strings.TrimRight(screen.String(), " \n"), "\n")
	if len(left) != 3 || strings.TrimSpace(left[2]) != "1 task is done" {
		t.Errorf("the terminal shows\n%s", strings.Join(left, "\n"))
	}
}

// Bad input starts nothing.
func TestGoRefuses(t *testing.T) {
	t.Setenv("PATH", "")
	for _, c := range []struct {
		args []string
		env  map[string]string
		want string
	}{
		{[]string{"a", "b"}, nil, "one SPEC or PLAN, not 2"},
		{[]string{"audit", "a", "b"}, nil, "one SPEC or PLAN, not 2"},
		{[]string{"a", "--", "--resume"}, nil, "the client flag --resume"},
		{[]string{"--stall=-1s"}, nil, "--stall -1s"},
		{[]string{"--stall", "soon"}, nil, "--stall"},
		{[]string{"--mode", "slow"}, nil, "--mode"},
		{nil, nil, "start the client"},
	} {
		run, _, err := types(t, drive.Order{Do: drive.Finish}, c.env, c.args...)
		started := run != nil && run.verdicts != nil
		if err == nil || !strings.Contains(err.Error(), c.want) || started {
			t.Errorf("%v: %v", c.args, err)
		}
	}
}

// However odd the words are, /sdd:go reads the same.
func TestGoArguments(t *testing.T) {
	var g goCmd
	k, err := kong.Must(&g, named()).Parse([]string{"--check", `sh -c 'a "b"' x`, "--tasks",
		"my tasks.md", "--max-minutes", "20", "--issue", "ENG-1"})
	if err != nil {
		t.Fatal(err)
	}
	got := loop.SplitWords(g.arguments(k, "it's"))
	want := []string{"it's", "--tasks", "my tasks.md", "--check", `sh -c 'a "b"' x`, "--issue",
		"ENG-1", "--max-minutes", "20"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

const flaggingWork = `if [ ! -e "$WORK/asked" ]; then
	touch "$WORK/asked"
	echo "TASK_BLOCKED $TOKEN which format?"
	exit
fi
echo x >$TASK.txt
git add $TASK.txt && git -c user.name=a -c user.email=a@b commit -qm x
echo "TASK_COMPLETE $TOKEN"
`

// In a terminal a person answers every gate, before the first client starts and later, as often as
// it takes; "hold" leaves the gate waiting. The bar shows how far the list is (T35, T46, T49, T50).
func TestGoAsksItsGatesOnATerminal(t *testing.T) {
	dir, project, home := t.TempDir(), t.TempDir(), t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(dir, "claude"):  "#!/bin/sh\nexec tasked \"$@\"\n",
		filepath.Join(dir, "work.sh"): flaggingWork,
		filepath.Join(project, "spec.md"): "# It\n\nIt is.\n\n## Tasks\n\n- [ ] Do it\n" +
			"- [ ] And this\n",
		filepath.Join(home, ".claude", "settings.json"): `{"enabledPlugins":{"hooks@a":true},` +
			`"permissions":{"allow":["Bash"]}}`} {
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err = errors.Join(err, os.WriteFile(path, []byte(text), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."},
		{"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "start"}} {
		git := exec.Command("git", args...)
		if git.Dir = project; git.Run() != nil {
			t.Skip("git is not installed")
		}
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	types := func(args []string, keys ...string) string {
		s := onTerminal(t, project, 100, []string{"WORK=" + dir, "HOME=" + home}, args...)
		for i, key := range keys {
			for try := 0; strings.Count(s.drawn(), "your answer: ") <= i && try < 300; try++ {
				time.Sleep(100 * time.Millisecond)
			}
			if _, err := s.tty.Write([]byte(key + "\n")); err != nil {
				t.Fatal(err)
			}
		}
		_ = s.cmd.Wait()
		<-s.done
		return s.drawn()
	}
	said := types([]string{"go", "spec.md"}, "hold")
	if _, err := os.Stat(filepath.Join(dir, "prompts.log")); err == nil ||
		!strings.Contains(said, "error: the run stopped: gate_waiting") {
		t.Errorf("a hold started a client:\n%s", said)
	}
	said = types([]string{"go"}, "approve", "aprove", "approve", "\x03")
	if !strings.Contains(said, `"aprove" is not an option`) ||
		!regexp.MustCompile(`░ 0/2 · \$0\.00 of \$25\.00 · \d{1,2}s`).MatchString(said) ||
		!strings.Contains(said, "[task-flagged] Task 1 is flagged: which format?") ||
		!strings.Contains(said, "error: the run stopped: gate_waiting") {
		t.Errorf("the terminal shows\n%s", said)
	}
	said = types([]string{"go", "--resume"}, "retry")
	if !strings.Contains(said, "task 2 of 2, attempt 1 · claimed · ") ||
		!strings.Contains(said, "█████░░░░░ 1/2 · $0.00 of $25.00 · ") ||
		!strings.Contains(said, "# Loop finished") {
		t.Errorf("the terminal shows\n%s", said)
	}
}
