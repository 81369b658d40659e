package child

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if pause, err := time.ParseDuration(os.Getenv("DRIP")); err == nil {
		for range 5 {
			os.Stdout.WriteString("x")
			time.Sleep(pause)
		}
		os.Exit(0)
	}
	if n, err := strconv.Atoi(os.Getenv("PRINT")); err == nil {
		if n < 0 {
			os.Stdout.WriteString("x")
			time.Sleep(time.Hour)
		}
		for range n {
			os.Stdout.WriteString(strings.Repeat("x", 1000))
		}
		os.Stderr.WriteString(strings.Repeat("y", 100*n))
		os.Exit(3)
	}
	os.Exit(m.Run())
}

func printing(n int, c Command) (Result, error) {
	c.Args, c.Env = []string{os.Args[0]}, append(os.Environ(), fmt.Sprintf("PRINT=%d", n))
	return Run(context.Background(), c)
}

func TestOutputIsBounded(t *testing.T) {
	// a terabyte, were it let
	r, err := printing(1<<30, Command{Wait: time.Minute, Most: 5_000_001})
	if !errors.Is(err, ErrTooMuch) || len(r.Out) != 5_000_001 {
		t.Errorf("%d bytes, %v", len(r.Out), err)
	}
	r, err = printing(1000, Command{Wait: time.Minute, Most: 1_000_000})
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 || len(r.Out) != 1_000_000 ||
		len(r.Says) != maxSays {
		t.Errorf("%d and %d bytes, %v", len(r.Out), len(r.Says), err)
	}
}

func TestTimeIsBounded(t *testing.T) {
	if _, err := printing(-1, Command{Wait: 100 * time.Millisecond, Most: 1}); !errors.Is(err,
		context.DeadlineExceeded) {
		t.Error(err)
	}
}

// A program that keeps printing is let, one that falls silent is not.
func TestSilenceIsBounded(t *testing.T) {
	drip := func(pause string, idle time.Duration) (Result, error) {
		c := Command{Args: []string{os.Args[0]}, Env: append(os.Environ(), "DRIP="+pause),
			Wait: 10 * time.Minute, Idle: idle, Most: 100}
		return Run(context.Background(), c)
	}
	if r, err := drip("10ms", time.Minute); err != nil || len(r.Out) != 5 {
		t.Errorf("%q, %v", r.Out, err)
	}
	if r, err := drip("1h", time.Second); !errors.Is(err, context.Canceled) ||
		string(r.Out) != "x" {
		t.Errorf("%q, %v", r.Out, err)
	}
}

func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"": "",
		"\n \x1b[2J\n\x1b[31mfatal\x07: no\tway\u202e\nmore": "[2J",
		"\n\r\nsecond\u2028": "second",
		"fatal: unable to access 'https://u:tok@en@h.org/x': no": "fatal: unable to access " +
			"'https://<redacted>@h.org/x': no",
		"HTTP 401 with ghp_16C7e42F292c6912E7710c838347Ae178B4a":  "HTTP 401 with <redacted>",
		"?private_token=0123456789abcdef0123456789abcdef01234567": "?private_token=<redacted>",
		"glrt-abcdefghij!":       "<redacted>!",
		strings.Repeat("é", 300): strings.Repeat("é", maxLine-1) + "…",
	} {
		if got := Line(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

func TestHeadIsBounded(t *testing.T) {
	h := Head{Most: 100}
	for range 3 {
		if n, err := h.Write(bytes.Repeat([]byte("x"), 99)); n != 99 || err != nil {
			t.Error(n, err)
		}
	}
	if h.Kept.Len() != 100 {
		t.Error(h.Kept.Len())
	}
}
