package inspect

import (
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/store"
)

// Tasks is the list of the project's task loop; the zero list if it has none.
func (d *Inspector) Tasks() (report.TaskList, error) {
	list := report.NewTaskList(report.Stand{}, nil)
	err := d.ask(func(v *question) error {
		return v.each([]loop.Skill{loop.Tasks}, func(l *loopState) error {
			last, err := lastAttempts(v.files, l)
			list = report.NewTaskList(v.stand(l), last)
			return err
		})
	})
	return list, err
}

// lastAttempts are the newest history lines of the tasks at which the run has tried.
func lastAttempts(files *store.Store, l *loopState) (report.TaskLast, error) {
	last, tried := report.TaskLast{}, 0
	if l.Budget.Tasks == nil {
		return last, nil
	}
	for _, item := range l.Budget.Tasks.List {
		if item.Tries > 0 {
			tried++
		}
	}
	_, err := files.Last(l.skill, func(line *loop.Iteration) bool {
		if t := line.Task; t != nil && line.Of(l.Budget.RunID) && last[t.Task] == nil {
			last[t.Task] = t
		}
		return len(last) >= tried
	})
	return last, err
}
