package loop

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"hooks/internal/attempt"
	"hooks/internal/hint"
)

// LockMode selects what to do if another iteration holds the lock (R10).
type LockMode string

// The three lock modes; skip is the default.
const (
	LockSkip  LockMode = "skip"
	LockWait  LockMode = "wait"
	LockForce LockMode = "force"
)

// Defaults holds the ceilings of a run if neither its command nor its kind sets them (R6–R9, R14).
var Defaults = Ceilings{Iterations: 5, PRs: 20, Minutes: 60, Dollars: 25 * Dollar}

// Flags holds the loop flags of one invocation of a looping skill.
type Flags struct {
	Ceilings
	Policy
	Lock       LockMode
	Resume     bool
	BudgetFile string   // cleaned path; empty means the default
	PR         int      // review only; 0 means every PR
	Rest       []string // the skill's own words, in order
	Task       TaskFlags
	// number of consecutive iterations without a change that ends the run; 0 for no bound
	Idle     int
	Restart  bool     // audit only: iterations and errors are counted from 0
	Prompt   string   // prompt only: the text after --
	explicit []string // the flags in limits that the command gave
}

// TaskFlags holds the additional flags of loops whose iterations are attempts.
type TaskFlags struct {
	List     string // --tasks PATH
	Check    string // --check CMD
	Minutes  int    // --check-timeout N; 0 for the default
	Drive    string // --drive; "" for the default
	Mode     string // --mode; "" for the spec's mode
	Issue    string // --issue ID
	MaxTries int    // --max-task-iterations N; 0 for the default
	Dollars  USD    // --max-task-dollars N; 0 for no ceiling
	Untidy   string // --untidy: LeaveOut, or "" to stop
	Require  string // --require verified; "" if nothing is required
}

// LeaveOut is the value of --untidy that lets a fresh run begin despite uncommitted files, and
// excludes these files from the run.
const LeaveOut = "leave-out"

// Modes lists the ways to execute tasks. pair and swarm do not loop (T23, T38–T43).
var Modes = []string{"quick", "tdd", "pair", "checkpoint", "swarm"}

// flagHint is the hint for an error in a loop flag. The loop then does not start, because a
// mistyped limit must not silently become the default.
const flagHint = "the loop flags are --max-iterations N, --max-prs N, --max-minutes N (each at " +
	"least 1), --max-dollars N (0 = no ceiling), --max-idle N (work, prompt), " +
	"--near-limit=ask|continue|stop, --merges=feedback|ask|never, " +
	"--lock=skip|wait|force, --resume, --budget-file PATH and, for review, --pr N"

// ParseFlags parses the arguments of a skill's own command, such as /sdd:work.
func ParseFlags(skill Skill, args string) (f Flags, looping bool, err error) {
	return Command{Skill: skill, Args: args}.ParseFlags()
}

