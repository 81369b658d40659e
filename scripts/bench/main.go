// Bench times whole hook calls, start to exit, interleaved in one run: go run ./scripts/bench [-n 300]. It takes every
// hook word in every state, an empty Go program that reads its stdin, and, as scripts of bash and jq, python and node,
// the smallest guard that does nothing where there is no loop. With -usage MIB it times counting instead, on a generated
// session of that size beside ccusage: go run ./scripts/bench -usage 1024 -n 60. With -history LINES it times what
// people look at a loop with, with -running a tool call while a run with a dollar ceiling spends.
// It prints tables for docs/performance.md.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
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
	name    string // in the first table; "" for a row that only the second one shows
	word    string // of a hook
	state   string // that it meets
	args    []string
	stdin   string
	env     []string
	prepare func() error
	times   []time.Duration
	cpu     []time.Duration // what the process itself took of the processors: it holds on a busy machine, too
	rss     int64           // peak, in KiB
}

func main() {
	n := flag.Int("n", 300, "counted calls of each row")
	mib := flag.Int64("usage", 0, "measure counting on a session of that many MiB instead")
	dir := flag.String("tree", "", "only write such a session under this folder, as a client's own")
	kind := flag.String("kind", kindSession, "of -tree: session with workers, one transcript, or more of one")
	lines := flag.Int("history", 0, "measure the commands for people on a history of that many lines instead")
	running := flag.Bool("running", false,
		"measure a tool call while a run with a dollar ceiling spends instead")
	flag.Parse()
	if *dir != "" {
		if err := write(*dir, *kind, *mib<<20); err != nil {
			fmt.Fprintln(os.Stderr, "error:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(*n, *mib<<20, *lines, *running); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(n int, size int64, lines int, running bool) error {
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
	if lines > 0 {
		return b.glance(lines, n)
	}
	if running {
		return b.running(n)
	}
	rows, err := b.rows()
	if err != nil {
		return err
	}
	for i := range n + 10 {
		for _, k := range rand.Perm(len(rows)) { // who runs after whom must not matter
			if err := rows[k].call(i >= 10); err != nil {
				return fmt.Errorf("%s: %w", rows[k].name, err)
			}
		}
	}
	print(named(rows), "the empty program")
	fmt.Println()
	printStates(rows)
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
	linked := filepath.Join(b.dir, "linked")
	for to, from := range map[string]string{b.empty: source, b.hooks: "./hooks"} {
		cmd := exec.Command("go", "build", "-o", linked, from)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go build %s: %w\n%s", from, err, out)
		}
		if err := install(linked, to); err != nil {
			return err
		}
	}
	return nil
}

// install copies a program, as installers do: where the linker wrote a file a part at a time, its
// pages are slower to map.
func install(from, to string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	return errors.Join(err, dst.Close())
}

func event(project, name, more string) string {
	return fmt.Sprintf(`{"session_id":"s","transcript_path":%q,"cwd":%q,"prompt_id":"p","permission_mode":"default","hook_event_name":%q,%s}`,
		filepath.Join(project, "none.jsonl"), project, name, more)
}

// env leaves git out, whose time is not ours: without it on PATH the worktrees are unknown.
func (b *bench) env(project string) []string {
	return []string{"HOME=" + b.dir, "PATH=/nonexistent", "HOOKS_STATE_HOME=" + project + ".seal",
		"CLAUDE_PROJECT_DIR=" + project, "CLAUDE_CODE_SESSION_ID=s",
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
		r.cpu = append(r.cpu, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
		r.rss = max(r.rss, peak(cmd.ProcessState))
	}
	return nil
}

func print(rows []*row, first string) {
	base := rows[0].median()
	fmt.Printf("| call | min ms | median ms | p95 ms | times %s | CPU ms | peak MiB |\n", first)
	fmt.Println("|---|--:|--:|--:|--:|--:|--:|")
	for _, r := range rows {
		slices.Sort(r.times)
		fmt.Printf("| %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.1f |\n", r.name, ms(r.times[0]), ms(r.median()), ms(r.times[len(r.times)*95/100]),
			float64(r.median())/float64(base), ms(middle(r.cpu)), float64(r.rss)/1024)
	}
}

func (r *row) median() time.Duration { return middle(r.times) }

func middle(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2]
}
