package desk

import (
	"slices"

	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/store"
)

// Runs lists the runs of these skills in the project, the newest first: the present ones, and those in the archive.
func (d *Desk) Runs(skills []loop.Skill) (list []loop.Budget, present int, err error) {
	list = []loop.Budget{}
	v, err := d.visit()
	if err != nil || v.files == nil {
		return list, 0, err
	}
	defer v.files.Close()
	err = v.everyRun(func(_ *store.Store, t *thread, here bool) {
		if !slices.Contains(skills, t.skill) {
			return
		}
		if list = append(list, *t.Budget); here {
			present++
		}
	})
	return list, present, err
}

// everyRun shows every run that has a budget once, the present ones first, then the archive from its newest. A run that
// was taken up again after its archiving was cut off lies in both.
func (v *visit) everyRun(show func(files *store.Store, t *thread, present bool)) error {
	shown := map[string]bool{}
	in := func(files *store.Store, present bool) {
		for _, skill := range loop.Skills() {
			runs, _ := files.Runs(skill)
			for _, s := range runs {
				if !shown[s.Budget.RunID] {
					shown[s.Budget.RunID] = s.Budget.RunID != ""
					show(files, &thread{skill, s}, present)
				}
			}
		}
	}
	in(v.files, true)
	ids, err := v.files.Archives()
	if err != nil {
		return err
	}
	slices.Reverse(ids)
	return v.archived(ids, func(files *store.Store) error {
		in(files, false)
		return nil
	})
}

// inOrder opens the archived runs from the oldest, then the present state.
func (v *visit) inOrder(read func(*store.Store) error) error {
	ids, err := v.files.Archives()
	if err != nil {
		return err
	}
	if err := v.archived(ids, read); err != nil {
		return err
	}
	return read(v.files)
}

// archived opens archived runs one after the other, until one cannot be read.
func (v *visit) archived(ids []string, read func(*store.Store) error) error {
	for _, id := range ids {
		files, err := v.files.Archived(id)
		if err != nil {
			return err
		}
		err = read(files)
		files.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

func noRun(id string) error {
	return hint.New("the runs are listed by `hooks loop list`", "there is no run %q", id)
}
