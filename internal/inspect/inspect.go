// Package inspect answers people's questions about a project's loops: their state and why they
// stopped, their history and cost, the questions that wait, and the tracker's facts. It writes
// nothing to the project.
package inspect

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"hooks/internal/config"
	"hooks/internal/hint"
	"hooks/internal/kind/audit"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/safefile"
	"hooks/internal/seal"
	"hooks/internal/store"
	"hooks/internal/tracker"
	"hooks/internal/usage"
)

// Inspector answers the questions. Now returns the current time in the reader's time zone.
type Inspector struct {
	Env func(string) string
	Now func() time.Time
	// Everywhere extends the answers to every project of this machine that the user's state
	// directory knows. A project whose folder or state is gone has no loops.
	Everywhere bool
}

// question is one question in one project.
type question struct {
	*Inspector
	now     time.Time // in UTC
	project string
	files   *store.Store // nil if the project has no state
}

// loopState is one skill's run. A present run includes the usage since its last save.
type loopState struct {
	skill loop.Skill
	store.State
	saved *loop.Budget // the run on disk
	head  string       // HEAD of an audit's worktree, "" if unknown
	since loop.Spent   // usage of a present run since it was last saved
	notes []string     // usage that could not be counted
	// changed has a line for each file that differs from its record.
	changed []string
}

// stale reports whether the run is an audit whose last verdict refers to a commit other than HEAD.
func (l *loopState) stale() bool {
	return audit.Of(l.Budget) != nil && audit.Of(l.Budget).Verdict.Stale(l.head)
}

// open reports whether an iteration of the run is open.
func (l *loopState) open() bool { return l.Tick != nil && l.Tick.RunID == l.Budget.RunID }

// spent returns the dollars of the open iteration so far, or 0 if no iteration is open.
func (l *loopState) spent() loop.USD {
	if !l.open() {
		return 0
	}
	return loop.Sum(l.since.ByModel).Dollars
}

// stored returns a run as it is on disk, with the HEAD of its worktree if it is an audit.
func stored(skill loop.Skill, s store.State) *loopState {
	l := &loopState{skill: skill, State: s, saved: s.Budget}
	if r := audit.Of(s.Budget); r != nil && r.Verdict != nil {
		l.head, _ = tracker.Commit(context.Background(), r.Worktree, "HEAD")
	}
	return l
}

// present returns a run with its usage since the last save.
func (v *question) present(skill loop.Skill, s store.State) *loopState {
	l := stored(skill, s)
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

// Project returns the folder of the current project.
func (d *Inspector) Project() string { return tracker.Project(d.Env, cwd()) }

// ask calls ask for the current project, or with Everywhere for every project, ordered by the last
// change. An error in one does not stop the others; errors are joined.
func (d *Inspector) ask(ask func(*question) error) error {
	if !d.Everywhere {
		return d.askIn(d.Project(), ask)
	}
	projects, err := seal.At(seal.Home(d.Env)).Projects()
	errs := []error{store.Hinted(err)}
	changed := map[string]time.Time{}
	for _, p := range projects {
		if info, err := os.Stat(filepath.Join(p, store.Dir)); err == nil {
			changed[p] = info.ModTime()
		}
	}
	slices.SortStableFunc(projects, func(a, b string) int { return changed[a].Compare(changed[b]) })
	for _, p := range projects {
		if err := d.askIn(p, ask); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", p, err))
		}
	}
	return errors.Join(errs...)
}

// askTrees is like ask, but in a main checkout it includes the linked worktrees. The error also
// names the audits of worktrees that were removed.
func (d *Inspector) askTrees(ask func(*question) error) error {
	errs, project := []error{d.ask(ask)}, d.Project()
	if _, linked := tracker.LinkedWorktree(project); linked || d.Everywhere {
		return errs[0]
	}
	ctx := context.Background()
	trees := tracker.Trees(ctx, project)
	for _, tree := range trees {
		if store.Exists(tree) {
			errs = append(errs, d.askIn(tree, ask))
		}
	}
	has := func(commit string) bool {
		_, err := tracker.Commit(ctx, project, commit)
		return commit != "" && err == nil
	}
	lost := store.LostAudits(seal.At(seal.Home(d.Env)), trees, has)
	return errors.Join(append(errs, lost...)...)
}

// askIn calls ask for a project, if the project has state.
func (d *Inspector) askIn(project string, ask func(*question) error) error {
	v, err := d.in(project)
	if err != nil || v.files == nil {
		return err
	}
	defer v.files.Close()
	return ask(v)
}

func (d *Inspector) in(project string) (*question, error) {
	v := &question{Inspector: d, now: d.Now().UTC(), project: project}
	seals := seal.At(seal.Home(d.Env))
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

// named returns the project if it must be named, because it is not the current project or several
// are shown. Otherwise it returns "".
func (v *question) named() string {
	if v.Everywhere || v.project != v.Project() {
		return v.project
	}
	return ""
}

// lost returns an error if the project's state was removed while a loop was active.
func lost(seals seal.Dir, project string) error {
	records, err := seals.Of(project)
	for _, r := range records {
		for _, l := range r.Loops {
			switch {
			case !l.On, l.Ended():
			case !safefile.IsDir(project):
				return hint.New("if you moved it, type `hooks loop stop` in its new place; "+
					"if you removed it, make the folder again and type it there",
					"the folder is gone, and session %s has a loop in it", r.Session)
			default:
				return hint.New("`hooks loop stop` ends it; its next event writes the files again",
					"%s is gone, and session %s has a loop in it", store.Dir, r.Session)
			}
		}
	}
	return err
}

// cwd returns the folder in which a command was typed.
func cwd() string {
	dir, _ := os.Getwd()
	return dir
}

// each calls show for the present runs of the skills. An error in one does not stop the others;
// errors are joined.
func (v *question) each(skills []loop.Skill, show func(*loopState) error) error {
	var errs []error
	for _, skill := range skills {
		s, notes, err := v.files.Look(skill)
		if errs = append(errs, store.Hinted(err)); s.Budget != nil {
			l := v.present(skill, s)
			l.changed = notes
			errs = append(errs, show(l))
		}
	}
	return errors.Join(errs...)
}

// alive reports whether a run can continue: its session is open, and its client may be running.
func alive(b *loop.Budget) bool { return !b.OwnerLeft && proc.Of(b.Owner) != loop.Dead }
