package main

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	xterm "golang.org/x/term"

	"hooks/internal/app"
	"hooks/internal/drive"
	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/term"
	"hooks/internal/tracker"
)

// goCmd drives a task loop: one client process a task, in a terminal (T92).
type goCmd struct {
	Spec   string   `arg:"" optional:"" help:"What to build; not needed with --resume."`
	Client []string `arg:"" optional:"" help:"The client's own flags, after --."`

	Tasks string `placeholder:"PATH" help:"The list of tasks, if not beside the SPEC or in it."`
	Check string `placeholder:"CMD" help:"The command that proves a task."`
	Issue string `placeholder:"ID" help:"The issue that the tasks belong to."`
	Mode  string `enum:"quick,tdd,pair,checkpoint,swarm," default:"" help:"${enum} or the spec's."`

	CheckTimeout int  `placeholder:"N" help:"Minutes for one run of that command."`
	StrictTests  bool `help:"Ask a person about tests that were weakened."`

	MaxTaskIterations int    `placeholder:"N" help:"Attempts at one task."`
	MaxTaskDollars    string `placeholder:"N" help:"Dollars for one task; 0 is no ceiling."`
	MaxIterations     int    `placeholder:"N" help:"Attempts in all."`
	MaxMinutes        int    `placeholder:"N" help:"Minutes in all."`
	MaxDollars        string `placeholder:"N" help:"Dollars in all; 0 is no ceiling."`

	Resume bool          `help:"Continue the run that stopped."`
	Stall  time.Duration `default:"15m" help:"End a client that is silent for so long."`
	Plugin string        `placeholder:"NAME" help:"Whose go does a task: hooks or sdd."`
}

// Help explains what the driver does, and what it leaves to a person.
func (goCmd) Help() string {
	return "Starts one client process for each attempt at a task, so that each begins with an " +
		"empty context, and judges its claim by git and the check command. Gates 1 and 2 are " +
		"asked here, in a terminal; elsewhere answer them with `hooks gate answer` and use " +
		"--resume. The client's own flags, as for permissions, follow --. See docs/driver.md."
}

// Run drives a task loop to its end. The gates of a fresh run are asked before any client starts.
func (g goCmd) Run(k *kong.Context, a *app.App, c caller) error {
	return g.drive(k, c, func(arguments string) (drive.Run, error) {
		run, err := a.TaskRun("/" + cmp.Or(g.Plugin, "hooks") + ":go " + arguments)
		if err != nil {
			return nil, err
		}
		return run, c.answerGates(a)
	})
}

// answerGates asks a person at this terminal the questions of a task loop that a plain yes or no
// answers, and records the answers as `hooks gate answer` does.
func (c caller) answerGates(a *app.App) error {
	_, shown := terminalOf(c.out)
	if !shown || !typed(c.in) {
		return nil
	}
	waiting, err := c.Waiting()
	if err != nil {
		return err
	}
	keys := bufio.NewScanner(c.in)
	for _, w := range waiting {
		yes, no := w.Gate.YesNo()
		if w.Skill != loop.Tasks || !w.Paused || w.Gate.Answer != "" || yes == "" {
			continue
		}
		fmt.Fprintf(c.out, "%s (y/n) ", term.Text(w.Gate.Question))
		if !keys.Scan() {
			return keys.Err()
		}
		answer := no
		if word := strings.ToLower(strings.TrimSpace(keys.Text())); word == "y" || word == "yes" {
			answer = yes
		}
		if answer == "" { // the gate keeps waiting, so the run does not begin
			return nil
		}
		if _, err := a.AnswerGate("task:"+w.Gate.Name, []string{answer}); err != nil {
			return err
		}
	}
	return nil
}

// split separates the SPEC from the client's own flags, which follow a lone --. The parser gives
// the first word to the SPEC wherever it was typed.
func (g goCmd) split(args []string) (spec string, flags []string, err error) {
	words := g.Client
	if g.Spec != "" {
		words = append([]string{g.Spec}, words...)
	}
	if at := slices.Index(args, "--"); at >= 0 {
		n := min(len(args)-at-1, len(words))
		words, flags = words[:len(words)-n], words[len(words)-n:]
	}
	if len(words) > 1 {
		return "", nil, hint.New("the client's flags follow --: `hooks go SPEC -- --model opus`",
			"`hooks go` takes one SPEC, not %d", len(words))
	}
	return strings.Join(words, ""), flags, drive.CheckFlags(flags)
}

// arguments are the words of /sdd:go that say the same, as loop.SplitWords reads them.
func (g goCmd) arguments(spec string) string {
	var words []string
	if spec != "" {
		words = append(words, quoted(spec))
	}
	number := func(n int) string { return strings.TrimPrefix(strconv.Itoa(n), "0") }
	for _, flag := range [...]struct{ name, value string }{
		{"--tasks", g.Tasks}, {"--check", g.Check}, {"--mode", g.Mode}, {"--issue", g.Issue},
		{"--check-timeout", number(g.CheckTimeout)},
		{"--max-task-iterations", number(g.MaxTaskIterations)},
		{"--max-task-dollars", g.MaxTaskDollars},
		{"--max-iterations", number(g.MaxIterations)}, {"--max-minutes", number(g.MaxMinutes)},
		{"--max-dollars", g.MaxDollars},
	} {
		if flag.value != "" {
			words = append(words, flag.name, quoted(flag.value))
		}
	}
	if g.StrictTests {
		words = append(words, "--strict-tests")
	}
	if g.Resume {
		words = append(words, "--resume")
	}
	return strings.Join(words, " ")
}

// quoted is a word that stays one.
func quoted(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\r\n'\"") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'"'"'`) + "'"
}

// drive drives a run to its end and prints its last words. A run that was stopped or that waits
// for a person is an error. start gets the arguments of /sdd:go.
func (g goCmd) drive(
	k *kong.Context, c caller, start func(arguments string) (drive.Run, error),
) error {
	if err := drive.Outside(c.Env); err != nil {
		return err
	}
	spec, flags, err := g.split(k.Args)
	if err != nil {
		return err
	}
	if g.Stall <= 0 {
		return hint.New("give a time such as 15m", "--stall %v is no time to wait", g.Stall)
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	run, err := start(g.arguments(spec))
	if err != nil {
		return err
	}
	signals, stop := drive.Signals()
	defer stop()
	cycle := drive.Cycle{Run: run, Signals: signals, Screen: c.progress(), Client: drive.Client{
		Dir: tracker.Project(c.Env, dir), Env: os.Environ(), Flags: flags, Stall: g.Stall}}
	last, err := cycle.Drive()
	if err != nil {
		return err
	}
	if err := c.say(last.Text); err != nil || last.Code == 0 {
		return err
	}
	way := "see `hooks explain`; then `hooks go --resume`"
	if last.Cause == loop.NotBegun {
		way = "the client may lack the plugin: `hooks doctor`; then `hooks go --resume`"
	}
	return hint.New(way, "the run stopped: %s", last.Cause)
}

// progress is the screen of a driver: lines at the bottom of a terminal, else plain lines.
func (c caller) progress() *drive.Screen {
	s := c.screen()
	p := &drive.Screen{Out: c.out, Color: s.Color, ASCII: s.ASCII}
	if fd, terminal := terminalOf(c.out); terminal && c.Env("TERM") != "dumb" {
		p.Width = func() int {
			if width, _, err := xterm.GetSize(fd); err == nil && width > 0 {
				return width
			}
			return s.Width
		}
	}
	return p
}
