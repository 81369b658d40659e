//go:build !windows

package drive

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"hooks/internal/hint"
)

// startTool starts a program as the client starts a tool.
func startTool() {
	cmd := exec.Command("sleep", "3600")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
}

func run(t *testing.T, c Client, signals <-chan os.Signal) End {
	t.Helper()
	end, err := c.Run("/sdd:go", signals)
	if err != nil {
		t.Fatal(err)
	}
	return end
}

// signalAt sends an interrupt when the client says each of the words.
func signalAt(c *Client, words ...string) <-chan os.Signal {
	signals := make(chan os.Signal, len(words))
	c.Tick = func(last string) {
		if len(words) > 0 && last == words[0] {
			signals <- os.Interrupt
			words = words[1:]
		}
	}
	return signals
}

func TestClientIsStartedForOneTask(t *testing.T) {
	t.Parallel()
	c := client("polite args")
	c.Flags = []string{"--model", "opus"}
	signals, started := make(chan os.Signal, 1), ""
	c.Tick = func(last string) {
		if started == "" && last != "" {
			started = last
			signals <- os.Interrupt
		}
	}
	one := run(t, c, signals)
	if want := "-p /sdd:go --session-id " + one.Session + " --output-format stream-json " +
		"--verbose --model opus " + one.Session + " ready"; started != want {
		t.Errorf("%q, want %q", started, want)
	}
	if started = ""; run(t, c, signals).Session == one.Session {
		t.Error("two processes had one session id")
	}
}

func TestOutcomeOfAProcess(t *testing.T) {
	t.Parallel()
	for part, want := range map[string]Kind{
		"record completed 0": Ended, "record max-turns 1": MaxTurns, "record overloaded 1": Outage,
		"record prompt-blocked 0": Blocked, "in-use": Failed, "record sigkill 137": Killed,
		"killed": Killed,
	} {
		if v := Judge(run(t, client(part), nil), night); v.Kind != want || v.Session == "" {
			t.Errorf("%s: %+v, want %s", part, v, want)
		}
	}
}

// The first Ctrl-C lets the client end itself.
func TestFirstInterruptIsPassedOn(t *testing.T) {
	t.Parallel()
	c := client("polite")
	end := run(t, c, signalAt(&c, "ready"))
	if v := Judge(end, night); v.Kind != Interrupted || end.Code != 0 || end.Result == nil {
		t.Errorf("%+v", end)
	}
}

func TestSecondInterruptKills(t *testing.T) {
	t.Parallel()
	c := client("deaf")
	end := run(t, c, signalAt(&c, "ready", "deaf"))
	if v := Judge(end, night); v.Kind != Interrupted || end.Code != -1 {
		t.Errorf("%+v", end)
	}
}

func TestSilentClientIsEnded(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"tool", "deaf"} {
		c := client(part)
		c.Stall, c.grace = 500*time.Millisecond, 500*time.Millisecond
		end := run(t, c, nil)
		if v := Judge(end, night); v.Kind != Stalled || end.Code != -1 {
			t.Errorf("%s: %+v", part, end)
		}
	}
}

// Three seconds of work are no silence of two.
func TestLinesAreSignsOfLife(t *testing.T) {
	t.Parallel()
	c := client("drip 6")
	c.Stall = 2 * time.Second
	if end := run(t, c, nil); end.Stalled || end.Code != 0 {
		t.Errorf("%+v", end)
	}
}

// A client that waits for the API is not silent meanwhile.
func TestAnnouncedPauseIsNoSilence(t *testing.T) {
	t.Parallel()
	c := client("retry")
	c.Stall = time.Second
	if end := run(t, c, nil); end.Stalled || end.Code != 0 {
		t.Errorf("%+v", end)
	}
}

// Much on stdout and on stderr is not kept.
func TestFlood(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	end := run(t, client("flood 200"), nil)
	runtime.ReadMemStats(&after)
	if grown := (after.Sys - before.Sys) >> 20; end.Code != 0 || end.Stalled || grown > 128 {
		t.Errorf("%+v, %d MiB more memory", end, grown)
	}
}

func TestNoClient(t *testing.T) {
	_, err := Client{Program: "no-such-client"}.Run("/sdd:go", nil)
	if !errors.Is(err, exec.ErrNotFound) || !strings.Contains(hint.Text(err), "hint: install") {
		t.Error(err)
	}
	script := filepath.Join(t.TempDir(), "claude")
	if err := os.WriteFile(script, []byte("neither a program nor a script"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err = (Client{Program: script}).Run("/sdd:go", nil); hint.Of(err) == "" {
		t.Error(err)
	}
}

func TestRefusals(t *testing.T) {
	for _, flag := range []string{"--resume", "-c", "--session-id=x", "-p", "-cp", "-rabc",
		"--bare", "--safe-mode", "--restricted",
		"--setting-sources=user", "--disable-slash-commands", "--no-session-persistence", "--bg",
		"--background", "--cloud", "--environment=e", "--desktop", "--teleport", "-w",
		"--worktree=x", "--tmux=classic"} {
		err := CheckFlags([]string{"--model", "opus", flag})
		name, _, _ := strings.Cut(flag, "=")
		if hint.Of(err) == "" || !strings.Contains(err.Error(), "client flag "+name+" ") {
			t.Errorf("%s: %v", flag, err)
		}
	}
	if err := CheckFlags([]string{"--model", "opus", "--max-turns=40", "-nproc", "-dapi",
		"--remote-control", "opus-c", "--settings", "s.json", "--debug", "--no-chrome",
		"--verbose"}); err != nil {
		t.Error(err)
	}
}
