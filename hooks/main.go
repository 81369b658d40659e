// Hooks governs unattended Claude Code loops from outside the model. Claude Code runs it as its
// hooks. Its commands let people inspect and change the state of their loops.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
	xterm "golang.org/x/term"

	"hooks/internal/app"
	"hooks/internal/brake"
	"hooks/internal/codec"
	"hooks/internal/event"
	"hooks/internal/hint"
	"hooks/internal/inspect"
	"hooks/internal/kind"
	"hooks/internal/loop"
	"hooks/internal/notify"
	"hooks/internal/page"
	"hooks/internal/term"
	"hooks/schemas"
)

func main() {
	runtime.MemProfileRate = 0 // the process ends in milliseconds

	// this process was started as gh, git or another guarded program
	if code, isLink := brake.Run(os.Args, os.Stderr, app.Pass); isLink {
		os.Exit(code)
	}
	os.Exit(run(os.Args[1:]))
}

// run runs the program and returns the exit code: 0 on success, 1 if it failed or was not allowed,
// or a command's own code of 3 or more. It never returns 2, which would block the client.
func run(args []string) int {
	// If TZ holds a path, the time package opens it. A pipe there would block the hook until the
	// client's timeout, which lets the call pass. Without TZ, the system's time zone applies.
	zone := strings.TrimPrefix(os.Getenv("TZ"), ":")
	if strings.HasPrefix(zone, "/") || strings.Contains(zone, "..") {
		_ = os.Unsetenv("TZ") // fails only for an empty name
	}
	a := newApp()
	if len(args) == 1 {
		if code, isHook := hook(a, args[0], os.Stdin, os.Stdout, os.Stderr); isHook {
			return code
		}
		switch args[0] {
		case "statusline":
			_ = statuslineCmd{}.Run(callerOf(a))
			return 0
		case notify.SyncWord:
			notify.Sync(a.Env)
			return 0
		case notify.DeliverWord:
			notify.Deliver(a.Env)
			return 0
		case notify.AskWord:
			a.AskPerson(os.Stdin)
			return 0
		}
	}
	return people(a, args)
}

// newApp returns an App with this process's environment. Tests replace it.
var newApp = func() *app.App { return app.New(os.Getenv) }

// callerOf returns a caller for this process, with the clock and environment of a.
func callerOf(a *app.App) caller {
	return caller{&inspect.Inspector{Env: a.Env, Now: a.Present}, os.Stdin, os.Stdout, os.Stderr}
}

// complain writes an error and its hint.
func complain(w io.Writer, err error) { fmt.Fprintln(w, term.Text(hint.Text(err))) }

// commands lists the commands for people and skills. Hook words such as stop bypass the parser.
type commands struct {
	Status     statusCmd     `cmd:"" group:"Look" help:"The state of the project's loops, at a glance."`
	Explain    explainCmd    `cmd:"" group:"Look" help:"Why a loop stopped, or what would stop it; with --command, how the guard reads a command."`
	ReportCard reportCardCmd `cmd:"" group:"Look" help:"A run's report card: why it stopped, what is verified or only claimed, what it cost and left behind."`
	History    historyCmd    `cmd:"" group:"Look" help:"Every iteration of every run, even an archived one, with its cost."`
	Cost       costCmd       `cmd:"" group:"Look" help:"What the project's loops spent, or the prices used."`
	Result     resultCmd     `cmd:"" group:"Look" help:"For scripts: how the newest session's loop ended, in one line and as the exit code."`
	Tasks      tasksCmd      `cmd:"" group:"Look" help:"The tasks of a task loop: verdict, commit, attempts, minutes and dollars of each, and what comes next."`
	Statusline statuslineCmd `cmd:"" group:"Look" help:"One line for the client's status line, whose JSON it reads on stdin; empty without a loop."`
	Backlog    backlogCmd    `cmd:"" group:"Look" help:"The tracker's open issues: which may be worked on, which wait, and which stop conditions they would trigger."`
	Pr         prCmd         `cmd:"" group:"Look" name:"pr" help:"One PR from the tracker: state, checks, feedback, and which condition and gate it would trigger."`
	Replay     replayCmd     `cmd:"" group:"Look" help:"What the hooks would have done in a past session: stop, questions, refusals, spend."`
	Loop       loopCmd       `cmd:"" group:"Decide" help:"Show, end, raise or reset loops."`
	Go         goCmd         `cmd:"" name:"go" group:"Run" help:"Drive a task or an audit loop: one client process for each task or phase."`
	Gate       gateCmd       `cmd:"" group:"Decide" help:"List the waiting questions, or answer one from your own terminal."`
	Audit      auditCmd      `cmd:"" group:"Look" help:"The findings and sections of an audit."`
	Init       initCmd       `cmd:"" group:"Set up" help:"Set everything up: inspect the machine, register the program, print the line that starts a loop."`
	Install    installCmd    `cmd:"" group:"Set up" help:"Register this program in the client's settings; not from inside the agent."`
	Uninstall  uninstallCmd  `cmd:"" group:"Set up" help:"Remove this program from the client's settings."`
	Doctor     doctorCmd     `cmd:"" group:"Set up" help:"Check everything that a loop needs, and print how to fix what is wrong."`
	Demo       demoCmd       `cmd:"" group:"Set up" help:"Run a whole loop in a temporary project and show what happens."`
	Version    versionCmd    `cmd:"" group:"Set up" help:"Print the version."`
	Completion completionCmd `cmd:"" group:"Set up" help:"Print a completion script: bash, zsh or fish."`
	Complete   completeCmd   `cmd:"" hidden:"" help:"Print the words that can complete a command line."`
	Report     reportCmd     `cmd:"" group:"For skills and scripts" help:"Record a skill's facts, as JSON on stdin, in its open iteration."`
	Schema     schemaCmd     `cmd:"" group:"For skills and scripts" help:"Print a JSON Schema."`
	Ledger     ledgerCmd     `cmd:"" group:"For skills and scripts" help:"Loop ledgers: check them, add a turn, read the feedback."`
}

