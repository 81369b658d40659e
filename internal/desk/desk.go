// Package desk answers what people ask of a project's loops: how they stand and why they stopped, what they did and what
// it cost, what waits, and what the tracker says. Nothing is written.
package desk

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/seal"
	"hooks/internal/store"
	"hooks/internal/tracker"
)

// Desk is where the questions are put. Now is the present, in the zone of the one who asks.
type Desk struct {
	Env func(string) string
	Now func() time.Time
}

// visit is one question in one project.
type visit struct {
	*Desk
	now     time.Time // in UTC
	project string
	files   *store.Store // nil: no state in this project
}

// visit opens the state of the project at hand, if there is any.
func (d *Desk) visit() (*visit, error) { return d.visitAt(tracker.Project(d.Env, cwd())) }

func (d *Desk) visitAt(project string) (*visit, error) {
	v := &visit{Desk: d, now: d.Now().UTC(), project: project}
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

// lost is the error of a project whose state was removed from under a loop.
func lost(seals seal.Dir, project string) error {
	records, err := seals.Of(project)
	for _, r := range records {
		for _, l := range r.Loops {
			if l.On {
				return store.Hinted(&store.ChangedError{
					Skill:   loop.Skill(l.Skill),
					Session: r.Session,
					Changes: []string{store.Dir + " is missing"},
				})
			}
		}
	}
	return err
}

// cwd is where a command was typed.
func cwd() string {
	dir, _ := os.Getwd()
	return dir
}

// thread is one skill's run as it stands on disk.
type thread struct {
	skill loop.Skill
	store.State
}

// each shows the present runs of the skills. Damaged files are reported together, and the rest is shown all the same.
func (v *visit) each(skills []loop.Skill, show func(*thread) error) error {
	var errs []error
	for _, skill := range skills {
		s, err := v.files.Load(skill)
		for _, c := range v.files.Changed(skill) {
			errs = append(errs, store.Hinted(c.Err))
		}
		if errs = append(errs, store.Hinted(err)); s.Budget != nil {
			errs = append(errs, show(&thread{skill, s}))
		}
	}
	return errors.Join(errs...)
}

// alive says that somebody goes on with a run: its session is open, and its client is not known to be dead.
func alive(b *loop.Budget) bool { return !b.OwnerLeft && proc.Of(b.Owner) != loop.Dead }