// ParseFlags parses the command's arguments. If the command loops only with --loop and the
// arguments lack it, looping is false and nothing else is parsed (R2), but a misspelled --loop and
// a limit are errors. Words that are not loop flags are kept in Rest for the skill.
func (c Command) ParseFlags() (f Flags, looping bool, err error) {
	kind := KindOf(c.Skill)
	if c.OptsIn() {
		kind.Commands = nil
	}
	args, prompt := c.Args, ""
	if kind.Prompts {
		args, prompt = c.cutPrompt()
	}
	words, open := splitWords(args)
	if i := slices.IndexFunc(words, func(w string) bool {
		return strings.HasPrefix(w, "--loop=")
	}); i >= 0 {
		// otherwise the skill would run ungoverned
		return Flags{}, true, hint.New("--loop takes no value", "%s has a value", words[i])
	}
	if kind.Commands == nil && !slices.Contains(words, "--loop") {
		if i := slices.IndexFunc(words, meansLoop); i >= 0 { // the person expects a governed loop
			return Flags{}, true, hint.New(
				`type --loop, or put your own words in quotes, as in "the --loops flag"`,
				"%q is not a loop flag; did you mean --loop?", words[i])
		}
		if i := slices.IndexFunc(words, bounds); i >= 0 {
			return Flags{}, true, hint.New("add --loop, or leave "+words[i]+" out",
				"%s limits a loop, but %s has no --loop", words[i], c.Skill)
		}
		return Flags{}, false, nil
	}
	f = Flags{Ceilings: cmp.Or(kind.Ceilings, Defaults), Policy: Policy{NearAsk, MergesFeedback},
		Prompt: prompt}
	for seen := map[string]bool{}; len(words) > 0; {
		if words, err = f.take(kind, words, seen); err != nil {
			return f, true, kind.hinted(err)
		}
	}
	for _, flag := range [][2]string{{"--check", f.Task.Check}, {"--tasks", f.Task.List},
		{"--budget-file", f.BudgetFile}} {
		if strings.IndexAny(flag[1], "“”‘’") == 0 {
			return f, true, hint.New(`use straight quotes, as in --check="go test ./..."`,
				"%s %s has curly quotes", flag[0], flag[1])
		}
		if open && strings.IndexAny(flag[1], `"'`) == 0 {
			return f, true, hint.New(`close the quote, as in --check="go test ./..."`,
				"%s %s has an open quote", flag[0], flag[1])
		}
	}
	for _, word := range f.Rest { // a stray quote or bracket would hide the limit
		for _, limit := range limits {
			if strings.Contains(word, limit) {
				return f, true, kind.hinted(hint.New(flagHint,
					"%q contains %s, which is not read there", word, limit))
			}
		}
	}
	if kind.Prompts && kind.Commands != nil {
		err = f.badPrompt(kind)
	}
	return f, true, err
}

// valued lists the loop flags that take a value. limits lists the flags among them that bound a run
// or answer questions in advance.
var (
	valued = [...]string{"--max-iterations", "--max-prs", "--max-minutes", "--max-dollars",
		"--max-idle", "--near-limit", "--merges", "--lock", "--budget-file", "--pr"}
	limits = valued[:7]
)

// take parses the first word, and its value if it is a flag that takes one. seen holds the flags
// parsed so far.
func (f *Flags) take(kind Kind, words []string, seen map[string]bool) (rest []string, err error) {
	word, rest := words[0], words[1:]
	name, value, hasValue := strings.Cut(word, "=")
	takes := slices.Contains(valued[:], name) || slices.Contains(kind.Flags, name)
	plain := name == "--loop" || name == "--resume" || slices.Contains(kind.Switches, name)
	if takes && !hasValue && len(rest) > 0 {
		value, rest = rest[0], rest[1:]
	}
	switch {
	case seen[name]:
		return rest, hint.New("give each loop flag once", "%s is given twice", name)
	case plain && hasValue: // otherwise --resume=false would resume
		return rest, hint.New(name+" takes no value", "%s has a value", word)
	case takes, plain:
		seen[name] = true
		if slices.Contains(limits, name) {
			f.explicit = append(f.explicit, name)
		}
		return rest, f.set(kind, name, value)
	case kind.Commands != nil && dashed(name):
		return rest, kind.unknown(name)
	}
	if near := mistyped(name); near != "" {
		return rest, hint.New(flagHint, "%q is not a loop flag; did you mean %s?", name, near)
	}
	f.Rest = append(f.Rest, word)
	return rest, nil
}

