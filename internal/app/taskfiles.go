package app

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/natefinch/atomic"

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
	if full, ok := h.ownFile(h.Env(variable)); ok && h.Env(variable) != "" {
		return full
	}
	return filepath.Join(h.project, name)
}

// publish writes what people and workers see of a task loop: the view, the progress file, and its
// copy. All of it follows from the run, so an error costs nothing but a later look (T16, T32–T36).
func (h *handler) publish(run *loop.Budget, line *loop.Iteration) error {
	r := run.Tasks
	before := h.files.Progress()
	text, there := safefile.Read(h.progressPath(), maxTaskFile)
	now := []byte(text)
	switch {
	case !there && before != nil:
		now = before // lost: the copy brings it back (T82)
	case !there:
		now = tasks.NewProgress(r.Goal, r.Issue)
		h.slip(h.exclude())
	case before != nil:
		now = tasks.Restore(before, now)
	}
	if line != nil && line.Task != nil && line.Task.Task <= len(r.List) {
		j := line.Task.Judgement
		if j.Verdict == loop.Verified || j.Verdict == loop.Claimed {
			took := line.EndedAt.Sub(line.StartedAt)
			sha := j.SHA
			if r.List[line.Task.Task-1].NoCommit && len(sha) == 0 {
				sha = ""
			}
			now = tasks.Completed(now, tasks.DoneLine(line.Task.Task-1, line.Task.Title, sha, took))
		}
		if j.Verdict == loop.Flagged { // the gate and the history have the text (T37)
			now = tasks.ClearFlagged(now)
		}
	}
	now = tasks.SetCurrent(now, current(run))
	if !there || !bytes.Equal(now, []byte(text)) {
		if err := atomic.WriteFile(h.progressPath(), bytes.NewReader(now)); err != nil {
			return fmt.Errorf("write progress file: %w", err)
		}
	}
	if err := h.files.KeepProgress(now); err != nil {
		return err
	}
	view := viewOf(run, h.now).Text()
	if err := atomic.WriteFile(h.viewPath(), bytes.NewReader(view)); err != nil {
		return fmt.Errorf("write state view: %w", err)
	}
	return nil
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
