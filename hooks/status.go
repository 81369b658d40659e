package main

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"hooks/internal/app"
	"hooks/internal/drive"
	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/page"
	"hooks/internal/report"
	"hooks/internal/toolcall"
)

type statusCmd struct {
	which
	JSON  bool `xor:"form" help:"Print the same as JSON: a list of loops."`
	All   bool `help:"One line per project of this machine; the ones that need you come first."`
	Watch bool `xor:"form" help:"Redraw every two seconds until Ctrl-C; only on a terminal."`
}

func (st statusCmd) Run(c caller) error {
	c.Everywhere = st.All
	if st.Watch {
		return st.watch(c)
	}
	list, err := c.Stands(st.skills())
	if st.All && !st.JSON && len(list) > 0 {
		return c.show(false, report.Projects(list), err)
	}
	return showEach(c, st.JSON, list, err, c.noLoop(st.which))
}

// noLoop returns the message if no loop is shown.
func (c caller) noLoop(w which) string {
	kind := strings.TrimLeft(w.Skill+" loop ", " ")
	return "no " + kind + report.Where(c.screen(), c.Everywhere)
}

// watchEvery is the interval of --watch. An unchanged page is not redrawn.
const watchEvery = 2 * time.Second

// watch redraws the status on the terminal's alternate screen until a signal, and then restores the
// terminal.
func (st statusCmd) watch(c caller) error {
	if _, terminal := terminalOf(c.out); !terminal {
		return hint.New("leave --watch out, or ask for --json",
			"--watch needs a terminal to draw on")
	}
	signals, stop := drive.Signals()
	defer stop()
	fmt.Fprint(c.out, "\x1b[?1049h\x1b[?25l")
	defer fmt.Fprint(c.out, "\x1b[?25h\x1b[?1049l")
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for before := ""; ; {
		list, err := c.Stands(st.skills())
		text := page.DrawAll(c.screen(), list)
		if err != nil {
			text += fmt.Sprintf("\nerror: %v", err)
		}
		if text == "" {
			text = c.noLoop(st.which)
		}
		rows := strings.Split(text, "\n") // more would scroll the first ones away
		text = strings.Join(rows[:max(1, min(height(c.out)-1, len(rows)))], "\n")
		if text != before {
			fmt.Fprint(c.out, "\x1b[H"+strings.ReplaceAll(text, "\n", "\x1b[K\n")+"\x1b[K\n\x1b[J")
			before = text
		}
		select {
		case <-signals:
			return nil
		case <-tick.C:
		}
	}
}

type statuslineCmd struct{}

// Run prints the client's status line. The client asks for it many times a minute, so
// `hooks statusline` without arguments bypasses the command parser, like the hook words.
func (statuslineCmd) Run(c caller) error {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(24 << 20)
	if typed(c.in) {
		c.in = strings.NewReader("")
	}
	if line := c.StatusLine(c.in, c.screen()); line != "" {
		fmt.Fprintln(c.out, line)
	}
	return nil
}

type explainCmd struct {
	which
	Command *string `help:"A shell command instead: how the guard reads it and what happens to it."`
	JSON    bool    `help:"Print the same as JSON."`
}

// Run explains why a loop stopped or what would stop it, or how the guard reads a command.
func (e explainCmd) Run(a *app.App, c caller) error {
	if e.Command != nil {
		return c.show(e.JSON, toolcall.Explain(*e.Command, a.Env), nil)
	}
	list, err := c.Why(e.skills())
	none := cmp.Or(loop.KindOf(loop.Skill(e.Skill)).None, c.noLoop(e.which))
	return showEach(c, e.JSON, list, err, none)
}

type backlogCmd struct {
	Scope []string `arg:"" optional:"" help:"As in 12 15-18 label:NAME; all if not given."`
	JSON  bool     `help:"Print the same as JSON."`
}

// Run asks the tracker and prints the backlog, even if it is incomplete.
func (b backlogCmd) Run(c caller) error {
	board, err := c.Backlog(b.Scope)
	if err != nil && board.Issues == nil && !b.JSON {
		return err
	}
	return c.show(b.JSON, board, err)
}

type prCmd struct {
	Number int  `arg:"" help:"The PR's number."`
	JSON   bool `help:"Print the same as JSON."`
}

func (p prCmd) Run(c caller) error {
	if p.Number < 1 {
		return hint.New("as in `hooks pr 142`", "the PR number %d is less than 1", p.Number)
	}
	pr, err := c.PR(p.Number)
	return c.show(p.JSON, pr, err)
}
