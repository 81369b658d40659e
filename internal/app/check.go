package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/tidwall/gjson"

	"hooks/internal/attempt"
	"hooks/internal/brake"
	"hooks/internal/child"
	"hooks/internal/config"
	"hooks/internal/english"
	"hooks/internal/hint"
	"hooks/internal/install"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/safefile"
	"hooks/internal/store"
	"hooks/internal/tracker"
)

// maxCheckTail and maxCheckLines bound the tail of a check's output that a run stores.
const (
	maxCheckTail  = 4 << 10 // in bytes
	maxCheckLines = 40
)

// check runs the person's check command in the worker's folder. If files that decide the result
// have changed since the run began, the command runs in a checkout of HEAD with the original files
// instead. A file that the command only names may be the one under test. Such a check must pass
// with both the current file and the original.
func (h *handler) check(t *store.State, command string) attempt.CheckRun {
	if runtime.GOOS != "windows" && h.seal.on && !h.dress() {
		return attempt.CheckRun{Exit: 1,
			Tail: "the links that stop merges could not be created; see `hooks doctor`"}
	}
	root := h.root(t)
	var run attempt.CheckRun
	pins := pinned{start: t.Budget.Attempts().From, root: root}
	tree, err := h.tree(h.ctx, root)
	if err == nil && pins.start != "" && tree.Head != "" {
		pins.find(h.ctx, command, tree.Head)
	}
	switch {
	case pins.err != nil:
		run = attempt.CheckRun{Exit: 1, Unsure: child.Line(pins.err.Error())}
	case len(pins.scripts) == 0:
		run = h.runCheck(t, command, root)
	default:
		run = h.checkApart(t, command, tree.Head, pins, pins.scripts)
	}
	all := slices.Concat(pins.scripts, pins.named)
	if run.Exit == 0 && len(pins.named) > 0 {
		run = h.checkApart(t, command, tree.Head, pins, all)
	}
	if run.Command = command; len(all) > 0 {
		run.Changed = all
	}
	if after, err := h.tree(h.ctx, root); err == nil && len(after.Dirty) == 0 {
		run.Head = after.Head
	}
	return run
}

// runCheck runs a check command in dir, in its own process group. If a person interrupts the hook
// with Esc, this process exits without a decision.
func (h *handler) runCheck(t *store.State, command, dir string) attempt.CheckRun {
	minutes := t.Budget.Attempts().Minutes
	// The worker controls the programs that the check starts, so the brake applies to them as in a
	// Bash command.
	shell := []string{"sh", "-c", brake.Line(h.seal.Path(), h.ev.SessionID) + "\n" + command}
	if runtime.GOOS == "windows" {
		shell = []string{"cmd", "/C", command}
	}
	began := time.Now()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	result, err := child.Run(ctx, child.Command{
		Dir: dir, Args: shell, Last: true, Most: maxCheckTail,
		Wait: cmp.Or(h.CheckTime, time.Duration(minutes)*time.Minute),
	})
	if ctx.Err() != nil && h.ev.Name != "" {
		os.Exit(0)
	}
	lines := strings.Split(strings.ToValidUTF8(strings.TrimSpace(string(result.Out)), "?"), "\n")
	last := strings.Join(lines[max(0, len(lines)-maxCheckLines):], "\n")
	run := attempt.CheckRun{Seconds: int(time.Since(began).Seconds()), Exit: child.Exit(err),
		Tail: h.config(t).Redact(loop.Secrets(last))}
	if run.Exit < 0 {
		run.Exit, run.Stopped = 1, true
	}
	return run
}

// checkApart runs the check in a checkout of head with files from the run's start. A failure counts
// only if the start commit passes the check in such a checkout. Otherwise the checkout may lack
// something that the check needs.
func (h *handler) checkApart(
	t *store.State, command, head string, pins pinned, files []string,
) (run attempt.CheckRun) {
	run, err := h.checkAt(t, command, head, pins, files)
	if err == nil && run.Exit != 0 {
		var first attempt.CheckRun
		if first, err = h.checkAt(t, command, pins.start, pins, nil); first.Exit != 0 {
			run.Unsure = "in a separate checkout, the check fails even at the commit " +
				"where the run began"
		}
	}
	if err != nil {
		run.Exit, run.Unsure = 1, child.Line(err.Error())
	}
	return run
}

// checkAt runs the check in a temporary checkout of a commit, with files from the run's start.
func (h *handler) checkAt(
	t *store.State, command, commit string, pins pinned, files []string,
) (run attempt.CheckRun, err error) {
	into, err := os.MkdirTemp("", "hooks-check-")
	if err != nil {
		return run, err
	}
	defer os.RemoveAll(into)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	dir, err := tracker.Checkout(ctx, pins.root, commit, into)
	if err == nil {
		err = tracker.Restore(ctx, dir, pins.start, files)
	}
	if err != nil {
		return run, err
	}
	return h.runCheck(t, strings.ReplaceAll(command, pins.root, dir), dir), nil
}

