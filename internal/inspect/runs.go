package inspect

import (
	"errors"
	"slices"

	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/store"
)

// Runs lists the runs of these skills in the project, the newest first: those that are present, of
// its linked worktrees too, then the archived ones. trees are their places by run.
func (d *Inspector) Runs(skills []loop.Skill) (
	list []loop.Budget, present int, trees map[string]report.Tree, err error,
) {
	list, trees = []loop.Budget{}, map[string]report.Tree{}
	err = d.askTrees(func(v *question) error {
		return v.everyRun(func(_ *store.Store, l *loopState, here bool) error {
			switch {
			case !slices.Contains(skills, l.skill), !here && v.named() != "":
			case here:
				list = slices.Insert(list, present, *l.Budget)
				trees[l.Budget.RunID] = report.Tree{Path: v.named(), Head: l.head}
				present++
			default:
				list = append(list, *l.Budget)
				trees[l.Budget.RunID] = report.Tree{Head: l.head}
			}
			return nil
		})
	})
	return list, present, trees, err
}

// everyRun shows every run that has a budget once, the newest first. A run that was resumed after
// its archiving was interrupted is both present and archived.
func (v *question) everyRun(show func(files *store.Store, l *loopState, present bool) error) error {
	shown := map[string]bool{}
	return v.folders(true, func(files *store.Store, present bool) error {
		var errs []error
		for _, skill := range loop.Skills() {
			runs, _ := files.Runs(skill)
			for _, s := range runs {
				if id := s.Budget.RunID; !shown[id] {
					shown[id] = id != ""
					l := stored(skill, s)
					if present {
						l = v.present(skill, s)
					}
					errs = append(errs, show(files, l, present))
				}
			}
		}
		return errors.Join(errs...)
	})
}

// folders opens the archived runs, the oldest first, and then the present state; or all of them in
// the opposite order. It ends at the first error.
func (v *question) folders(
	newestFirst bool, read func(files *store.Store, present bool) error,
) error {
	ids, err := v.files.Archives()
	if err != nil {
		return err
	}
	if ids = append(ids, ""); newestFirst {
		slices.Reverse(ids)
	}
	for _, id := range ids {
		if id == "" {
			err = read(v.files, true)
		} else if files, openErr := v.files.Archived(id); openErr != nil {
			err = openErr
		} else {
			err = read(files, false)
			files.Close()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func noRun(id string) error {
	return hint.New("the runs are listed by `hooks loop list`", "there is no run %q", id)
}