func (f *Flags) set(kind Kind, name, value string) error {
	given, t := fmt.Sprintf("%s %q", name, value), &f.Task
	bare := value == "" || strings.HasPrefix(value, "--")
	if bare && slices.Contains(kind.Flags, name) {
		return hint.New("write "+name+"=VALUE", "%s has no value", name)
	}
	switch name {
	case "--resume":
		f.Resume = true
	case "--restart":
		f.Restart = true
	case "--lock":
		return oneOf(&f.Lock, value, "--lock="+value+" is not a lock mode",
			"use --lock=skip, --lock=wait or --lock=force", LockSkip, LockWait, LockForce)
	case "--near-limit":
		return oneOf(&f.NearLimit, value, given+" is not one of ask, continue, stop",
			"use one of them, as in `--near-limit stop`", NearAsk, NearContinue, NearStop)
	case "--merges":
		return oneOf(&f.Merges, value, given+" is not one of feedback, ask, never",
			"use one of them, as in `--merges never`", MergesFeedback, MergesAsk, MergesNever)
	case "--budget-file":
		if bare || value[0] == '~' || strings.ContainsAny(value, "\x00\n") {
			return hint.New(flagHint, "%s is not a path", given)
		}
		f.BudgetFile = path.Clean(value)
	case "--pr":
		if !kind.OnePR {
			return hint.New("use `/sdd:review --loop --pr N`",
				"--pr is a flag of review, not of %s", kind.Name)
		}
		return number(name, strings.TrimPrefix(value, "#"), &f.PR)
	case "--max-dollars":
		return dollars(name, value, flagHint, &f.Dollars)
	case "--max-iterations":
		if kind.Endless && value == "0" {
			value = strconv.Itoa(MaxUnits)
		}
		return number(name, value, &f.Iterations)
	case "--max-idle":
		if !kind.Idles {
			return hint.New("leave it out", "--max-idle is a flag of work and prompt, not of %s",
				kind.Name)
		}
		return number(name, value, &f.Idle)
	case "--max-prs", "--max-minutes":
		return number(name, value, f.units(name))
	case "--tasks":
		t.List = value
	case "--check":
		t.Check = value
	case "--issue":
		t.Issue = value
	case "--drive":
		return oneOf(&t.Drive, value, given+" is not a drive",
			"leave --drive out; `hooks go` sets it", DriveStop, DriveProcess)
	case "--untidy":
		return oneOf(&t.Untidy, value, given+" is not one of stop, leave-out",
			"use --untidy leave-out, or leave it out", "stop", LeaveOut)
	case "--mode":
		return oneOf(&t.Mode, value, given+" is not a mode",
			"use one of "+strings.Join(Modes, ", "), Modes...)
	case "--require":
		return oneOf(&t.Require, value, given+" is not a verdict that can be required",
			"use --require verified, or leave it out", string(attempt.Verified))
	case "--max-task-dollars":
		return dollars(name, value, "give an amount, as in `"+name+" 2.50`", &t.Dollars)
	case "--check-timeout":
		value = strings.TrimSuffix(value, "m")
		return bounded(name, value, 1, 50, "give a number, as in `"+name+" 5`", &t.Minutes)
	case "--max-task-iterations":
		return bounded(name, value, 2, MaxUnits, "give a number, as in `"+name+" 5`", &t.MaxTries)
	}
	return nil
}

// oneOf stores value in dst. If words lacks value, it returns an error with text and the hint way.
func oneOf[T ~string](dst *T, value, text, way string, words ...T) error {
	if *dst = T(value); !slices.Contains(words, *dst) {
		return hint.New(way, "%s", text)
	}
	return nil
}

func number(name, value string, to *int) error {
	return bounded(name, value, 1, MaxUnits, flagHint, to)
}

func bounded(name, value string, least, most int, way string, to *int) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < least || n > most {
		return hint.New(way, "%s %q is not a whole number from %d to %d", name, value, least, most)
	}
	*to = n
	return nil
}

func dollars(name, value, way string, to *USD) error {
	v, err := ParseUSD(strings.TrimPrefix(value, "$"))
	if err != nil {
		return hint.New(way, "%s %w", name, err)
	}
	*to = v
	return nil
}

// canonical returns the flags and words that identify a run, in a fixed form.
func (f Flags) canonical() string {
	s := fmt.Sprintf("iterations=%d prs=%d minutes=%d dollars=%s", f.Iterations, f.PRs, f.Minutes,
		f.Dollars.Decimal())
	if f.PR != 0 {
		s += fmt.Sprintf(" pr=%d", f.PR)
	}
	if f.Idle != 0 {
		s += fmt.Sprintf(" idle=%d", f.Idle)
	}
	if given := f.Policy.Words(); given != "" {
		s += " " + given
	}
	if f.BudgetFile != "" {
		s += " budget-file=" + f.BudgetFile
	}
	for _, w := range [][2]string{{"tasks", f.Task.List}, {"check", f.Task.Check},
		{"drive", f.Task.Drive}, {"mode", f.Task.Mode}, {"issue", f.Task.Issue},
		{"require", f.Task.Require}} {
		if w[1] != "" {
			s += " " + w[0] + "=" + w[1]
		}
	}
	if f.Task.Dollars > 0 {
		s += " task-dollars=" + f.Task.Dollars.Decimal()
	}
	s = strings.Join(append([]string{s}, f.Rest...), " ")
	if f.Prompt != "" {
		s += " -- " + oneBlank(f.Prompt)
	}
	return s
}

