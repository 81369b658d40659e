package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/natefinch/atomic"

	"hooks/internal/hint"
	"hooks/internal/ledger"
	"hooks/internal/loop"
	"hooks/internal/safefile"
	"hooks/internal/tasks"
	"hooks/internal/tracker"
)

// viewPath is the file with the state of a task loop for people (T15, T74).
func (h *handler) viewPath() string { return h.taskPath("SDD_STATE_FILE", ".sdd-state.json") }

// progressPath is the file that the workers share (T15, T75).
func (h *handler) progressPath() string {
	return h.taskPath("SDD_PROGRESS_FILE", ".sdd-progress.md")
}

func (h *handler) taskPath(variable, name string) string {
	if path := h.Env(variable); path != "" && h.usable(path) {
		full, _ := h.ownFile(path)
		return full
	}
	return filepath.Join(h.project, name)
}

// usable reports whether the loop may keep a file of its own at a path.
func (h *handler) usable(path string) bool {
	full, ok := h.ownFile(path)
	rel, err := filepath.Rel(tracker.RealPath(h.project), tracker.RealPath(full))
	folder, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
	return ok && err == nil && rel != "." && !strings.EqualFold(folder, ".git") &&
		!strings.EqualFold(folder, ".sdd")
}

// publish writes what people and workers see of a task loop: the view, the progress file, and its
// copy. All of it follows from the run, so an error costs nothing but a later look (T16, T32–T36).
//
// note is about a view that somebody changed, "" for none (T98).
func (h *handler) publish(run *loop.Budget, line *loop.Iteration) (note string, err error) {
	r := run.Tasks
	before := h.files.Progress()
	text, there := safefile.Read(h.progressPath(), maxTaskFile)
	now := []byte(text)
	if before == nil {
		h.slip(h.exclude())
	}
	switch {
	case there && before == nil && r.Import == nil: // of an earlier run
		if err := h.files.KeepForeign("task.progress.md", now); err != nil {
			return "", err
		}
		now = tasks.Renew(now, r.Goal, r.Issue)
	case !there && before != nil:
		now = before // lost: the copy brings it back (T82)
	case !there:
		now = tasks.NewProgress(r.Goal, r.Issue)
	case before != nil:
		now = tasks.Restore(before, now)
	}
	if i := r.Index - 1; i >= 0 && i < len(r.List) { // also where a crash came before this
		if t := r.List[i]; t.Result == loop.Verified || t.Result == loop.Claimed {
			took := time.Duration(t.Minutes) * time.Minute
			now = tasks.Completed(now, tasks.DoneLine(i, t.Title, t.SHA, took))
		}
	}
	if line != nil && line.Task != nil && line.Task.Judgement.Verdict == loop.Flagged {
		now = tasks.ClearFlagged(now) // the gate and the history have the text (T37)
	}
	now = tasks.SetCurrent(now, current(run))
	if !there || !bytes.Equal(now, []byte(text)) {
		if err := atomic.WriteFile(h.progressPath(), bytes.NewReader(now)); err != nil {
			return "", fmt.Errorf("write progress file: %w", err)
		}
	}
	if err := h.files.KeepProgress(now); err != nil {
		return "", err
	}
	return h.publishView(viewOf(run, h.now).Text())
}

// publishView writes the view. One that another tool wrote is archived before.
func (h *handler) publishView(view []byte) (note string, err error) {
	text, there := safefile.Read(h.viewPath(), maxTaskFile)
	old := []byte(text)
	switch {
	case !there || h.files.WroteView(old):
	case h.files.HasView():
		note = fmt.Sprintf("%s was changed by hand; the change is ignored, because the file is a "+
			"view; use `hooks gate answer`, or /sdd:go --resume with other flags",
			h.relative(h.viewPath()))
	default:
		err = h.files.KeepForeign("task.view.json", old)
	}
	if err == nil {
		err = h.files.KeepView(view, old)
	}
	if err == nil {
		err = atomic.WriteFile(h.viewPath(), bytes.NewReader(view))
	}
	if err != nil {
		return "", fmt.Errorf("write state view: %w", err)
	}
	return note, nil
}

