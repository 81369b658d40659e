//go:build !windows

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

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
	return drive.Order{Prompt: o.prompt, Task: 1, Tasks: 1, Attempt: 1, Title: "Parse it"}, nil
}

func (o *once) Ended(v drive.Verdict) error { o.verdicts = append(o.verdicts, v); return nil }

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
	k, err := kong.Must(&cli, kong.Name("hooks")).Parse(append([]string{"go"}, args...))
	if err != nil {
		return nil, "", err
	}
	var out bytes.Buffer
	c := caller{&inspect.Desk{Env: func(name string) string { return env[name] }, Now: time.Now},
		strings.NewReader(""), &out, &out}
	run := &once{last: last}
	err = cli.Go.drive(k, c, func(arguments string) (drive.Run, error) {
		run.prompt = strings.TrimSpace("/sdd:go " + arguments)
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
		!strings.Contains(out, "task 1 of 1, attempt 1 - ended") {
		t.Errorf("%v\n%s", err, out)
	}
	got := strings.Split(run.verdicts[0].Text, "|")
	want := []string{"-p", "/sdd:go docs/spec.md --check 'go test ./...' --max-iterations 9 " +
		"--max-dollars 0 --resume", "--session-id", run.verdicts[0].Session, "--output-format",
		"stream-json", "--verbose", "--model", "opus", ""}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if run, _, err = types(t, done, nil, "--", "--model", "opus"); err != nil ||
		run.prompt != "/sdd:go" {
		t.Errorf("%q, %v", run.prompt, err)
	}

	paused := drive.Order{Do: drive.Finish, Text: "paused", Cause: "backlog-drift", Code: 1}
	if _, out, err = types(t, paused, nil); err == nil || !strings.HasSuffix(out, "\npaused\n") ||
		!strings.Contains(hint.Text(err), "backlog-drift") {
		t.Errorf("%v\n%s", err, out)
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
		{nil, map[string]string{"CLAUDECODE": "1"}, "CLAUDECODE is set"},
		{[]string{"a", "b"}, nil, "one SPEC, not 2"},
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
	g := goCmd{Check: `sh -c 'a "b"' x`, Tasks: "my tasks.md", MaxMinutes: 20, Issue: "ENG-1"}
	got := loop.SplitWords(g.arguments("it's"))
	want := []string{"it's", "--tasks", "my tasks.md", "--check", `sh -c 'a "b"' x`, "--issue",
		"ENG-1", "--max-minutes", "20"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
