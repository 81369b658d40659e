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
	"strings"
	"time"

	"github.com/natefinch/atomic"

	"hooks/internal/event"
	"hooks/internal/hint"
	"hooks/internal/kind/tasks"
	"hooks/internal/ledger"
	"hooks/internal/loop"
	"hooks/internal/safefile"
	"hooks/internal/store"
	"hooks/internal/tracker"
)

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
	now := r.Progress(text, before, j != nil && j.Verdict == loop.Flagged)
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
				"%s is %q, where the loop keeps no file", name, path)
		}
		ctx, cancel := context.WithTimeout(context.Background(), gitTime)
		defer cancel()
		if path != "" && len(tracker.Committed(ctx, h.project, path)) > 0 {
			return nil, hint.New("name a file that is not committed",
				"%s is %q, which the loop would rewrite, and it is committed", name, path)
		}
	}
	text, there, err := keptFile(h.viewPath())
	if _, _, unread := keptFile(h.progressPath()); cmp.Or(err, unread) != nil {
		return nil, cmp.Or(err, unread)
	}
	if sameFile(h.viewPath(), h.progressPath()) {
		return nil, hint.New("name two files", "SDD_STATE_FILE and SDD_PROGRESS_FILE are both %s",
			h.relative(h.viewPath()))
	}
	if !there || old != nil {
		return nil, nil
	}
	v, err := tasks.ParseView(text)
	switch {
	case err != nil:
	case v.TotalTasks == 0:
		err = errors.New("it counts no tasks")
	case v.Phase != "" && v.Phase != tasks.Execution && h.leftOver(text):
		return nil, nil
	case v.Phase != "" && v.Phase != tasks.Execution:
		return nil, hint.New("go through that phase first, or move the file away", "%s is in "+
			"phase %s; a task loop runs in phase execution", h.relative(h.viewPath()), v.Phase)
	}
	if err != nil {
		return nil, hint.New("move it away, or name another file with SDD_STATE_FILE",
			"%s is not the state file of a task loop: %w", h.relative(h.viewPath()), err)
	}
	return &v, nil
}

// leftOver reports whether the view belongs to an archived run of this project.
func (h *handler) leftOver(view []byte) bool {
	files, err := store.Open(h.project)
	if err != nil {
		return false
	}
	defer files.Close()
	return files.ArchivedView(tasks.Name, view)
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
	folders := []string{}
	if parts := strings.Split(filepath.ToSlash(spec), "/"); len(parts) > 2 &&
		parts[0] == "changes" {
		folders = append(folders, parts[1])
	} else {
		folders = safefile.Names(filepath.Join(root, "changes"), 100)
	}
	for _, folder := range folders {
		path := filepath.Join("changes", folder, "loops", name)
		if full, ok := below(root, path); ok && isFile(full) {
			list = append(list, filepath.ToSlash(path))
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
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	text, read := safefile.Read(path, maxTaskFile)
	if _, err := os.Lstat(path); !read && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is not changed, because it cannot be read whole", path)
	}
	var add string
	for _, line := range h.excluded() {
		if !strings.Contains("\n"+text+"\n", "\n"+line+"\n") {
			add += line + "\n"
		}
	}
	if add == "" {
		return nil
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return atomic.WriteFile(path, strings.NewReader(text+add))
}