// foreignView is the state file of another tool, nil without one. A file that is neither that nor
// ours is never replaced (T74, T99).
func (h *handler) foreignView(old *loop.Budget) (*tasks.View, error) {
	for _, name := range []string{"SDD_STATE_FILE", "SDD_PROGRESS_FILE"} {
		if path := h.Env(name); path != "" && !h.usable(path) {
			return nil, hint.New("name a file of the project, not of .git or .sdd",
				"%s is %q, where the loop keeps no file", name, path)
		}
	}
	if h.viewPath() == h.progressPath() {
		return nil, hint.New("name two files", "SDD_STATE_FILE and SDD_PROGRESS_FILE are both %s",
			h.relative(h.viewPath()))
	}
	text, there := safefile.Read(h.viewPath(), maxTaskFile)
	if !there || old != nil {
		return nil, nil
	}
	v, err := tasks.ParseView([]byte(text))
	switch {
	case err != nil:
	case v.TotalTasks == 0:
		err = errors.New("it counts no tasks")
	case v.Phase != "" && v.Phase != loop.Execution:
		return nil, hint.New("go through that phase first, or move the file away", "%s is in "+
			"phase %s; a task loop runs in phase execution", h.relative(h.viewPath()), v.Phase)
	}
	if err != nil {
		return nil, hint.New("move it away, or name another file with SDD_STATE_FILE",
			"%s is not the state file of a task loop: %w", h.relative(h.viewPath()), err)
	}
	return &v, nil
}

// imported is how far the other tool was, nil where it had done nothing or had another list.
func imported(v *tasks.View, r *loop.TaskRun) *loop.Found {
	if v == nil || v.TaskIndex == 0 || v.TotalTasks != len(r.List) || v.SpecPath != r.Spec {
		return nil
	}
	try := min(max(1, v.TaskIteration), r.MaxTries-1)
	return &loop.Found{Index: v.TaskIndex, Try: try}
}

// ledgerFeedback is the newest feedback in a ledger of the task under way, "" without any (L31).
func (h *handler) ledgerFeedback(r *loop.TaskRun) string {
	for _, path := range h.taskLedgers(r) {
		full, _ := h.ownFile(path)
		text, _ := safefile.Read(full, maxTaskFile)
		if feedback := ledger.Feedback(text); feedback != "" {
			return feedback
		}
	}
	return ""
}

// taskLedgers are the files changes/NAME/loops/implement-NN.md of the task under way: that of the
// spec's own change, or of all changes where the spec belongs to none.
func (h *handler) taskLedgers(r *loop.TaskRun) (list []string) {
	name := fmt.Sprintf("implement-%02d.md", r.Index+1)
	folders := []string{}
	if parts := strings.Split(filepath.ToSlash(r.Spec), "/"); len(parts) > 2 &&
		parts[0] == "changes" {
		folders = append(folders, parts[1])
	} else {
		folders = safefile.Names(filepath.Join(h.project, "changes"), 100)
	}
	for _, folder := range folders {
		path := filepath.Join("changes", folder, "loops", name)
		if full, ok := h.ownFile(path); ok && isFile(full) {
			list = append(list, filepath.ToSlash(path))
		}
	}
	return list
}

// current is the task under way as the progress file names it.
func current(run *loop.Budget) string {
	r := run.Tasks
	switch {
	case r.Complete():
		return "(none)"
	case r.PRStep():
		return "Open the pull request"
	}
	return fmt.Sprintf("Task %d: %s", r.Index, r.List[r.Index].Title)
}

// viewOf is the run as the fourteen fields of the specification have it.
func viewOf(run *loop.Budget, now time.Time) tasks.View {
	r := run.Tasks
	v := tasks.View{
		LinearIssue: r.Issue, Phase: r.Phase, TaskIndex: r.Index, TotalTasks: len(r.List),
		TaskIteration: r.Try, MaxTaskIterations: r.MaxTries, GlobalIteration: run.IterationsUsed,
		MaxGlobalIterations: run.Ceilings.Iterations, ExecutionMode: r.Mode, GatesPassed: r.Passed,
		SpecPath: r.Spec, CreatedAt: run.StartedAt.Format(time.RFC3339),
		LastUpdatedAt: now.Format(time.RFC3339),
	}
	if n := run.AwaitingGate(); n > 0 {
		v.AwaitingGate = &n
	}
	return v
}

// exclude has git leave the two files alone in this clone. The repository's own .gitignore stays as
// it is (T15).
func (h *handler) exclude() error {
	ctx, cancel := context.WithTimeout(context.Background(), gitTime)
	defer cancel()
	path := tracker.ExcludeFile(ctx, h.project)
	if path == "" {
		return nil
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(h.project, path)
	}
	text, _ := safefile.Read(path, maxTaskFile)
	var add string
	for _, file := range []string{h.viewPath(), h.progressPath()} {
		line := "/" + h.inRepo(file)
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
