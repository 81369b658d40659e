package app

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"hooks/internal/attempt"
	"hooks/internal/drive"
	"hooks/internal/event"
	"hooks/internal/hint"
	"hooks/internal/install"
	"hooks/internal/kind/tasks"
	"hooks/internal/ledger"
	"hooks/internal/loop"
	"hooks/internal/safefile"
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
			"only `hooks go` may set --drive process, and it did not start this session")
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
			"tasks cannot be added from inside the agent")
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
	tree, err := h.tree(h.ctx, h.root(t))
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
	e := loop.Measured{At: at, Check: h.check(t, command)}
	if why = t.Budget.Own.NoCheck(e.Check); why != "" {
		return why, nil
	}
	return "", d.step("", func(h *handler) loop.Event {
		e.Turn = h.turn()
		return e
	})
}

// taskEntered publishes the run that the entry has begun or resumed.
func (h *handler) taskEntered(_ freshRun, reply event.Reply) event.Reply {
	run := h.runOf(tasks.Name)
	if run == nil || run.SessionID != h.ev.SessionID {
		return reply
	}
	note, err := h.publish(run, nil)
	h.sideError(err)
	h.sideError(h.withStateLock(func() error {
		return h.theirs().Queue(h.files, tasks.Begins(run, h.feeding))
	}))
	return reply.Say(note)
}

// queueEnds queues the events of the iteration with that line for the person's Sync command.
func (h *handler) queueEnds(run *loop.Budget, line *loop.Iteration) error {
	return h.theirs().Queue(h.files, tasks.Ends(run, line))
}

// lostLines returns the lines that a worker removed from the progress file.
func (h *handler) lostLines(t *store.State) []string {
	before := h.files.Progress(tasks.Name)
	if before == nil || !t.Budget.Attempts().Publishes {
		return nil
	}
	now, _, _ := keptFile(h.progressPath())
	return tasks.Lost(before, now)
}

// publish writes a task loop's files for people and workers: the view, the progress file and its
// copy. All are derived from the run, so an error only delays them (T16, T32–T36).
//
// note reports that another program changed the view; it is "" otherwise (T98).
func (h *handler) publish(run *loop.Budget, line *loop.Iteration) (note string, err error) {
	r := tasks.Of(run)
	before := h.files.Progress(tasks.Name)
	text, there, err := keptFile(h.progressPath())
	if err != nil {
		return "", err
	}
	if before == nil {
		h.sideError(h.exclude())
	}
	if there && before == nil && r.Import == nil { // an earlier run left it
		if err := h.files.KeepForeign("task.progress.md", text); err != nil {
			return "", err
		}
	}
	j := line.Judged()
	now := r.Progress(text, before, j != nil && j.Verdict == attempt.Flagged)
	if !there || !bytes.Equal(now, text) {
		if err := h.files.Publish(h.progressPath(), now); err != nil {
			return "", fmt.Errorf("write progress file: %w", err)
		}
	}
	if err := h.files.KeepProgress(tasks.Name, now); err != nil {
		return "", err
	}
	return h.publishView(viewOf(run, h.now).Text())
}

// publishView writes the view. It first archives a view that another tool wrote.
func (h *handler) publishView(view []byte) (note string, err error) {
	old, there, err := keptFile(h.viewPath())
	switch {
	case err != nil:
	case !there || h.files.WroteView(tasks.Name, old):
	case h.files.HasView(tasks.Name):
		note = fmt.Sprintf("%s was changed by hand; the change is ignored, because the file is a "+
			"view; use `hooks gate answer`, or /sdd:go --resume with other flags",
			h.relative(h.viewPath()))
	default:
		err = h.files.KeepForeign("task.view.json", old)
	}
	if err == nil {
		err = h.files.KeepView(tasks.Name, view, old)
	}
	if err == nil {
		err = h.files.Publish(h.viewPath(), view)
	}
	if err != nil {
		return "", fmt.Errorf("write state view: %w", err)
	}
	return note, nil
}

