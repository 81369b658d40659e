package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"hooks/internal/brake"
	"hooks/internal/child"
	"hooks/internal/drive"
	"hooks/internal/event"
	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/safefile"
	"hooks/internal/store"
	"hooks/internal/tasks"
	"hooks/internal/tracker"
	"hooks/internal/usage"
)

// Defaults of a task loop (T20, T86).
const (
	defaultTries        = 5
	defaultCheckMinutes = 10
)

// maxTaskFile bounds a spec, a task list and a progress file, in bytes.
const maxTaskFile = 1 << 20

// fed is the entry of a conductor's next attempt: the Stop before asked for this very call.
func (h *handler) fed() (loop.Command, bool) {
	call := h.ev.Name == event.PreToolUse && h.ev.Dispatches() && !h.ev.InSubagent()
	if !call || !h.sealed && !store.Exists(h.project) || h.openState() != nil {
		return loop.Command{}, false
	}
	list, err := h.sessionRuns()
	if err != nil {
		return loop.Command{}, false
	}
	for _, t := range list {
		b := t.Budget
		if t.Tick == nil && b != nil && b.Feeds(h.ev.PromptID) {
			return loop.ParsePrompt(b.Command, loop.Namespace(b.Command))
		}
	}
	return loop.Command{}, false
}

// feed begins the attempt that a call of the conductor is for, and then judges the call.
func (h *handler) feed(cmd loop.Command) (event.Reply, error) {
	h.feeding = true
	reply, err := h.enter(cmd)
	if err != nil || reply.Blocks() {
		return h.recordEntry(reply), err
	}
	if err := h.openState(); err != nil {
		return event.Nothing(), err
	}
	answer, err := h.meet()
	return answer.And(reply), err
}

// taskEntry prepares the entry of a task loop: the list of a fresh run in req, or --resume where a
// run is to continue. text is why nothing begins, for the person.
func (h *handler) taskEntry(cmd loop.Command, flags *loop.Flags) (run *loop.TaskRun, text string,
	err error) {
	if h.feeding { // whatever the environment has become since
		*flags = loop.Flags{Ceilings: flags.Ceilings, Lock: flags.Lock, Resume: true,
			BudgetFile: flags.BudgetFile}
		return nil, "", nil
	}
	if flags.Task.Drive == loop.DriveProcess && h.ev.Name != "" && h.Env(drive.Mark) == "" {
		return nil, "", hint.New(fmt.Sprintf("leave --drive out: /%s runs the tasks in this "+
			"session; or run `hooks go` in a terminal of your own", cmd.Name),
			"--drive process is set by `hooks go` alone, and this session is not one of its own")
	}
	n, err := h.envNumber("SDD_MAX_GLOBAL_ITER", 0)
	if err != nil {
		return nil, "", err
	}
	if n > 0 {
		flags.DefaultIterations(n)
	}
	old := h.taskRun()
	found, err := h.foreignView(old)
	if err != nil {
		return nil, "", err
	}
	named := len(flags.Rest) > 0 || flags.Task.List != ""
	spec := strings.Join(flags.Rest, "")
	if !named && old == nil && found != nil && !cmd.Tick() {
		spec, named = found.SpecPath, true
	}
	switch {
	case cmd.Tick() && old != nil:
		return nil, "", nil
	case cmd.Tick():
		return nil, "", hint.New("a person starts it with /sdd:go SPEC",
			"/%s continues a task loop, and none runs here", cmd.Name)
	case old != nil && old.Drives(*flags):
		return nil, "", nil
	case flags.Resume && old != nil, !named && old != nil && !old.Tasks.Complete():
		flags.Resume = true
		return nil, "", h.mayRetune(old.Tasks, flags)
	case !named:
		return nil, "", hint.New("name the spec: /sdd:go docs/spec.md in a session, or "+
			"hooks go docs/spec.md in a terminal",
			"/%s names no spec, and no task loop waits to continue", cmd.Name)
	}
	run, err = h.newTasks(flags, spec)
	if err == nil && old == nil {
		run.Import = imported(found, run)
	}
	if err == nil && (run.Mode == tasks.Pair || run.Mode == tasks.Swarm) {
		return nil,
			fmt.Sprintf("Mode %s: the loop is disabled, every Stop is allowed. Nothing was "+
				"recorded.", run.Mode), nil
	}
	return run, "", err
}

