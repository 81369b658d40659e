package app

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hooks/internal/attempt"
	"hooks/internal/event"
	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/safefile"
	"hooks/internal/store"
	"hooks/internal/tracker"
)

// entered stores the run's plan if the entry began the run. It publishes the run's files if the
// entry began or resumed the run.
func (e *entry) entered(reply event.Reply) event.Reply {
	if e.asks.Plan != nil && !reply.Blocks() {
		e.sideError(e.files.KeepCopy(e.Skill, store.PlanCopy, e.asks.Plan))
	}
	run := e.Budget
	if !run.Attempts().Publishes || run.SessionID != e.ev.SessionID {
		return reply
	}
	note, err := e.publish(run, nil)
	e.sideError(err)
	e.sideError(e.withStateLock(func() error {
		return e.theirs().Queue(e.files, run.Own.(loop.Publisher).Begins(run, e.feeding))
	}))
	return reply.Say(note)
}

// publish writes the run's files for people and workers: the view, the progress file and its
// copy. All are derived from the run, so an error only delays them (T16, T32–T36).
//
// note reports that another program changed the view. Otherwise it is "" (T98).
func (h *handler) publish(run *loop.Budget, line *loop.Iteration) (note string, err error) {
	p, before := run.Own.(loop.Publisher), h.files.Copy(run.Skill, store.ProgressCopy)
	text, there, err := keptFile(h.progressPath())
	if err != nil {
		return "", err
	}
	if before == nil {
		h.sideError(h.exclude())
	}
	if there && before == nil && !run.Attempts().Imports { // left by an earlier run
		if err := h.files.KeepForeign(string(run.Skill)+".progress.md", text); err != nil {
			return "", err
		}
	}
	j := line.Judged()
	now := p.Progress(text, before, j != nil && j.Verdict == attempt.Flagged)
	if !there || !bytes.Equal(now, text) {
		if err := h.files.Publish(h.progressPath(), now); err != nil {
			return "", fmt.Errorf("write progress file: %w", err)
		}
	}
	if err := h.files.KeepCopy(run.Skill, store.ProgressCopy, now); err != nil {
		return "", err
	}
	return h.publishView(run, p.View(run, h.now))
}

// publishView writes the view. It first archives a view that another tool wrote.
func (h *handler) publishView(run *loop.Budget, view []byte) (note string, err error) {
	old, there, err := keptFile(h.viewPath())
	kept := h.files.Copy(run.Skill, store.ViewCopy)
	written := len(old) > 0 && (bytes.HasPrefix(kept, old) || bytes.HasSuffix(kept, old))
	switch {
	case err != nil:
	case !there || written:
	case kept != nil:
		note = fmt.Sprintf("%s was changed by hand; the change is ignored, because the file is a "+
			"view; use `hooks gate answer`, or %s --resume with other flags",
			h.relative(h.viewPath()), run.Kind().Invoked())
	default:
		err = h.files.KeepForeign(string(run.Skill)+".view.json", old)
	}
	if err == nil {
		err = h.files.KeepCopy(run.Skill, store.ViewCopy, slices.Concat(view, old))
	}
	if err == nil {
		err = h.files.Publish(h.viewPath(), view)
	}
	if err != nil {
		return "", fmt.Errorf("write state view: %w", err)
	}
	return note, nil
}

// ownView returns the path and contents of the human-readable state file; text is nil if the file
// does not exist. It returns an error if a run may not write this file or the progress file.
func (h *handler) ownView() (path string, text []byte, err error) {
	for _, name := range []string{"SDD_STATE_FILE", "SDD_PROGRESS_FILE"} {
		path := h.Env(name)
		if path != "" && !h.usable(path) {
			return "", nil, hint.New("name a file in the project, outside .git and .sdd",
				"%s is %q, where the loop may not write a file", name, path)
		}
		if path != "" && len(tracker.Committed(h.ctx, h.project, path)) > 0 {
			return "", nil, hint.New("name a file that is not committed",
				"%s is %q, a committed file that the loop would rewrite", name, path)
		}
	}
	text, _, err = keptFile(h.viewPath())
	_, _, unread := keptFile(h.progressPath())
	return h.relative(h.viewPath()), text, cmp.Or(err, unread)
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
