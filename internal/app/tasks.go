package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hooks/internal/drive"
	"hooks/internal/event"
	"hooks/internal/hint"
	"hooks/internal/install"
	"hooks/internal/kind/tasks"
	"hooks/internal/loop"
	"hooks/internal/store"
	"hooks/internal/tracker"
	"hooks/internal/usage"
)

// Defaults for a task loop (T20, T86).
const (
	defaultTries        = 5
	defaultCheckMinutes = 10
)

// taskEntry implements attempts.enter for task loops.
func (h *handler) taskEntry(
	cmd loop.Command, flags *loop.Flags,
) (fresh freshRun, said string, err error) {
	if h.feeding { // ignore later changes of the environment
		*flags = loop.Flags{Ceilings: flags.Ceilings, Lock: flags.Lock, Resume: true,
			BudgetFile: flags.BudgetFile}
		return fresh, "", nil
	}
	if flags.Task.Drive == loop.DriveProcess && h.ev.Name != "" && h.Env(drive.Mark) == "" {
		return fresh, "", hint.New(fmt.Sprintf("leave --drive out: /%s runs the tasks in this "+
			"session; or run `hooks go` in a terminal of your own", cmd.Name),
			"--drive process is set by `hooks go` alone, and this session is not one of its own")
	}
	n, err := h.envNumber("SDD_MAX_GLOBAL_ITER", 0)
	if err != nil {
		return fresh, "", err
	}
	if n > 0 {
		flags.DefaultIterations(n)
	}
	old := h.runOf(tasks.Name)
	found, err := h.foreignView(old)
	if err != nil {
		return fresh, "", err
	}
	named := len(flags.Rest) > 0 || flags.Task.List != ""
	spec := strings.Join(flags.Rest, "")
	if !named && old == nil && found != nil {
		spec, named = found.SpecPath, true
	}
	switch {
	case old != nil && old.Drives(*flags):
		return fresh, "", nil
	case flags.Resume && old != nil, !named && old != nil && !tasks.Of(old).Complete():
		flags.Resume = true
		return fresh, "", h.mayRetune(tasks.Of(old), flags)
	case !named:
		return fresh, "", hint.New("name the spec: /sdd:go docs/spec.md in a session, or "+
			"hooks go docs/spec.md in a terminal",
			"/%s names no spec, and there is no task loop to resume", cmd.Name)
	}
	run, err := h.newTasks(flags, spec)
	if err != nil {
		return fresh, "", err
	}
	if run.Mode == tasks.Pair || run.Mode == tasks.Swarm {
		return fresh, fmt.Sprintf("Mode %s: the loop is disabled, every Stop is allowed. Nothing "+
			"was recorded.", run.Mode), nil
	}
	if old == nil {
		run.Import = imported(found, run)
	}
	left, err := h.preflight(h.project, flags.Task)
	return freshRun{KindRun: loop.KindRun{Own: run}, left: left}, "", err
}

// mayRetune returns an error for flags that change how a resumed run is judged, unless a person
// typed them.
func (h *handler) mayRetune(r *tasks.Run, flags *loop.Flags) error {
	changed := r.Retuned(flags.Task)
	if len(changed) == 0 || h.typedByPerson() && !slices.Contains(
		[]string{tasks.Pair, tasks.Swarm}, flags.Task.Mode) {
		return nil
	}
	return hint.New("leave it out, or let a person type the command",
		"%s would change the run, which has already begun", strings.Join(changed, ", "))
}

// newTasks reads the spec and the list of a fresh run (T6, T23, T26, T97).
func (h *handler) newTasks(flags *loop.Flags, path string) (*tasks.Run, error) {
	tries, err := h.envNumber("SDD_MAX_TASK_ITER", defaultTries)
	if err != nil {
		return nil, err
	}
	r := &tasks.Run{Spec: path, Try: 1, Phase: tasks.Execution, Passed: []int{},
		MaxTries: cmp.Or(flags.Task.MaxTries, tries),
		Dollars:  flags.Task.Dollars, Require: flags.Task.Require,
		Drive:        cmp.Or(flags.Task.Drive, loop.DriveStop),
		CheckMinutes: cmp.Or(flags.Task.Minutes, defaultCheckMinutes),
		OpensPR:      len(tracker.Repo(context.Background(), h.project).Remotes) > 0}
	if r.Check = flags.Task.Check; r.Check != "" && !h.typedByPerson() {
		r.Proposed, r.Check = r.Check, ""
	}
	if len(flags.Rest) > 1 {
		return nil, hint.New("quote a path that contains spaces; the spec is one file",
			"%q is more than one spec", strings.Join(flags.Rest, " "))
	}
	spec, err := readOwn(h.project, "spec", r.Spec)
	if err != nil {
		return nil, err
	}
	front, err := tasks.ReadSpec(spec)
	if err != nil {
		return nil, hint.New("fix its front matter", "%s: %w", r.Spec, err)
	}
	r.Mode = cmp.Or(flags.Task.Mode, front.Mode, tasks.Quick)
	r.Issue, r.Goal = cmp.Or(flags.Task.Issue, front.Issue), tasks.Goal(spec)
	list, err := h.readList(r, flags.Task.List, spec)
	if err != nil {
		return nil, err
	}
	r.List = list
	r.Pick() // some tasks may already be done
	if now := h.listNow(&loop.Budget{KindRun: loop.KindRun{Own: r}}); now != nil {
		r.ListSum = now.Sum
	}
	return r, nil
}

