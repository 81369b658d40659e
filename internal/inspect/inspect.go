// Package inspect answers people's questions about a project's loops: their state and why they
// stopped, their history and cost, their pending questions, and the tracker's facts. It writes
// nothing to the project.
package inspect

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"time"

	"hooks/internal/config"
	"hooks/internal/hint"
	"hooks/internal/kind"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/seal"
	"hooks/internal/store"
	"hooks/internal/tracker"
	"hooks/internal/usage"
)

// Inspector answers questions about loops. Now returns the current time in the reader's time zone.
type Inspector struct {
	Env func(string) string
	Now func() time.Time
	// Everywhere extends the answers to every project on this machine recorded in the user's state
	// directory. A project whose folder or state is gone has no loops.
	Everywhere bool
}

// walk collects the errors that occur while it answers one question, so that an error in one loop
// or project does not hide the others.
type walk struct {
	*Inspector
	here string // the current project
	errs []error
}

// question is a question about one project at one time.
type question struct {
	*walk
	now     time.Time // in UTC
	project string
	files   *store.Store // nil if the project has no state
}

// loopState is one skill's run. A present run includes the usage since its last save.
type loopState struct {
	*question
	files   *store.Store // where the run is stored: the project's state or an archive folder
	present bool         // the run is not archived
	store.State
	saved *loop.Budget // the run as stored on disk
	head  string       // HEAD of an audit's worktree, "" if unknown
	since loop.Spent   // usage of a present run since it was last saved
	notes []string     // usage that could not be counted
	// changed describes how the run's files differ from their record, or is "".
	changed string
}

// open reports whether an iteration of the run is open.
func (l *loopState) open() bool { return l.Tick != nil && l.Tick.RunID == l.Budget.RunID }

// last returns the run's newest history line accepted by keep, or nil.
func (l *loopState) last(keep func(*loop.Iteration) bool) (*loop.Iteration, error) {
	return l.files.Last(l.Skill, func(line *loop.Iteration) bool {
		return line.Of(l.Budget.RunID) && keep(line)
	})
}

// run returns a run stored in files, which is the project's state or an archive folder. For an
// audit, it adds the worktree's HEAD; for a present run, the usage since the last save.
func (v *question) run(files *store.Store, s store.State) *loopState {
	l := &loopState{question: v, files: files, present: files == v.files, State: s,
		saved: s.Budget}
	if a := s.Budget.Attempts(); a.Audited != "" {
		l.head, _ = tracker.Commit(context.Background(), a.Root, "HEAD")
	}
	if !l.present {
		return l
	}
	var slips []string
	counted := func(path string) []loop.Cursor {
		cursors, err := v.files.Counted(s.Budget, path, usage.Uncounted(path, s.Budget.Cursors))
		if err != nil {
			slips = append(slips, err.Error())
		}
		return cursors
	}
	table := usage.NewTable(config.Of(s.Budget.Config, v.project).Rates)
	p := usage.Now(s.Budget, s.Tick, alive(s.Budget), counted, table, v.now)
	l.Budget, l.since, l.notes = p.Run, p.Since, append(p.Notes, slips...)
	if p.Tick != nil {
		l.Tick = p.Tick
	}
	return l
}

// Project returns the current project's folder.
func (d *Inspector) Project() string { return tracker.Project(d.Env, cwd()) }

func (d *Inspector) walk() *walk { return &walk{Inspector: d, here: d.Project()} }

// note records an error in a project. With Everywhere, it adds the project's path.
func (w *walk) note(project string, err error) {
	if err != nil && w.Everywhere {
		err = fmt.Errorf("%s: %w", project, err)
	}
	w.errs = append(w.errs, err)
}

func (w *walk) err() error { return errors.Join(w.errs...) }

// projects returns the current project and, if that is a main checkout, its linked worktrees that
// have state. It records an error for each unfinished run whose worktree was removed. With
// Everywhere, it instead returns every recorded project, the most recently changed one last.
func (w *walk) projects() []string {
	seals := seal.At(seal.Home(w.Env))
	if w.Everywhere {
		projects, err := seals.Projects()
		w.errs = append(w.errs, store.Hinted(err))
		changed := map[string]time.Time{}
		for _, p := range projects {
			if info, err := os.Stat(filepath.Join(p, store.Dir)); err == nil {
				changed[p] = info.ModTime()
			}
		}
		slices.SortStableFunc(projects,
			func(a, b string) int { return changed[a].Compare(changed[b]) })
		return projects
	}
	if _, linked := tracker.LinkedWorktree(w.here); linked {
		return []string{w.here}
	}
	ctx := context.Background()
	trees := tracker.Trees(ctx, w.here)
	has := func(commit string) bool {
		_, err := tracker.Commit(ctx, w.here, commit)
		return commit != "" && err == nil
	}
	w.errs = append(w.errs, store.LostRuns(seals, trees, has)...)
	return append([]string{w.here}, slices.DeleteFunc(trees,
		func(tree string) bool { return !store.Exists(tree) })...)
}

