package main

import (
	"cmp"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"hooks/internal/app"
	"hooks/internal/drive"
	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/page"
	"hooks/internal/report"
	"hooks/internal/term"
)

// goCmd drives a task or an audit loop in a terminal, with one client process for each iteration
// (T92).
type goCmd struct {
	Spec   string   `arg:"" optional:"" help:"The SPEC, or audit PLAN; omit it with --resume."`
	Plan   string   `arg:"" optional:"" help:"The PLAN of an audit loop."`
	Client []string `arg:"" optional:"" help:"The client's own flags, after --."`

	Tasks string `placeholder:"PATH" help:"The task list; by default, tasks.md beside the SPEC."`
	Check string `placeholder:"CMD" help:"The command that checks a task or a section."`
	Issue string `placeholder:"ID" help:"The issue that the tasks belong to."`
	Mode  string `enum:"${modes}," default:"" placeholder:"MODE" help:"${enum} or the spec's mode."`

	CheckTimeout string `placeholder:"N" help:"Minutes for one run of the check command."`
	Untidy       string `placeholder:"WORD" help:"With uncommitted files: stop or leave-out."`
	Require      string `placeholder:"WORD" help:"verified: ask about each unverified task."`

	MaxTaskIterations string `placeholder:"N" help:"Attempts at one task."`
	MaxTaskDollars    string `placeholder:"N" help:"Dollars for one task; 0 for no ceiling."`
	MaxIterations     string `placeholder:"N" help:"Total attempts or phases."`
	MaxMinutes        string `placeholder:"N" help:"Total minutes."`
	MaxDollars        string `placeholder:"N" help:"Total dollars; 0 for no ceiling."`

	NearLimit string `placeholder:"WORD" help:"At 80 percent of a limit: ask, continue or stop."`
	Merges    string `placeholder:"WORD" help:"Merges: feedback, ask (each one) or never."`

	Resume  bool          `help:"Continue a stopped run."`
	Restart bool          `help:"Continue a stopped audit and count its phases from zero."`
	Stall   time.Duration `default:"15m" help:"End a client that prints nothing for this long."`
	Yes     bool          `own:"" help:"Approve gates 1 and 2, for example in CI."`
	Plugin  string        `own:"" placeholder:"NAME" help:"The plugin to use: hooks or sdd."`
}

// Help describes the driver and the steps that it leaves to a person.
func (goCmd) Help() string {
	return "Starts one client process for each attempt at a task, so that each begins with an " +
		"empty context, and checks each attempt's claim with git and the check command. In a " +
		"terminal, it asks you every gate question; without one, answer with `hooks gate answer` " +
		"and continue with --resume, or approve gates 1 and 2 with --yes. `hooks go audit PLAN`, " +
		"in a linked worktree, does the same for each phase of an audit loop. Put the client's " +
		"own flags, such as those for permissions, after --; the run keeps them for --resume. " +
		"See docs/driver.md."
}

func (g goCmd) Run(k *kong.Context, a *app.App, c caller) error {
	return g.drive(k, a, c, func(command string, client *drive.Client) (drive.Run, error) {
		return a.Drive("/"+cmp.Or(g.Plugin, "hooks")+":"+command, client)
	})
}

// answerGates asks a person the loop's pending questions, at this terminal and through the Ask
// command. It records the answers as `hooks gate answer` does. It reports whether all questions
// were answered, so that the loop may continue. It returns false after "hold", Ctrl-C or the end of
// the input.
func (g goCmd) answerGates(
	a *app.App, c caller, skill loop.Skill, signals <-chan os.Signal,
) (answered bool, err error) {
	waiting, err := c.Waiting([]loop.Skill{skill})
	_, shown := terminalOf(c.out)
	var carried chan bool // receives whether the Ask command got all answers
	ask := func() error {
		asks, err := a.StartAsking(skill)
		if asks && carried == nil {
			carried = make(chan bool, 1)
			go func() { carried <- a.AwaitAnswer(skill) }()
		}
		return err
	}
	for i := 0; i < len(waiting) && err == nil; i++ {
		w, answer := waiting[i], ""
		kind := loop.GateOf(w.Gate.Name)
		opening := kind.When == loop.Entry && slices.ContainsFunc(w.Gate.Options,
			func(o loop.Option) bool { return o.Label == "approve" })
		switch {
		case !w.Paused || w.Project != "" || w.Gate.Answer != "":
			continue
		case g.Yes && opening:
			answer = "approve"
		case carried == nil && ask() != nil:
			return false, nil
		case !shown || !typed(c.in):
			if carried == nil {
				return false, nil
			}
			for _, w := range waiting[i:] {
				fmt.Fprintln(c.out, page.Draw(c.screen(), w))
			}
			fmt.Fprintln(c.out, "waiting for your answer through the Ask command")
			select {
			case <-signals:
				return false, nil
			case all := <-carried:
				return all, nil
			}
		default:
			fmt.Fprintf(c.out, "%s\nyour answer: ", page.Draw(c.screen(), w))
			line, all := c.line(signals, carried)
			if answer = line; all {
				return true, nil
			} else if answer == "" || answer == "hold" {
				return false, nil
			}
		}
		name := string(skill) + ":" + w.Gate.Name + ":" + w.Gate.Target
		if _, err := a.AnswerGate(strings.TrimSuffix(name, ":"), []string{answer}); err != nil {
			fmt.Fprintln(c.out, term.Text(hint.Text(err)))
			i-- // ask again
		}
	}
	return err == nil, err
}