// exited is a panic value that carries an exit code out of the parser.
type exited int

// named returns the lists used in the help and enums of commands.
func named() kong.Vars {
	var kinds []string
	for _, skill := range kind.Skills() {
		kinds = append(kinds, string(skill))
	}
	last := len(kinds) - 1
	return kong.Vars{"schemas": strings.Join(schemas.Names(), ", "),
		"modes": strings.Join(loop.Modes, ","), "kinds": strings.Join(kinds, ","),
		"kindlist": strings.Join(kinds[:last], ", ") + " or " + kinds[last]}
}

func people(a *app.App, args []string) (code int) {
	c := callerOf(a)
	if len(args) == 0 {
		fmt.Fprint(c.out, firstPage)
		return 0
	}
	if args = normalizeHelp(args); event.NameOf(args[0]) != "" {
		complain(c.errs, hint.New("run `hooks loop stop` to end a loop, or "+
			"`hooks --help` for the commands that you can type",
			"only the client runs `hooks %s`, with one event as JSON on stdin", args[0]))
		return 1
	}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case exited:
			code = min(int(p), 1)
		default:
			complain(c.errs, fmt.Errorf("internal error: %v", p))
			code = 1
		}
	}()
	var cli commands
	parser := kong.Must(&cli, kong.Name("hooks"), kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Description("Governs unattended loops of Claude Code: "+
			"stop conditions, gates, merges, money, state."),
		named(),
		kong.Writers(c.out, c.errs), kong.Exit(func(code int) { panic(exited(code)) }),
		kong.Bind(a, c))
	ctx, err := parser.Parse(args)
	if err == nil {
		err = ctx.Run()
	} else {
		err = mistyped(err)
	}
	end, ok := errors.AsType[exitError](err)
	if err != nil && (!ok || end.error != nil) {
		complain(c.errs, err)
	}
	switch {
	case ok:
		return end.code
	case err != nil:
		return 1
	}
	return 0
}

// firstPage is the output of `hooks` without arguments.
//
//go:embed first.txt
var firstPage string

// normalizeHelp translates conventional help and version arguments into this program's own.
func normalizeHelp(args []string) []string {
	switch {
	case args[0] == "help":
		return append(args[1:len(args):len(args)], "--help")
	case len(args) == 1 && (args[0] == "--version" || args[0] == "-v"):
		return []string{"version"}
	}
	return args
}

// mistyped adds a hint about the command's help to a parser error. It replaces programmers' terms
// in the error with plain words.
func mistyped(err error) error {
	name := "hooks"
	if p, ok := errors.AsType[*kong.ParseError](err); ok {
		for _, step := range p.Context.Path {
			if step.Command != nil {
				name = step.Command.FullPath()
			}
		}
	}
	plain := strings.NewReplacer(`expected string value but got "EOL" (<EOL>)`,
		"a value is missing", `expected uint value but got "EOL" (<EOL>)`, "a value is missing",
		"a valid 64 bit int", "a whole number", "a valid 64 bit uint", "a whole number")
	return hint.New("see `"+name+" --help`", "%s", plain.Replace(err.Error()))
}

// caller holds a command's standard streams and the Inspector that answers it.
type caller struct {
	*inspect.Inspector
	in        io.Reader
	out, errs io.Writer
}

// say prints text without control characters. It prints nothing if text is empty.
func (c caller) say(text string) error {
	if text == "" {
		return nil
	}
	_, err := fmt.Fprintln(c.out, term.Text(text))
	return err
}

// said prints text, even if err is set. It returns err joined with any error from printing.
func (c caller) said(text string, err error) error { return errors.Join(c.say(text), err) }

