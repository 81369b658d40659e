package app

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hooks/internal/attempt"
	"hooks/internal/event"
	"hooks/internal/hint"
	"hooks/internal/install"
	"hooks/internal/kind/tasks"
	"hooks/internal/ledger"
	"hooks/internal/loop"
	"hooks/internal/safefile"
	"hooks/internal/store"
	"hooks/internal/tracker"
)

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
	return &tasks.ReadList{Sum: loop.Digest(fmt.Appendf(nil, "%+v", list)), List: list}
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

// entered keeps the plan of the run that the entry has begun, and publishes the run that it has
// begun or resumed.
func (e *entry) entered(fresh loop.Fresh, reply event.Reply) event.Reply {
	if fresh.Plan != nil && !reply.Blocks() {
		e.sideError(e.files.KeepPlan(e.Skill, fresh.Plan))
	}
	run := e.Budget
	if !run.Attempts().Publishes || run.SessionID != e.ev.SessionID {
		return reply
	}
	note, err := e.publish(run, nil)
	e.sideError(err)
	e.sideError(e.withStateLock(func() error {
		return e.theirs().Queue(e.files, tasks.Begins(run, e.feeding))
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

// ownView returns the path and the text of the state file for people; the text is nil if there is
// none. It returns an error if a run could not write one of its files.
func (h *handler) ownView() (path string, text []byte, err error) {
	for _, name := range []string{"SDD_STATE_FILE", "SDD_PROGRESS_FILE"} {
		path := h.Env(name)
		if path != "" && !h.usable(path) {
			return "", nil, hint.New("name a file of the project, not of .git or .sdd",
				"%s is %q, where the loop may not keep a file", name, path)
		}
		if path != "" && len(tracker.Committed(h.ctx, h.project, path)) > 0 {
			return "", nil, hint.New("name a file that is not committed",
				"%s is %q, which the loop would rewrite, and it is committed", name, path)
		}
	}
	text, _, err = keptFile(h.viewPath())
	_, _, unread := keptFile(h.progressPath())
	return h.relative(h.viewPath()), text, cmp.Or(err, unread)
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