// Names reports whether the command gave flag, which must be in limits, such as "--max-prs".
func (f Flags) Names(flag string) bool { return slices.Contains(f.explicit, flag) }

// DefaultIterations sets the iteration ceiling to n, at most MaxUnits, if the command did not.
func (f *Flags) DefaultIterations(n int) {
	if !f.Names("--max-iterations") {
		f.Iterations = min(n, MaxUnits)
	}
}

// With returns c with the ceilings named in flags, for example "--max-prs", taken from others
// (R16).
func (c Ceilings) With(others Ceilings, flags []string) Ceilings {
	for _, name := range flags {
		if to := c.units(name); to != nil {
			*to = *others.units(name)
		} else if name == "--max-dollars" {
			c.Dollars = others.Dollars
		}
	}
	return c
}

// units returns the ceiling that a flag sets, or nil for --max-dollars and all other flags.
func (c *Ceilings) units(flag string) *int {
	switch flag {
	case "--max-iterations":
		return &c.Iterations
	case "--max-prs":
		return &c.PRs
	case "--max-minutes":
		return &c.Minutes
	}
	return nil
}

// SplitWords splits s at white space outside single and double quotes. Nothing is expanded. An
// apostrophe between two letters and an unclosed quote are plain text.
func SplitWords(s string) []string {
	words, _ := splitWords(s)
	return words
}

// splitWords is like SplitWords. open reports whether a quote is unclosed.
func splitWords(s string) (words []string, open bool) {
	s = strings.ReplaceAll(s, "\u00a0", " ") // editors insert it
	var word strings.Builder
	started := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"', c == '\'' && !apostrophe(s, i):
			if end := strings.IndexByte(s[i+1:], c); end < 0 {
				word.WriteByte(c)
				open = true
			} else {
				word.WriteString(s[i+1 : i+1+end])
				i += 1 + end
			}
			started = true
		case strings.IndexByte(" \t\r\n", c) < 0:
			word.WriteByte(c)
			started = true
		case started:
			words = append(words, word.String())
			word.Reset()
			started = false
		}
	}
	if started {
		words = append(words, word.String())
	}
	return words, open
}

// apostrophe reports whether the single quote at i is between two letters, as in "don't".
func apostrophe(s string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i+1:])
	return s[i] == '\'' && unicode.IsLetter(before) && unicode.IsLetter(after)
}

// Command is an invocation of a looping skill, such as "sdd:work" with its arguments.
type Command struct {
	Name  string // as written, without the slash
	Skill Skill
	Args  string
}

// Names holds a project's commands that begin loops, in addition to the program's own.
type Names struct {
	Spaces []string         // namespaces whose commands begin task and audit loops
	Skills map[string]Skill // a person's own skills, with the kind of loop that governs each
}

// NamesOf returns the names that ParseCommand needs to recognize a run's or a claim's command.
func NamesOf(command string, kind Skill) Names {
	name, _, _ := strings.Cut(strings.TrimPrefix(command, "/"), " ")
	return Names{Spaces: []string{Namespace(name)}, Skills: map[string]Skill{name: kind}}
}

// Names returns the names that ParseCommand needs to recognize the run's own command.
func (b *Budget) Names() Names { return NamesOf(b.Command, b.Skill) }

// Invocation returns the run's own command. Its Name is empty if none was recorded.
func (b *Budget) Invocation() Command {
	name, args, _ := strings.Cut(strings.TrimPrefix(b.Command, "/"), " ")
	return Command{name, b.Skill, args}
}

// ours reports whether the command is a kind's own command rather than a person's skill.
func (c Command) ours() bool {
	_, ok := ParseCommand(c.Name, "", Names{Spaces: []string{Namespace(c.Name)}})
	return ok
}

// Repeats reports whether c begins an iteration with the same skill as the run's own command.
func (b *Budget) Repeats(c Command) bool {
	own := b.Invocation()
	return c.Skill == b.Skill && (own.Name == "" || own.Name == c.Name || own.ours() && c.ours())
}