// show prints a command's result, as JSON or drawn for people. If err is set, it still prints a
// nonempty result. It returns err joined with any error from printing.
func (c caller) show(asJSON bool, found page.Page, err error) error {
	switch {
	case err != nil && (found == nil || reflect.ValueOf(found).IsZero()):
		return err
	case asJSON:
		return errors.Join(c.json(found), err)
	}
	_, perr := fmt.Fprintln(c.out, page.Draw(c.screen(), found))
	return errors.Join(perr, err)
}

// showEach shows a list of pages, or the message none if the list is empty.
func showEach[T page.Page](c caller, asJSON bool, list []T, err error, none string) error {
	switch {
	case asJSON:
		return errors.Join(c.json(list), err)
	case len(list) == 0 && err != nil:
		return err
	}
	_, perr := fmt.Fprintln(c.out, cmp.Or(page.DrawAll(c.screen(), list), none))
	return errors.Join(perr, err)
}

// json prints a result as indented JSON, using the codec for loop files.
func (c caller) json(v any) error {
	text, err := codec.Encode(v)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", "  "); err != nil {
		return err
	}
	out.WriteByte('\n')
	_, err = c.out.Write(term.JSON(out.Bytes()))
	return err
}

// screen describes the reader's terminal, based on its size, COLUMNS, NO_COLOR and TERM.
func (c caller) screen() page.Screen {
	s := page.Screen{Now: c.Now(), Dir: c.Project()}
	if fd, terminal := terminalOf(c.out); terminal {
		s.Color = c.Env("NO_COLOR") == "" && c.Env("TERM") != "dumb"
		if width, _, err := xterm.GetSize(fd); err == nil && width > 0 {
			s.Width = width
		}
	}
	if n, err := strconv.Atoi(c.Env("COLUMNS")); err == nil && n > 0 {
		s.Width = min(n, 1000)
	}
	return s
}

// terminalOf returns the file descriptor of a stream and reports whether it is a terminal.
func terminalOf(stream any) (fd int, terminal bool) {
	f, ok := stream.(*os.File)
	if !ok {
		return 0, false
	}
	return int(f.Fd()), xterm.IsTerminal(int(f.Fd()))
}

// typed reports whether in is a terminal. Events and facts are never typed at a terminal.
func typed(in io.Reader) bool {
	_, terminal := terminalOf(in)
	return terminal
}

// typedLine returns the next line that a person types. It returns "" at the end of the input.
func typedLine(in io.Reader) string {
	keys := bufio.NewScanner(in)
	keys.Scan()
	return strings.TrimSpace(keys.Text())
}

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run prints the script, which a shell reads when it starts.
func (c completionCmd) Run(p caller) error {
	script, err := completions.ReadFile("completion/" + c.Shell)
	if err == nil {
		_, err = p.out.Write(script)
	}
	return err
}

// completions holds a script for each shell. A script passes the line typed so far to `hooks
// complete` in COMP_LINE, and completes file names if the command prints nothing.
//
//go:embed completion
var completions embed.FS

type completeCmd struct {
	Words []string `arg:"" optional:"" passthrough:"" help:"Ignored; bash passes the line in COMP_LINE."`
}

// Run prints the words that complete the line in COMP_LINE, one per line.
func (completeCmd) Run(k *kong.Kong, p caller) error {
	line := p.Env("COMP_LINE")
	if n, err := strconv.Atoi(p.Env("COMP_POINT")); err == nil { // bash sets the cursor position
		line = line[:min(max(n, 0), len(line))]
	}
	typed := loop.SplitWords(line)
	if strings.HasSuffix(line, " ") {
		typed = append(typed, "")
	}
	if len(typed) < 2 {
		return nil
	}
	last := len(typed) - 1
	for _, word := range candidates(k, typed[1:last]) {
		if word != "" && strings.HasPrefix(word, typed[last]) {
			fmt.Fprintln(p.out, word)
		}
	}
	return nil
}

// candidates returns the words that the parser accepts after the typed ones.
func candidates(k *kong.Kong, typed []string) (words []string) {
	at := k.Model.Node
	if ctx, _ := kong.Trace(k, typed); ctx != nil && ctx.Selected() != nil {
		at = ctx.Selected()
	}
	for _, f := range at.Flags {
		if len(typed) > 0 && typed[len(typed)-1] == "--"+f.Name && !f.IsBool() {
			return f.EnumSlice()
		}
	}
	for _, sub := range at.Children {
		if !sub.Hidden {
			words = append(words, sub.Name)
		}
	}
	if len(at.Positional) > 0 {
		words = append(words, at.Positional[0].EnumSlice()...)
	}
	for _, f := range at.Flags {
		if !f.Hidden && f.Name != "help" {
			words = append(words, "--"+f.Name)
		}
	}
	return append(words, "--help")
}