// mayRetune refuses flags that would change how a run is judged that continues, where no person
// typed them.
func (h *handler) mayRetune(r *loop.TaskRun, flags *loop.Flags) error {
	changed := r.Retuned(flags.Task)
	if len(changed) == 0 || h.typedByPerson() && !slices.Contains(
		[]string{tasks.Pair, tasks.Swarm}, flags.Task.Mode) {
		return nil
	}
	return hint.New("leave it out, or let a person type the command",
		"%s would change the run, which continues as it was begun", strings.Join(changed, ", "))
}

// taskRun is the project's task loop, nil without one that can be read.
func (h *handler) taskRun() *loop.Budget {
	if b := h.runOf(loop.Tasks); b != nil && b.Tasks != nil {
		return b
	}
	return nil
}

// runOf is the project's run of a kind, nil without one that can be read.
func (h *handler) runOf(skill loop.Skill) *loop.Budget {
	if !store.Exists(h.project) {
		return nil
	}
	files, err := store.Open(h.project)
	if err != nil {
		return nil
	}
	s, err := files.LoadRun(skill)
	if err != nil {
		return nil
	}
	return s.Budget
}

// newTasks reads the spec and the list of a fresh run (T6, T23, T26, T97).
func (h *handler) newTasks(flags *loop.Flags, path string) (*loop.TaskRun, error) {
	tries, err := h.envNumber("SDD_MAX_TASK_ITER", defaultTries)
	if err != nil {
		return nil, err
	}
	r := &loop.TaskRun{Spec: path, Try: 1, Phase: loop.Execution, Passed: []int{},
		MaxTries: cmp.Or(flags.Task.MaxTries, tries),
		Dollars:  flags.Task.Dollars, Strict: flags.Task.Strict,
		Drive: flags.Task.Drive, CheckMinutes: flags.Task.Minutes, OpensPR: h.hasRemote()}
	if r.Drive == "" {
		r.Drive = loop.DriveStop
	}
	if r.CheckMinutes == 0 {
		r.CheckMinutes = defaultCheckMinutes
	}
	if r.Check = flags.Task.Check; r.Check != "" && !h.typedByPerson() {
		r.Proposed, r.Check = r.Check, ""
	}
	if len(flags.Rest) > 1 {
		return nil, hint.New("quote a path with blanks; the spec is one file",
			"%q is more than one spec", strings.Join(flags.Rest, " "))
	}
	spec, err := h.readTaskFile("spec", r.Spec)
	if err != nil {
		return nil, err
	}
	front, err := tasks.ReadSpec(spec)
	if err != nil {
		return nil, hint.New("mend its front matter", "%s: %w", r.Spec, err)
	}
	r.Mode = first(flags.Task.Mode, front.Mode, tasks.Quick)
	r.Issue, r.Goal = first(flags.Task.Issue, front.Issue), tasks.Goal(spec)
	list, err := h.readList(r, flags.Task.List, spec)
	if err != nil {
		return nil, err
	}
	r.List = itemsOf(list)
	for i, t := range list {
		if t.Ticked {
			r.List[i].Result = loop.Imported
		}
	}
	if now := h.reread(r); now != nil {
		r.ListSum = now.Sum
	}
	return r, nil
}

func itemsOf(list []tasks.Task) (items []loop.TaskItem) {
	for _, t := range list {
		items = append(items, loop.TaskItem{Title: t.Title, Criteria: t.Criteria,
			Checkpoint: t.Checkpoint, NoCommit: t.NoCommit})
	}
	return items
}

// reread is a run's list as it is on disk now, nil where it cannot be read (T97).
func (h *handler) reread(r *loop.TaskRun) *loop.ReadList {
	text, err := h.readTaskFile("task list", r.ListPath)
	if r.ListPath == r.Spec {
		text = tasks.Section(text, "## Tasks")
	}
	list, bad := tasks.ParseList(text)
	if err != nil || bad != nil {
		return nil
	}
	items := itemsOf(list)
	return &loop.ReadList{Sum: sum(fmt.Appendf(nil, "%+v", items)), List: items}
}