// listNow parses the run's list as it is on disk. It returns nil if that fails, or for another kind
// of run (T97).
func (h *handler) listNow(run *loop.Budget) *tasks.ReadList {
	r := tasks.Of(run)
	if r == nil {
		return nil
	}
	text, err := readOwn(h.project, "task list", r.ListPath)
	if r.ListPath == r.Spec {
		text = tasks.Section(text, "## Tasks")
	}
	list, bad := tasks.ParseList(text)
	if err != nil || bad != nil {
		return nil
	}
	for i := range list { // ticks in the file do not count
		list[i].Result = ""
	}
	return &tasks.ReadList{Sum: sum(fmt.Appendf(nil, "%+v", list)), List: list}
}

// typedByPerson reports whether a person typed the command, rather than the model or a schedule.
func (h *handler) typedByPerson() bool {
	if h.ev.Name != event.UserPromptExpansion {
		return h.ev.Name == "" // `hooks go`, which only a person can run
	}
	start, _ := usage.PromptStart(h.ev.Transcript, h.ev.PromptID)
	known := start.Origin == "human" || start.Origin == "sdk"
	return known || start.Origin == "" &&
		usage.Sender(h.ev.Transcript, h.ev.Prompt) != loop.SenderSchedule
}

// readList reads the list from the named file. Without a name it reads tasks.md next to the spec,
// or else the spec's `## Tasks`.
func (h *handler) readList(r *tasks.Run, named string, spec []byte) ([]tasks.Item, error) {
	r.ListPath = named
	if named == "" {
		r.ListPath = filepath.ToSlash(filepath.Join(filepath.Dir(r.Spec), "tasks.md"))
	}
	text, err := readOwn(h.project, "task list", r.ListPath)
	if named == "" && errors.Is(err, fs.ErrNotExist) {
		r.ListPath = r.Spec
		if text = tasks.Section(spec, "## Tasks"); text == nil {
			return nil, hint.New("write it as `- [ ]` lines in "+
				filepath.ToSlash(filepath.Join(filepath.Dir(r.Spec), "tasks.md"))+
				", or name it with --tasks PATH", "%s has no task list", r.Spec)
		}
	} else if err != nil {
		return nil, err
	}
	list, err := tasks.ParseList(text)
	if err != nil {
		return nil, hint.New("a task is a line `- [ ] Title` at the left margin", "%s: %w",
			r.ListPath, err)
	}
	return list, nil
}

// envNumber returns the number in an environment variable, or otherwise if the variable is not
// set. It returns an error unless the value is a whole number of at least 2.
func (h *handler) envNumber(name string, otherwise int) (int, error) {
	text := h.Env(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 2 {
		return 0, hint.New("set it to a whole number from 2, or unset it", "%s is %q", name, text)
	}
	return n, nil
}

// taskPrompt returns the complete prompt of the attempt.
func (h *handler) taskPrompt(t *store.State) string {
	r, a := tasks.Of(t.Budget), t.Tick.Attempt
	papers := tasks.Papers{Progress: h.relative(h.progressPath()), Anchor: h.anchor()}
	papers.Log, _, _ = keptFile(h.progressPath())
	if ledgers := ledgersOf(h.project, r.Spec, a.Task); len(ledgers) > 0 && a.Task <= len(r.List) {
		papers.Ledger = ledgers[0]
	}
	return r.Prompt(a, papers)
}

// anchor returns the path of the project's or the person's command /sdd:anchor, or "" (T83).
func (h *handler) anchor() string {
	const command = "commands/sdd/anchor.md"
	person, _ := install.ClientDir(h.Env)
	for _, path := range []string{filepath.Join(h.project, ".claude", command),
		filepath.Join(person, command)} {
		if isFile(path) {
			return filepath.ToSlash(strings.TrimPrefix(path, h.project+string(filepath.Separator)))
		}
	}
	return ""
}

// AddTask adds a task to the project's task loop. The loop includes the task once no attempt is
// open. The list's file does not change. AddTask fails inside the agent.
func (a *App) AddTask(text string) (said string, err error) {
	if a.InAgent() {
		return "", hint.New("type it in a terminal of your own",
			"a task is not added from inside the agent")
	}
	list, err := tasks.ParseList([]byte("- [ ] " + text))
	if err != nil || len(list) != 1 {
		return "", hint.New(`as in hooks tasks add "Write the page"`, "%q is not one task", text)
	}
	return a.each([]loop.Skill{tasks.Name}, "", func(h *handler, skill loop.Skill) (string, error) {
		s, err := h.load(skill)
		if err == nil && (tasks.Of(s.Budget) == nil || tasks.Of(s.Budget).Complete()) {
			err = hint.New("write it into the list, then: /sdd:go SPEC",
				"no task loop of this project has anything left to do")
		}
		if err != nil {
			return "", err
		}
		r := tasks.Of(s.Budget)
		r.Add(list[0])
		_, err = h.tx.Commit(&s, loop.Save{Run: s.Budget})
		return fmt.Sprintf("task %d: %s — it begins once those before it are done",
			len(r.List)+len(r.Added), list[0].Title), err
	})
}

// measure runs the check before the first worker of a run. It runs outside a session and without
// the brake, because no worker has changed a file yet. why explains why the check cannot run, or
// is "".
func (d *driven) measure(h *handler, t *store.State) (why string, err error) {
	tree, err := h.tree(context.Background(), h.root(t))
	if len(tree.Dirty) > 0 || err != nil {
		tree.Head = ""
	}
	if d.check != "" && tasks.Of(t.Budget) != nil { // the first process records it
		tasks.Of(t.Budget).Check = d.check
	}
	at, command := t.Values().Unmeasured(tree.Head)
	if command == "" || tasks.Of(t.Budget).Worked() {
		return "", nil
	}
	e := loop.Measured{At: at, Command: command, Check: h.check(t, command)}
	if why = t.Budget.Own.NoCheck(e.Check); why != "" {
		return why, nil
	}
	return "", d.step("", func(h *handler) loop.Event {
		e.Turn = h.turn()
		return e
	})
}