// in opens a project's state. If the project has none, the question has no files.
func (w *walk) in(project string) (*question, error) {
	v := &question{walk: w, now: w.Now().UTC(), project: project}
	seals := seal.At(seal.Home(w.Env))
	files, err := store.Open(project)
	if errors.Is(err, fs.ErrNotExist) {
		return v, lost(seals, project)
	}
	if err != nil {
		return v, err
	}
	files.Seal(seals, proc.Boot)
	v.files = files
	return v, nil
}

// each yields the projects that have state.
func (w *walk) each(projects []string) iter.Seq[*question] {
	return func(yield func(*question) bool) {
		for _, p := range projects {
			v, err := w.in(p)
			w.note(p, err)
			if v.files == nil {
				continue
			}
			more := yield(v)
			v.files.Close()
			if !more {
				return
			}
		}
	}
}

// loops yields the present runs of the skills in the projects.
func (w *walk) loops(projects []string, skills []loop.Skill) iter.Seq[*loopState] {
	return func(yield func(*loopState) bool) {
		for v := range w.each(projects) {
			for _, skill := range skills {
				s, note, err := v.files.Look(skill)
				w.note(v.project, store.Hinted(err))
				if s.Budget == nil {
					continue
				}
				l := v.run(v.files, s)
				l.changed = note
				if !yield(l) {
					return
				}
			}
		}
	}
}

// runs yields every run that has a budget, project by project, newest first. It yields a run only
// once, even if an interrupted archiving left it both present and archived.
func (w *walk) runs() iter.Seq[*loopState] {
	return func(yield func(*loopState) bool) {
		for v := range w.each(w.projects()) {
			shown := map[string]bool{}
			for files := range v.folders(true) {
				for _, skill := range kind.Skills() {
					s, _ := files.LoadRun(skill)
					if s.Budget == nil || shown[s.Budget.RunID] {
						continue
					}
					shown[s.Budget.RunID] = s.Budget.RunID != ""
					if s.Tick != nil && s.Tick.RunID != s.Budget.RunID {
						s.Tick = nil
					}
					if !yield(v.run(files, s)) {
						return
					}
				}
			}
		}
	}
}

// folders yields the folders of the archived runs, oldest first, and then the present state. If
// newestFirst is set, the order is reversed.
func (v *question) folders(newestFirst bool) iter.Seq[*store.Store] {
	return func(yield func(*store.Store) bool) {
		ids, err := v.files.Archives()
		v.note(v.project, err)
		if ids = append(ids, ""); newestFirst {
			slices.Reverse(ids)
		}
		for _, id := range ids {
			files, err := v.files, error(nil)
			if id != "" {
				files, err = v.files.Archived(id)
			}
			if err != nil {
				v.note(v.project, err)
				continue
			}
			more := yield(files)
			if id != "" {
				files.Close()
			}
			if !more {
				return
			}
		}
	}
}

// named returns the project if it is not the current project or if several are shown, and ""
// otherwise.
func (v *question) named() string {
	if v.Everywhere || v.project != v.here {
		return v.project
	}
	return ""
}

// lost returns an error if the project's state was removed before a loop in it had ended.
func lost(seals seal.Dir, project string) error {
	records, err := seals.Of(project)
	for _, r := range records {
		for _, l := range r.Loops {
			if l.On && !l.Ended() {
				return hint.New("end it with `hooks loop stop` in the project; "+
					"if the project's folder is gone too, create it first",
					"%s is gone, but the loop of session %s has not ended", store.Dir, r.Session)
			}
		}
	}
	return err
}

// cwd returns the current working directory, or "" if it is unknown.
func cwd() string {
	dir, _ := os.Getwd()
	return dir
}

// alive reports whether a run can continue: its session is open, and its client may be running.
func alive(b *loop.Budget) bool { return !b.OwnerLeft && proc.Of(b.Owner) != loop.Dead }
