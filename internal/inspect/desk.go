// Package inspect answers people's questions about a project's loops: how they stand and why they
// stopped, what they did and cost, which questions wait, and what the tracker says. Nothing is
// written.
package inspect

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

// Desk takes the questions. Now is the present, in the zone of whoever asks.
type Desk struct {
	Env func(string) string
	Now func() time.Time
}

// visit is one question in one project.
type visit struct {
	*Desk
	now     time.Time // in UTC
	project string
	files   *store.Store // nil if the project has no state
}

// loopState is one skill's run as it is on disk.
type loopState struct {
	skill loop.Skill
	store.State
}

// Project is the folder that the questions are about.
func (d *Desk) Project() string { return tracker.Project(d.Env, cwd()) }

// ask opens the state of the current project for a question, if it has any.
func (d *Desk) ask(question func(*visit) error) error {
	v, err := d.visit(d.Project())
	if err != nil || v.files == nil {
		return err
	}
	defer v.files.Close()
	return question(v)
}

func (d *Desk) visit(project string) (*visit, error) {
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

// lost is the error of a project whose state was removed while a loop was on.
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

// each shows the present runs of the skills. An error in one does not stop the others; errors are
// joined.
func (v *visit) each(skills []loop.Skill, show func(*loopState) error) error {
	var errs []error
	for _, skill := range skills {
		s, err := v.files.Load(skill)
		for _, c := range v.files.Changed(skill) {
			errs = append(errs, store.Hinted(c.Err))
		}
		if errs = append(errs, store.Hinted(err)); s.Budget != nil {
			errs = append(errs, show(&loopState{skill, s}))
		}
	}
	return errors.Join(errs...)
}

// alive reports whether a run can continue: its session is open, and its client may be running.
func alive(b *loop.Budget) bool { return !b.OwnerLeft && proc.Of(b.Owner) != loop.Dead }