// OwnWords returns the arguments of a person's own skill without the loop flags. It returns nil for
// the kinds' own commands, which do not need them.
func (c Command) OwnWords() []string {
	if c.ours() {
		return nil
	}
	f, _, _ := c.ParseFlags()
	return f.Rest
}

// ParseCommand returns the command with the looping skill that name refers to, with or without a
// plugin prefix. more holds additional names from the configuration or a run.
func ParseCommand(name, args string, more ...Names) (Command, bool) {
	name = strings.TrimPrefix(name, "/") // a model may add the slash
	space, bare, spaced := strings.Cut(name, ":")
	if !spaced {
		space, bare = "", name
	}
	spaces := []string{"hooks", "sdd"}
	for _, n := range more {
		spaces = append(spaces, n.Spaces...)
	}
	for _, k := range Kinds {
		ours := space == "hooks" || slices.Contains(spaces, space) && !k.Prompts
		if spaced && ours && slices.Contains(k.Commands, bare) ||
			k.Commands == nil && k.Name == Skill(bare) {
			return Command{name, k.Name, args}, true
		}
	}
	for _, n := range more {
		for _, known := range []string{name, bare} {
			if kind, ok := n.Skills[known]; ok {
				return Command{name, kind, args}, true
			}
		}
	}
	return Command{}, false
}

// OptsIn reports whether the command loops only with --loop.
func (c Command) OptsIn() bool {
	commands := KindOf(c.Skill).Commands
	bare := c.Name[strings.IndexByte(c.Name, ':')+1:]
	return commands == nil || c.Name != "" && !slices.Contains(commands, bare)
}

// MayLoop reports whether args contains --loop, even misspelled or with a value.
func MayLoop(args string) bool {
	return slices.ContainsFunc(SplitWords(args), func(w string) bool {
		return strings.HasPrefix(w, "--loop=") || meansLoop(w)
	})
}

// Namespace returns the part of a command's name before the colon, or "" if there is no colon. A
// command that loops without --loop is the program's own only in the program's own namespaces.
func Namespace(command string) string {
	space, _, is := strings.Cut(strings.TrimPrefix(command, "/"), ":")
	if !is {
		return ""
	}
	return space
}

// ParsePrompt returns the looping command in a prompt such as "/sdd:work --loop" or "/loop 1m
// /sdd:work --loop". It returns false if the command needs --loop and lacks it.
func ParsePrompt(prompt string, more ...Names) (Command, bool) {
	line := strings.TrimSpace(prompt)
	if after, ok := strings.CutPrefix(line, "/loop"); ok && strings.HasPrefix(after+" ", " ") {
		line = after
	} else if !strings.HasPrefix(line, "/") {
		return Command{}, false
	}
	name, args, ok := Behind(line)
	if !ok {
		return Command{}, false
	}
	c, ok := ParseCommand(name, args, more...)
	opted := !c.OptsIn() || slices.Contains(SplitWords(c.Args), "--loop")
	return c, ok && opted
}

// Behind returns the first command and its arguments in line, the text after /loop. An example of
// line is "1m /sdd:work --loop".
func Behind(line string) (name, args string, ok bool) {
	slash := strings.Index(" "+line, " /")
	if slash < 0 {
		return "", "", false
	}
	name, args, _ = strings.Cut(line[slash+1:], " ")
	return name, strings.TrimSpace(args), true
}

// Schedules reports whether a scheduled prompt would start a tick of this run. The prompt must have
// the run's skill and, if its flags can be parsed, the run's single PR.
func (b *Budget) Schedules(prompt string) bool {
	c, ok := ParsePrompt(prompt, b.Names())
	if !ok || c.Skill != b.Skill {
		return false
	}
	f, _, err := c.ParseFlags()
	return err != nil || f.PR == b.SinglePR
}

// oneBlank collapses white space to single spaces, so that two spellings of a command are equal.
func oneBlank(s string) string { return strings.Join(strings.Fields(s), " ") }

// MaxUnits bounds the iteration, PR and minute ceilings.
const MaxUnits = 1_000_000