// pinned holds the files that decide a check's result and have changed since the run began.
type pinned struct {
	root, start    string
	scripts, named []string // see attempt.Pinned
	err            error    // why the files are unknown, or nil
}

// find fills in the pinned files for the commit head.
func (p *pinned) find(ctx context.Context, command, head string) {
	changed, err := tracker.Changed(ctx, p.root, p.start, head)
	if len(changed) == 0 || err != nil {
		p.err = err
		return
	}
	command = strings.ReplaceAll(command, p.root, ".")
	p.scripts, p.named = attempt.Pinned(command, changed, p.filesAt(ctx, p.start),
		p.filesAt(ctx, head))
}

// filesAt returns the files in a commit. A path that is not a file, or is over maxTaskFile, reads
// as empty.
func (p *pinned) filesAt(ctx context.Context, commit string) attempt.Files {
	names, err := tracker.FilesAt(ctx, p.root, commit, ".")
	p.err = errors.Join(p.err, err)
	return attempt.Files{
		Has: func(file string) bool {
			_, found := slices.BinarySearch(names, file)
			return found
		},
		Read: func(file string) string {
			text, _ := tracker.FileAt(ctx, p.root, commit, file, maxTaskFile)
			return text
		},
	}
}

// preflight returns an error if a fresh run's first attempt could not succeed or be judged. It runs
// before the run asks a question, writes a file or makes a request. left lists the uncommitted
// files that the person excludes from the run.
func (h *handler) preflight(root string, f loop.TaskFlags) (left []string, err error) {
	repo := tracker.Repo(h.ctx, root)
	if repo.Top == "" {
		return nil, hint.New("run `git init && git add -A && git commit -m start`",
			"%s is not a git repository, so a worker's changes could not be detected", root)
	}
	tree, err := h.tree(h.ctx, root)
	switch {
	case err != nil:
		return nil, hint.New("run `git status` there to find the cause", "git cannot read %s: %w",
			root, err)
	case tree.Head == "":
		return nil, hint.New("run `git add -A && git commit -m start`", "%s has no commits", root)
	case len(tree.Dirty) > 0 && f.Untidy != loop.LeaveOut:
		return nil, hint.New("commit your changes, or add `--untidy leave-out` to keep them out "+
			"of every worker's commits", "%s not committed: %s",
			english.Plural(len(tree.Dirty), "file"), loop.FirstOf(tree.Dirty))
	}
	if !startable(h.ctx, root, f.Check) {
		return nil, hint.New("install the program, write and commit it, or name another check",
			"the check %q cannot run: its program was not found", f.Check)
	}
	if lock := filepath.Join(repo.Dir, "index.lock"); isFile(lock) {
		return nil, hint.New("if no git process is running there, a crash left this lock; run "+
			"`rm "+lock+"`", "%s prevents every commit", lock)
	}
	return tree.Dirty, h.permitted(f.Check)
}

// keptOut returns the excluded files that the task's commits contain, each with a reason to reject
// the claim.
func (h *handler) keptOut(t *store.State, root string) (list []string) {
	if len(t.Budget.LeftOut) == 0 {
		return nil
	}
	a := t.Tick.Attempt
	paths, err := tracker.CommittedSince(h.ctx, root, cmp.Or(a.Base, a.Head))
	if err != nil {
		return []string{"the commits cannot be inspected: " + child.Line(err.Error())}
	}
	for _, path := range t.Budget.LeftOut {
		if slices.Contains(paths, path) {
			list = append(list, path+" (it was not committed when the run began and must stay "+
				"uncommitted; redo the commits without it)")
		}
	}
	return list
}

// startable reports whether the first program in a command line can start in root. It returns true
// if the first word is not a program's plain name.
func startable(ctx context.Context, root, command string) bool {
	words := loop.SplitWords(command)
	if len(words) == 0 || runtime.GOOS == "windows" ||
		strings.ContainsAny(words[0], "=$`(){}[]|&;<>*?!~\\") {
		return true
	}
	looks := exec.CommandContext(ctx, "sh", "-c", `command -v -- "$1"`, "sh", words[0])
	looks.Dir = root
	_, missing := errors.AsType[*exec.ExitError](looks.Run())
	return !missing || ctx.Err() != nil
}

