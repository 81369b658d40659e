// Bench times whole hook calls, start to exit, against an empty Go program that reads its stdin, interleaved in one
// run: go run ./scripts/bench [-n 300]. With -usage MIB it times counting instead, on a generated session of that size
// beside ccusage: go run ./scripts/bench -usage 1024 -n 60. It prints tables for docs/performance.md.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const empty = `package main

import (
	"io"
	"os"
)

func main() { io.ReadAll(os.Stdin) }
`

// row is one program in one state. prepare brings the state about before each call; it is not timed.
type row struct {
	name    string
	args    []string
	stdin   string
	env     []string
	prepare func() error
	times   []time.Duration
	rss     int64 // peak, in KiB
}

func main() {
	n := flag.Int("n", 300, "counted calls of each row")
	mib := flag.Int64("usage", 0, "measure counting on a session of that many MiB instead")
	dir := flag.String("tree", "", "only write such a session under this folder, as a client's own")
	kind := flag.String("kind", kindSession, "of -tree: session with workers, one transcript, or more of one")
	flag.Parse()
	if *dir != "" {
		if err := write(*dir, *kind, *mib<<20); err != nil {
			fmt.Fprintln(os.Stderr, "error:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(*n, *mib<<20); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(n int, size int64) error {
	dir, err := os.MkdirTemp("", "hooks-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := bench{dir: dir, empty: filepath.Join(dir, "empty"), hooks: filepath.Join(dir, "hooks")}
	if err := b.build(); err != nil {
		return err
	}
	if size > 0 {
		return b.spend(size, n)
	}
	rows := b.rows()
	for i := range n + 10 {
		for _, r := range rows {
			if err := r.call(i >= 10); err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
		}
	}
	print(rows, "the empty program")
	return nil
}

type bench struct{ dir, empty, hooks string }

func (b *bench) build() error {
	if err := os.MkdirAll(filepath.Join(b.dir, "src"), 0o755); err != nil {
		return err
	}
	source := filepath.Join(b.dir, "src", "main.go")
	if err := os.WriteFile(source, []byte(empty), 0o644); err != nil {
		return err
	}
	for _, args := range [][]string{{"build", "-o", b.empty, source}, {"build", "-o", b.hooks, "./hooks"}} {
		cmd := exec.Command("go", args...)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
		}
	}
	return nil
}

// rows are the states a hook call meets: no loop at all, a tool call in an open iteration, and its end.
func (b *bench) rows() []*row {
	idle, busy := filepath.Join(b.dir, "idle"), filepath.Join(b.dir, "busy")
	bash := func(project string) string {
		return event(project, "PreToolUse", `"tool_name":"Bash","tool_use_id":"t","tool_input":{"command":"go test ./... 2>&1 | tail -20 # `+strings.Repeat("x", 150)+`"}`)
	}
	enter := func(prompt string) error {
		return b.hook(busy, "user-prompt-expansion", strings.Replace(event(busy, "UserPromptExpansion",
			`"expansion_type":"slash_command","command_name":"sdd:work","command_args":"--loop","prompt":"/sdd:work --loop"`), `"p"`, `"`+prompt+`"`, 1))
	}
	stop := func(prompt string) string {
		return strings.Replace(event(busy, "Stop", `"stop_hook_active":false`), `"p"`, `"`+prompt+`"`, 1)
	}
	report := func() error {
		cmd := exec.Command(b.hooks, "report")
		cmd.Env, cmd.Stdin = b.env(busy), strings.NewReader(`{"outcome":"ok"}`)
		return cmd.Run()
	}
	// second is a run in its second iteration, as most of its calls meet it.
	second := func() error {
		return errors.Join(os.RemoveAll(busy), os.MkdirAll(busy, 0o755), enter("p1"), report(), b.hook(busy, "stop", stop("p1")), enter("p"))
	}
	reported := func() error { return errors.Join(second(), report()) }
	_ = os.MkdirAll(idle, 0o755)
	return []*row{
		{name: "empty Go program", args: []string{b.empty}, stdin: bash(idle)},
		{name: "pre-tool-use, no loop", args: []string{b.hooks, "pre-tool-use"}, stdin: bash(idle), env: b.env(idle)},
		{name: "stop, no loop", args: []string{b.hooks, "stop"}, stdin: event(idle, "Stop", `"stop_hook_active":false`), env: b.env(idle)},
		{name: "pre-tool-use, iteration open", args: []string{b.hooks, "pre-tool-use"}, stdin: bash(busy), env: b.env(busy), prepare: second},
		{name: "stop, end of an iteration", args: []string{b.hooks, "stop"}, stdin: stop("p"), env: b.env(busy), prepare: reported},
	}
}

func event(project, name, more string) string {
	return fmt.Sprintf(`{"session_id":"s","transcript_path":%q,"cwd":%q,"prompt_id":"p","permission_mode":"default","hook_event_name":%q,%s}`,
		filepath.Join(project, "none.jsonl"), project, name, more)
}

// env leaves git out, whose time is not ours: without it on PATH the worktrees are unknown.
func (b *bench) env(project string) []string {
	return []string{"HOME=" + b.dir, "PATH=/nonexistent", "CLAUDE_PROJECT_DIR=" + project, "CLAUDE_CODE_SESSION_ID=s",
		fmt.Sprintf("CLAUDE_PID=%d", os.Getpid()), "CLAUDE_CODE_SESSION_ATTENDED=1"}
}

func (b *bench) hook(project, word, stdin string) error {
	cmd := exec.Command(b.hooks, word)
	cmd.Env, cmd.Stdin = b.env(project), strings.NewReader(stdin)
	return cmd.Run()
}

func (r *row) call(counted bool) error {
	if r.prepare != nil {
		if err := r.prepare(); err != nil {
			return err
		}
	}
	cmd := exec.Command(r.args[0], r.args[1:]...)
	cmd.Stdin, cmd.Env = bytes.NewReader([]byte(r.stdin)), r.env
	began := time.Now()
	if err := cmd.Run(); err != nil {
		return err
	}
	if counted {
		r.times = append(r.times, time.Since(began))
		r.rss = max(r.rss, peak(cmd.ProcessState))
	}
	return nil
}

func print(rows []*row, first string) {
	base := rows[0].median()
	fmt.Printf("| call | min ms | median ms | p95 ms | times %s | peak MiB |\n", first)
	fmt.Println("|---|--:|--:|--:|--:|--:|")
	for _, r := range rows {
		slices.Sort(r.times)
		fmt.Printf("| %s | %.2f | %.2f | %.2f | %.2f | %.1f |\n", r.name, ms(r.times[0]), ms(r.median()), ms(r.times[len(r.times)*95/100]),
			float64(r.median())/float64(base), float64(r.rss)/1024)
	}
}

func (r *row) median() time.Duration {
	slices.Sort(r.times)
	return r.times[len(r.times)/2]
}
