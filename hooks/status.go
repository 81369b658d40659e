package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"hooks/internal/desk"
	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/report"
)

type statusCmd struct {
	which
	JSON  bool `xor:"form" help:"Print the same as JSON: a list of loops."`
	Watch bool `xor:"form" help:"Draw it anew every two seconds until Ctrl-C; only on a terminal."`
}

// Run prints each run's standing.
func (c statusCmd) Run(d *desk.Desk, s streams) error {
	switch {
	case c.JSON:
		list, err := d.Standing(c.skills())
		return errors.Join(printJSON(s.out, list), err)
	case c.Watch:
		return watch(d, s.out, c.skills())
	}
	text, err := standing(d, s.out, c.skills())
	fmt.Fprintln(s.out, text)
	return err
}

func standing(d *desk.Desk, out io.Writer, skills []loop.Skill) (string, error) {
	list, err := d.Standing(skills)
	var parts []string
	for _, st := range list {
		parts = append(parts, report.Standing(screen(d, out), st))
	}
	if len(parts) == 0 && err == nil {
		return "no loop in this project", nil
	}
	return strings.Join(parts, "\n\n"), err
}

// firstLines is what of a text fits n rows; drawing more would scroll its head away.
func firstLines(text string, n int) string {
	lines := strings.Split(text, "\n")
	return strings.Join(lines[:max(1, min(n, len(lines)))], "\n")
}

// watchEvery is how often the standing is looked at; what did not change is not drawn again.
const watchEvery = 2 * time.Second

// watch keeps the standing on the terminal's other screen and leaves the terminal as it was.
func watch(d *desk.Desk, out io.Writer, skills []loop.Skill) error {
	if _, terminal := terminalOf(out); !terminal {
		return hint.New("leave --watch out, or ask for --json", "--watch needs a terminal to draw on")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	fmt.Fprint(out, "\x1b[?1049h\x1b[?25l")
	defer fmt.Fprint(out, "\x1b[?25h\x1b[?1049l")
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for before := ""; ; {
		text, err := standing(d, out, skills)
		if err != nil {
			text += fmt.Sprintf("\nerror: %v", err)
		}
		if text = firstLines(text, rows(out)-1); text != before {
			fmt.Fprint(out, "\x1b[H"+strings.ReplaceAll(text, "\n", "\x1b[K\n")+"\x1b[K\n\x1b[J")
			before = text
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