// permitted returns an error if the client's permissions do not let a worker write, run the check
// and commit. It returns nil if it cannot read the permissions, or if a person at a terminal may
// still grant them.
func (h *handler) permitted(check string) error {
	const flags = "--permission-mode acceptEdits --allowedTools Bash"
	way := "start the client with `" + flags + "`"
	args := h.clientFlags
	switch {
	case h.ev.Name == "":
		way = "add `-- " + flags + "` to the command"
	case h.ev.PermissionMode == "plan":
		return hint.New("leave it with Shift+Tab, then type the command again",
			"workers cannot write in plan mode")
	case h.turn().Attended:
		return nil
	default:
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", proc.Owner().PID))
		args = strings.Split(string(text), "\x00")
		if err != nil || !slices.Contains(args, "-p") && !slices.Contains(args, "--print") {
			return nil
		}
	}
	p := h.permissions(args)
	switch {
	case p.unknown || p.mode == "bypassPermissions" || p.mode == "auto":
	case p.mode == "plan":
		return hint.New(way, "workers cannot write in plan mode")
	case p.mode != "acceptEdits" && !slices.ContainsFunc([]string{"Edit", "Write", "Bash"},
		func(tool string) bool { return slices.Contains(p.rules, tool) }):
		return hint.New(way,
			"the client's permissions do not allow workers to write: the mode is %s", p.mode)
	case !p.allows("Bash", "git commit"):
		return hint.New(way, "the client's permissions do not allow workers to run git commit")
	case check != "" && !p.allows("Bash", check):
		return hint.New(way,
			"the client's permissions do not allow workers to run the check %q", check)
	}
	return nil
}

// permissions holds the permission mode and the allow rules from a client's flags and settings.
type permissions struct {
	mode    string
	rules   []string
	unknown bool // a setting that this program does not read may take precedence
}

func (h *handler) permissions(args []string) permissions {
	p := permissions{mode: "default"}
	for _, path := range h.call().SettingsFiles() {
		text, _ := safefile.Read(path, config.MaxFile)
		p.unknown = p.unknown || gjson.Get(text, "sandbox.enabled").Bool() // may allow Bash
		if mode := gjson.Get(text, "permissions.defaultMode").Str; mode != "" {
			p.mode = mode
		}
		for _, rule := range gjson.Get(text, "permissions.allow").Array() {
			p.rules = append(p.rules, rule.Str)
		}
	}
	for i, arg := range args {
		name, value, joined := strings.Cut(arg, "=")
		values := []string{value}
		if !joined {
			values = args[i+1:]
		}
		switch {
		case name == "--dangerously-skip-permissions":
			p.mode = "bypassPermissions"
		case name == "--settings", name == "--permission-prompt-tool":
			p.unknown = true
		case name == "--permission-mode" && len(values) > 0:
			p.mode = values[0]
		case name == "--allowedTools", name == "--allowed-tools":
			for _, value := range values {
				if strings.HasPrefix(value, "-") {
					break
				}
				p.rules = append(p.rules, listed(value)...)
			}
		}
	}
	return p
}

// listed splits a flag's value into rules, at commas and blanks outside parentheses.
func listed(value string) []string {
	depth := 0
	return strings.FieldsFunc(value, func(r rune) bool {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		return depth == 0 && (r == ',' || unicode.IsSpace(r))
	})
}

// allows reports whether a rule allows the tool to run the command.
func (p permissions) allows(tool, command string) bool {
	return slices.ContainsFunc(p.rules, func(rule string) bool {
		name, of, some := strings.Cut(strings.TrimSuffix(rule, ")"), "(")
		begin := strings.TrimRight(of, "*: ")
		return name == tool && (!some || strings.HasPrefix(command, begin))
	})
}

// plugged returns an error if the client clearly has neither the command's plugin nor a command of
// that name in its folders.
func (h *handler) plugged(command string) error {
	space, skill, _ := strings.Cut(strings.TrimPrefix(command, "/"), ":")
	enables := func(path string) (on bool) {
		text, _ := safefile.Read(path, config.MaxFile)
		gjson.Get(text, "enabledPlugins").ForEach(func(name, is gjson.Result) bool {
			on = on || is.Bool() && strings.HasPrefix(name.Str, space+"@")
			return !on
		})
		return on
	}
	brings := func(flag string) bool {
		return strings.HasPrefix(flag, "--settings") || strings.HasPrefix(flag, "--plugin-dir")
	}
	command = filepath.Join("commands", space, skill+".md")
	person, _ := install.ClientDir(h.Env)
	if slices.ContainsFunc(h.call().SettingsFiles(), enables) ||
		slices.ContainsFunc(h.clientFlags, brings) ||
		isFile(filepath.Join(person, command)) ||
		isFile(filepath.Join(h.project, ".claude", command)) {
		return nil
	}
	return hint.New("run `claude plugin install "+space+"@"+space+"`, or add "+
		"`-- --plugin-dir FOLDER` to the command",
		"the client lacks the plugin %s, which provides the skill /%[1]s:%s", space, skill)
}