// foreignView returns the state file of another tool, or nil. Any other file at that path is an
// error, so that it is never replaced (T74, T99).
func (h *handler) foreignView(old *loop.Budget) (*tasks.View, error) {
	for _, name := range []string{"SDD_STATE_FILE", "SDD_PROGRESS_FILE"} {
		path := h.Env(name)
		if path != "" && !h.usable(path) {
			return nil, hint.New("name a file of the project, not of .git or .sdd",
				"%s is %q, where the loop may not keep a file", name, path)
		}
		if path != "" && len(tracker.Committed(h.ctx, h.project, path)) > 0 {
			return nil, hint.New("name a file that is not committed",
				"%s is %q, which the loop would rewrite, and it is committed", name, path)
		}
	}
	text, there, err := keptFile(h.viewPath())
	if _, _, unread := keptFile(h.progressPath()); cmp.Or(err, unread) != nil {
		return nil, cmp.Or(err, unread)
	}
	if !there || old != nil {
		return nil, nil
	}
	v, err := tasks.ParseView(text)
	switch {
	case err != nil:
	case v.TotalTasks == 0:
		err = errors.New("it counts no tasks")
	case v.Phase != "" && v.Phase != tasks.Execution:
		return nil, hint.New("finish that phase first, or move the file away", "%s is in "+
			"phase %s; a task loop runs in phase execution", h.relative(h.viewPath()), v.Phase)
	}
	if err != nil {
		return nil, hint.New("move it away, or name another file with SDD_STATE_FILE",
			"%s is not the state file of a task loop: %w", h.relative(h.viewPath()), err)
	}
	return &v, nil
}

// imported returns the progress made by the other tool. It returns nil if that tool has done
// nothing or had another list.
func imported(v *tasks.View, r *tasks.Run) *tasks.Found {
	if v == nil || v.TaskIndex == 0 || v.TotalTasks != len(r.List) || v.SpecPath != r.Spec {
		return nil
	}
	try := min(max(1, v.TaskIteration), r.MaxTries-1)
	return &tasks.Found{Index: v.TaskIndex, Try: try}
}

// newestFeedback returns the first feedback found in the ledgers, or "" (L31).
func newestFeedback(root string, ledgers []string) string {
	for _, path := range ledgers {
		full, _ := below(root, path)
		text, _ := safefile.Read(full, maxTaskFile)
		if feedback := ledger.Feedback(text); feedback != "" {
			return feedback
		}
	}
	return ""
}

// ledgersOf returns the existing ledgers changes/NAME/loops/implement-NN.md for a task or section
// number. If spec is in a change, it searches only that change; otherwise all changes.
func ledgersOf(root, spec string, number int) (list []string) {
	name := fmt.Sprintf("implement-%02d.md", number)
	parts := strings.Split(filepath.ToSlash(spec), "/")
	inChange := len(parts) > 2 && parts[0] == "changes"
	for _, path := range ledger.Find(root) {
		change, file, _ := ledger.Place(path)
		if file != name || inChange && change != parts[1] {
			continue
		}
		if full, ok := below(root, path); ok && isFile(full) {
			list = append(list, path)
		}
	}
	return list
}

// viewOf converts the run to the fourteen fields of the specification.
func viewOf(run *loop.Budget, now time.Time) tasks.View {
	r := tasks.Of(run)
	v := tasks.View{
		LinearIssue: r.Issue, Phase: r.Phase, TaskIndex: r.Index, TotalTasks: len(r.List),
		TaskIteration: r.Try, MaxTaskIterations: r.MaxTries, GlobalIteration: run.IterationsUsed,
		MaxGlobalIterations: run.Ceilings.Iterations, ExecutionMode: r.Mode, GatesPassed: r.Passed,
		SpecPath: r.Spec, CreatedAt: run.StartedAt.Format(time.RFC3339),
		LastUpdatedAt: now.Format(time.RFC3339),
	}
	if n := tasks.AwaitingGate(run); n > 0 {
		v.AwaitingGate = &n
	}
	return v
}

// exclude makes git ignore the loop's two files in this clone, without changing the repository's
// .gitignore (T15).
func (h *handler) exclude() error {
	path := tracker.ExcludeFile(h.project)
	if path == "" {
		return nil
	}
	text, _ := safefile.Read(path, maxTaskFile)
	var add string
	for _, line := range h.excluded() {
		if !strings.Contains("\n"+text+"\n", "\n"+line+"\n") {
			add += "\n" + line
		}
	}
	if add == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return safefile.Append(path, add+"\n")
}