// typedByPerson reports whether a person typed the command: neither the model called the skill nor
// a schedule fired.
func (h *handler) typedByPerson() bool {
	if h.ev.Name != event.UserPromptExpansion {
		return h.ev.Name == "" // `hooks go` is no event, and no session can run it
	}
	start, _ := usage.PromptStart(h.ev.Transcript, h.ev.PromptID)
	known := start.Origin == "human" || start.Origin == "sdk"
	return known || start.Origin == "" && !usage.ScheduledFire(h.ev.Transcript, h.ev.Prompt)
}

// readList reads the list: the named file, else tasks.md beside the spec, else `## Tasks` in it.
func (h *handler) readList(r *loop.TaskRun, named string, spec []byte) ([]tasks.Task, error) {
	r.ListPath = named
	if named == "" {
		r.ListPath = filepath.ToSlash(filepath.Join(filepath.Dir(r.Spec), "tasks.md"))
	}
	text, err := h.readTaskFile("task list", r.ListPath)
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

// readTaskFile reads a file of the project by its relative path. An empty path is an empty file.
func (h *handler) readTaskFile(what, path string) ([]byte, error) {
	return readOwn(h.project, what, path)
}

// readOwn reads a file below a folder by its relative path.
func readOwn(root, what, path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	full, ok := below(root, path)
	if !ok {
		return nil,
			hint.New("give a path below the project", "the %s %q lies outside of the project",
				what, path)
	}
	f, info, err := safefile.Open(full)
	if err != nil {
		return nil, hint.New("give the path of a file", "the %s %s cannot be read: %w", what, path,
			err)
	}
	defer f.Close()
	if info.Size() > maxTaskFile {
		return nil, hint.New("split it", "the %s %s has %d bytes, over %d", what, path, info.Size(),
			maxTaskFile)
	}
	text, _ := safefile.Read(full, maxTaskFile)
	return []byte(text), nil
}

// ownFile is the whole path of one that lies in the project, symlinks followed.
func (h *handler) ownFile(path string) (full string, ok bool) { return below(h.project, path) }

// below is the whole path of one that lies in a folder, symlinks followed.
func below(root, path string) (full string, ok bool) {
	full = path
	if !filepath.IsAbs(full) {
		full = filepath.Join(root, path)
	}
	rel, err := filepath.Rel(tracker.RealPath(root), tracker.RealPath(full))
	return full, err == nil && filepath.IsLocal(rel)
}

func first(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}

// envNumber is the whole number from 2 in a variable, otherwise where it is not set.
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

func (h *handler) hasRemote() bool { return len(tracker.Repo(h.Env, h.project).Remotes) > 0 }

// attemptFacts adds what an attempt begins with. fresh is the task loop that begins with it, nil
// where a run continues.
func (h *handler) attemptFacts(f *loop.EntryFacts, root string, fresh *loop.TaskRun) {
	ctx, cancel := context.WithTimeout(context.Background(), gitTime)
	defer cancel()
	tree, err := h.tree(ctx, root)
	f.Head, f.Branch, f.Tree = tree.Head, tree.Branch, treeSum(root, tree.Dirty)
	list, unread := tree.Ignores(ctx, root, h.excluded())
	if err = errors.Join(err, unread); err == nil {
		f.Ignores = strings.Join(append(list, "-"), "\n")
	}
	if f.NoGit = tracker.Repo(h.Env, root).Top == ""; err != nil && !f.NoGit {
		f.Unread = child.Line(err.Error())
	}
	f.Nonce = fmt.Sprintf("%08x", rand.Uint32()) // unlike any other, and no secret
	if run := h.taskRun(); fresh == nil && run != nil {
		fresh = run.Tasks
	}
	if fresh != nil {
		f.List = h.reread(fresh)
		text := h.redact(h.ledgerFeedback(fresh))
		f.Feedback = strings.ToValidUTF8(text[:min(len(text), tasks.MaxFeedback)], "")
	}
}

// fetchTask looks up what a Step needs to judge an attempt. Nothing of it is fetched with the
// state's lock: a check may take minutes.
func (h *handler) fetchTask(t *loopState, k *loop.Known, need loop.Need) {
	if need&loop.NeedWorker != 0 {
		k.Worker = h.workerSeen(t)
	}
	if need&loop.NeedClaim != 0 && t.Budget.Audit != nil {
		k.Claim.Last = h.lastWords()
	} else if need&loop.NeedClaim != 0 {
		claim, near := tasks.ReadClaim(h.ev.LastMessage, t.Tick.Attempt.Token)
		text, _, _ := keptFile(h.progressPath())
		k.Claim = loop.ClaimSeen{Done: claim.Done, Blocked: claim.Blocked, Why: claim.Why,
			Near:    near,
			Flagged: tasks.Flagged(text)}
	}
	if need&loop.NeedEvidence != 0 {
		k.Evidence = h.evidence(t)
	}
	if need&loop.NeedCheck != 0 {
		k.Check = h.check(t)
	}
	if need&loop.NeedPrompt != 0 {
		k.Prompt = h.workerPrompt(t)
	}
}

// workerSeen reads the beginning of the worker's transcript: whether it is this attempt's, or the
// fork in which the iteration runs, and whether anything is before the attempt's prompt (T93).
func (h *handler) workerSeen(t *loopState) (w loop.WorkerSeen) {
	path := first(h.ev.AgentTranscript, h.ev.Transcript)
	if h.ev.InSubagent() && h.ev.AgentTranscript == "" { // a StopFailure does not name it
		path = usage.AgentTranscript(h.ev.Transcript, h.ev.AgentID)
	}
	a, call := t.Tick.Attempt, ""
	mark := fmt.Sprintf("(run %s)", t.Budget.RunID) // in the text that begins an iteration
	if a != nil {
		mark, call = a.Token, a.Call
	}
	text, ok := safefile.ReadHead(path, 256<<10)
	if !strings.Contains(text, mark) { // a quick fork ends before its transcript is written
		usage.WaitFlushed(context.Background(), path, h.ev.LastMessage)
		text, ok = safefile.ReadHead(path, 256<<10)
	}
	if h.ev.InSubagent() {
		by, known := usage.SentBy(path)
		if known && by != call { // a helper, which may quote the token
			return loop.WorkerSeen{}
		}
		ok = ok && known
	}
	if a != nil && !ok {
		return loop.WorkerSeen{Ours: h.ev.AgentType == "" || a.Sent}
	}
	fresh := true
	for line := range strings.Lines(text) {
		if strings.Contains(line, mark) {
			return loop.WorkerSeen{Ours: true, Known: true, Fresh: fresh}
		}
		fresh = fresh && !strings.Contains(line, `"type":"assistant"`)
	}
	return loop.WorkerSeen{Known: true}
}

// evidence asks git and the progress file whether a claim is borne out.
func (h *handler) evidence(t *loopState) (e loop.Evidence) {
	a, root := t.Tick.Attempt, h.root(t)
	if before := h.files.Progress(); before != nil && t.Budget.Tasks != nil {
		now, _, _ := keptFile(h.progressPath())
		e.Lost = tasks.Lost(before, now)
	}
	if a.NoGit || a.Unread != "" {
		return e
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*gitTime)
	defer cancel()
	repo := tracker.Repo(h.Env, root)
	var tree tracker.Tree
	var hidden []string
	var top string
	var diff []byte
	var errs [5]error
	var asked sync.WaitGroup // git takes most of the time that a claim costs
	asked.Go(func() { tree, errs[0] = h.tree(ctx, root) })
	asked.Go(func() { hidden, errs[1] = tracker.Hidden(ctx, root) })
	asked.Go(func() { top, errs[2] = tracker.Top(ctx, root) })
	asked.Go(func() {
		for _, sha := range t.values().Keeps() {
			if kept, err := tracker.Descends(ctx, root, sha); !kept {
				e.Dropped, errs[3] = sha, err
				return
			}
		}
	})
	if t.Budget.Tasks != nil && a.Base != "" {
		asked.Go(func() { diff, errs[4] = tracker.Diff(ctx, root, a.Base) })
	}
	asked.Wait()
	err := errors.Join(errs[:4]...)
	if err == nil && tracker.RealPath(top) != tracker.RealPath(repo.Top) {
		err = fmt.Errorf("it looks at %s, as core.worktree is set", top)
	}
	if err != nil {
		e.Failed = child.Line(err.Error())
		return e
	}
	e.Head, e.Branch, e.Dirty = tree.Head, tree.Branch, append(tree.Dirty, hidden...)
	ignores, err := tree.Ignores(ctx, root, h.excluded())
	if err != nil {
		e.Failed = child.Line(err.Error())
		return e
	}
	before := strings.Split(t.Budget.Ignores, "\n")
	for _, file := range ignores {
		if t.Budget.Ignores != "" && !slices.Contains(before, file) {
			name := file[:strings.LastIndexByte(file, ' ')]
			e.Dirty = append(e.Dirty, name+" (it has git leave files out; take that back, or "+
				"commit a .gitignore)")
		}
	}
	e.Tree = treeSum(root, tree.Dirty)
	switch {
	case errs[4] != nil:
		e.Weakened = []string{"the change could not be looked at: " + child.Line(errs[4].Error())}
	case a.Base != "" && a.Base != tree.Head:
		e.Weakened, e.Same = tasks.Weakened(diff), len(diff) == 0
	}
	return e
}

// dropped is a commit if HEAD is not seen to contain it, "" otherwise.
func dropped(root, commit string) string {
	ctx, cancel := context.WithTimeout(context.Background(), gitTime)
	defer cancel()
	if commit == "" {
		return ""
	} else if kept, _ := tracker.Descends(ctx, root, commit); kept {
		return ""
	}
	return commit
}

// root is the folder in which a loop's work is done: an audit loop's worktree, else the project.
func (h *handler) root(t *loopState) string {
	if t.Budget.Audit != nil {
		return t.Budget.Audit.Worktree
	}
	return h.project
}

// tree is a working tree without the files of the loop itself.
func (h *handler) tree(ctx context.Context, root string) (tracker.Tree, error) {
	tree, err := tracker.ReadTree(ctx, root)
	own := []string{h.inRepo(h.progressPath()), h.inRepo(h.viewPath())}
	state := h.inRepo(filepath.Join(h.project, ".sdd", "loop")) + "/"
	kept := tree.Dirty[:0]
	for _, path := range tree.Dirty {
		if path != own[0] && path != own[1] && !strings.HasPrefix(path, state) {
			kept = append(kept, path)
		}
	}
	tree.Dirty = kept
	return tree, err
}

func (h *handler) relative(path string) string {
	rel, err := filepath.Rel(h.project, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// inRepo is a path as git names it, from the root of the repository: the project may be a folder
// of it.
func (h *handler) inRepo(path string) string {
	top := tracker.Repo(h.Env, h.project).Top
	rel, err := filepath.Rel(tracker.RealPath(top), tracker.RealPath(h.project))
	if top == "" || err != nil {
		rel = "."
	}
	return filepath.ToSlash(filepath.Join(rel, filepath.FromSlash(h.relative(path))))
}

// maxCheckTail bounds what is kept of a check's output, in bytes.
const maxCheckTail = 4 << 10

// check runs the person's check command in the project. Its whole group ends with it, and with this
// process: a hook that a person ended by Esc decides nothing.
func (h *handler) check(t *loopState) loop.CheckRun {
	root, text, minutes := h.root(t), "", 0
	if r := t.Budget.Audit; r != nil {
		text, minutes = r.Check, r.CheckMinutes
	} else {
		text, minutes = t.Budget.Tasks.Check, t.Budget.Tasks.CheckMinutes
	}
	if runtime.GOOS != "windows" && h.sealed && !h.dress() {
		return loop.CheckRun{Exit: 1, Tail: "the links that stop merges could not be made; see " +
			"`hooks doctor`"}
	}
	// What the check starts is the worker's, so it meets the brake as a Bash command does.
	shell := []string{"sh", "-c", brake.Line(h.seals.Path(), h.ev.SessionID) + "\n" + text}
	if runtime.GOOS == "windows" {
		shell = []string{"cmd", "/C", text}
	}
	began := time.Now()
	alive, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	result, err := child.Run(alive, child.Command{
		Dir: root, Args: shell, Last: true, Most: maxCheckTail,
		Wait: cmp.Or(h.CheckTime, time.Duration(minutes)*time.Minute),
	})
	if alive.Err() != nil {
		os.Exit(0)
	}
	run := loop.CheckRun{Seconds: int(time.Since(began).Seconds()), Exit: child.Exit(err),
		Tail: h.redact(loop.Secrets(lastLines(string(result.Out), 40)))}
	if run.Exit < 0 {
		run.Exit, run.Stopped = 1, true
	}
	ctx, cancel := context.WithTimeout(context.Background(), gitTime)
	defer cancel()
	if tree, err := h.tree(ctx, root); err == nil && len(tree.Dirty) == 0 {
		run.Head = tree.Head
	}
	return run
}

func lastLines(text string, n int) string {
	lines := strings.Split(strings.ToValidUTF8(strings.TrimSpace(text), "?"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// workerPrompt is what the worker that is sent is given.
func (h *handler) workerPrompt(t *loopState) string {
	if t.Budget.Audit != nil {
		return h.auditPrompt(t)
	}
	return h.taskPrompt(t)
}

// taskPrompt is the whole prompt of the attempt.
func (h *handler) taskPrompt(t *loopState) string {
	r, a := t.Budget.Tasks, t.Tick.Attempt
	log, _, _ := keptFile(h.progressPath())
	p := tasks.Prompt{Index: a.Task - 1, Total: len(r.List), Title: a.Title, Spec: r.Spec,
		Progress: h.relative(h.progressPath()), Mode: r.Mode, Attempt: a.Try,
		MaxAttempts: r.MaxTries,
		Refused:     r.Reason, Feedback: a.Feedback, Words: r.Words, Check: r.Check,
		Token: a.Token, Log: log, Anchor: h.anchor()}
	if a.Task > len(r.List) {
		return p.PR()
	}
	if ledgers := h.taskLedgers(r); len(ledgers) > 0 {
		p.Ledger = ledgers[0]
	}
	item := r.List[a.Task-1]
	p.Criteria, p.NoCommit = item.Criteria, item.NoCommit
	return p.Task()
}

// anchor is the file of the command /sdd:anchor, of the project or of the person, "" without one
// (T83).
func (h *handler) anchor() string {
	const command = "commands/sdd/anchor.md"
	for _, path := range []string{filepath.Join(h.project, ".claude", command),
		filepath.Join(h.clientDir(), command)} {
		if isFile(path) {
			return filepath.ToSlash(strings.TrimPrefix(path, h.project+string(filepath.Separator)))
		}
	}
	return ""
}

// ownWorker is the plugin's own type of worker, whose context is less than half of the general
// one's. It is empty where the hooks are registered in a settings file, or the call names another
// type.
func (h *handler) ownWorker() string {
	root := h.Env("CLAUDE_PLUGIN_ROOT")
	if root == "" || h.ev.Text("subagent_type") != "general-purpose" {
		return ""
	}
	if _, err := os.Stat(filepath.Join(root, "agents", "worker.md")); err != nil {
		return ""
	}
	return "hooks:worker"
}

// taskContext is the model's context once an iteration of a task loop has begun: what the thread is
// to do, "" while a question waits and once its worker was sent.
func (h *handler) taskContext(t *loopState) string {
	drive := t.Budget.Drive()
	switch a := t.Tick.Attempt; {
	case len(t.Tick.Pending) > 0 || drive == "", a != nil && (a.Judged != nil || a.Sent):
		return ""
	case drive == loop.DriveStop && a != nil:
		return "This thread only conducts. " + t.Budget.Order()
	case a == nil && drive == loop.DriveSchedule:
		return "This thread does no task. " + t.Budget.WakeOrder()
	case a == nil:
		return ""
	}
	return h.workerPrompt(t)
}