// line returns the next line that a person types. It is empty after a signal and at the end of the
// input. elsewhere is true if the Ask command got all answers first.
func (c caller) line(
	signals <-chan os.Signal, carried <-chan bool,
) (text string, elsewhere bool) {
	typed := make(chan string, 1)
	go func() { typed <- typedLine(c.in) }()
	for {
		select {
		case <-signals:
			return "", false
		case line := <-typed:
			return line, false
		case all := <-carried:
			if all {
				return "", true
			}
			carried = nil // the Ask command gave up
		}
	}
}

// split separates the skill (go or audit) and the SPEC or PLAN from the client's own flags after
// --. The parser cannot do that, because it also assigns words after -- to SPEC and PLAN.
func (g goCmd) split(args []string) (skill, spec string, flags []string, err error) {
	said := func(list []string) []string { // without empty words
		return slices.DeleteFunc(slices.Clone(list), func(word string) bool { return word == "" })
	}
	words := said(append([]string{g.Spec, g.Plan}, g.Client...))
	if at := slices.Index(args, "--"); at >= 0 {
		flags = args[at+1:]
		words = words[:max(0, len(words)-len(said(flags)))]
	}
	if skill = "go"; len(words) > 0 && words[0] == "audit" {
		skill, words = "audit", words[1:]
	}
	if len(words) > 1 {
		return "", "", nil, hint.New(
			"put the client's flags after --: `hooks go SPEC -- --model opus`",
			"`hooks go` takes one SPEC or PLAN, not %d", len(words))
	}
	return skill, strings.Join(words, ""), flags, drive.CheckFlags(flags)
}

// arguments returns the equivalent skill arguments, quoted for loop.SplitWords.
func (goCmd) arguments(k *kong.Context, spec string) string {
	words := loopFlags(k)
	if spec != "" {
		words = slices.Insert(words, 0, report.OneWord(spec))
	}
	return strings.Join(words, " ")
}

// loopFlags returns the given switches and string flags, as words for the loop's own parser. It
// omits flags tagged own, because the loop does not have them.
func loopFlags(k *kong.Context) (words []string) {
	for _, f := range k.Flags() {
		switch given := f.Target.Interface(); {
		case f.Tag.Has("own"):
		case given == true:
			words = append(words, "--"+f.Name)
		case f.Target.Kind() == reflect.String && given != "":
			words = append(words, "--"+f.Name, report.OneWord(f.Target.String()))
		}
	}
	return words
}

// drive drives a run to its end and prints its last message. It returns an error if the run did not
// succeed or waits for a person. start begins a run from a command such as "go docs/spec.md" and
// completes client.
func (g goCmd) drive(k *kong.Context, a *app.App, c caller,
	start func(command string, client *drive.Client) (drive.Run, error)) error {
	skill, spec, flags, err := g.split(k.Args)
	if err != nil {
		return err
	}
	if g.Stall <= 0 {
		return hint.New("use a time such as `--stall 15m`", "--stall %v is not above zero", g.Stall)
	}
	client := drive.Client{Env: os.Environ(), Flags: flags, Stall: g.Stall}
	run, err := start(skill+" "+g.arguments(k, spec), &client)
	if err != nil {
		return err
	}
	signals, stop := drive.Signals()
	defer stop()
	cmd, _ := loop.ParseCommand("hooks:"+skill, "")
	screen := &drive.Screen{Out: c.out} // without a width it appends plain lines
	if _, terminal := terminalOf(c.out); terminal && c.Env("TERM") != "dumb" {
		screen.Width = func() int { return cmp.Or(c.screen().Width, 80) }
	}
	cycle := drive.Cycle{Run: run, Signals: signals, Screen: screen, Client: client,
		Ask: func() (bool, error) { return g.answerGates(a, c, cmd.Skill, signals) }}
	last, err := cycle.Drive()
	if err != nil {
		return err
	}
	if err := c.say(last.Text); err != nil || last.Code == 0 {
		return err
	}
	resume := strings.TrimSuffix("hooks go "+skill, " go") + " --resume"
	resume = "run `" + cmp.Or(last.Resume, resume) + "`"
	way := "see `hooks explain`; then " + resume
	switch last.Cause {
	case loop.NotBegun:
		if skill == "audit" && spec != "" { // the run did not begin
			resume = "run the same command again"
		}
		way = "run `hooks doctor`, as the client may lack the plugin; then " + resume
	case "gate_waiting":
		way = "answer the questions above, then " + resume
	case loop.CauseNoCheck:
		way = resume + " once the check command works, or add --check COMMAND"
	}
	return exitError{hint.New(way, "the run stopped: %s", last.Cause), last.Code}
}

// exitError is an error with an exit code. A nil error prints nothing.
type exitError struct {
	error
	code int
}

func (e exitError) Unwrap() error { return e.error }
