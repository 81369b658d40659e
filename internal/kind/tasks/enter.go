package tasks

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"hooks/internal/hint"
	"hooks/internal/loop"
)

// defaultTries is the default number of attempts at a task (T20).
const defaultTries = 5

// enter reads the spec and task list of a fresh run, or resumes the existing run.
func enter(s *loop.Setup) (fresh loop.Fresh, said string, err error) {
	flags := s.Flags
	if s.Fed { // ignore later changes to the environment
		*flags = loop.Flags{Ceilings: flags.Ceilings, Lock: flags.Lock, Resume: true,
			BudgetFile: flags.BudgetFile}
		return fresh, "", nil
	}
	if flags.Task.Drive == loop.DriveProcess && !s.Driven {
		return fresh, "", hint.New(fmt.Sprintf("leave `--drive` out to let `/%s` run the tasks "+
			"in this session, or run `hooks go` in your own terminal", s.Command.Name),
			"only `hooks go` may set --drive process, and it did not start this session")
	}
	n, err := envNumber(s, "SDD_MAX_GLOBAL_ITER", 0)
	if err != nil {
		return fresh, "", err
	}
	if n > 0 {
		flags.DefaultIterations(n)
	}
	old := s.Old()
	found, err := foreignView(s, old)
	if err != nil {
		return fresh, "", err
	}
	named := len(flags.Rest) > 0 || flags.Task.List != ""
	spec := strings.Join(flags.Rest, "")
	if !named && old == nil && found != nil {
		spec, named = found.SpecPath, true
	}
	switch {
	case old != nil && old.Drives(*flags):
		return fresh, "", nil
	case old != nil && (flags.Resume || !named && !Of(old).Complete()):
		flags.Resume = true
		return fresh, "", mayRetune(s, Of(old), flags.Task)
	case !named:
		return fresh, "", hint.New("name the spec: run `/sdd:go docs/spec.md` in a session, or "+
			"`hooks go docs/spec.md` in a terminal",
			"/%s names no spec, and there is no task loop to resume", s.Command.Name)
	}
	run, err := newRun(s, spec)
	if err != nil {
		return fresh, "", err
	}
	if run.Mode == Pair || run.Mode == Swarm {
		return fresh, fmt.Sprintf("Mode %s: the loop is disabled and allows every Stop. Nothing "+
			"was recorded.", run.Mode), nil
	}
	if old == nil {
		run.Import = imported(found, run)
	}
	fresh.Own = run
	fresh.LeftOut, err = s.Preflight(s.Project, flags.Task)
	return fresh, "", err
}

// mayRetune returns an error if flags that no person typed change how a resumed run is judged. Even
// a person may not change the mode to pair or swarm.
func mayRetune(s *loop.Setup, r *Run, f loop.TaskFlags) error {
	changed := r.clone().Retune(f)
	if len(changed) == 0 || s.ByPerson() && f.Mode != Pair && f.Mode != Swarm {
		return nil
	}
	return hint.New("leave it out, or ask a person to type the command",
		"%s would change a run that has already begun", strings.Join(changed, ", "))
}

// newRun reads the spec and the list of a fresh run (T6, T23, T26, T97).
func newRun(s *loop.Setup, spec string) (*Run, error) {
	tries, err := envNumber(s, "SDD_MAX_TASK_ITER", defaultTries)
	if err != nil {
		return nil, err
	}
	f := s.Flags.Task
	r := &Run{Spec: spec, Try: 1, Phase: Execution, Passed: []int{},
		MaxTries: cmp.Or(f.MaxTries, tries), Dollars: f.Dollars, Require: f.Require,
		Drive: cmp.Or(f.Drive, loop.DriveStop), OpensPR: s.HasRemote(),
		CheckMinutes: cmp.Or(f.Minutes, loop.CheckMinutes)}
	if r.Check = f.Check; r.Check != "" && !s.ByPerson() {
		r.Proposed, r.Check = r.Check, ""
	}
	if err := loop.OnlyOne("spec", s.Flags.Rest); err != nil {
		return nil, err
	}
	text, _, err := s.Read(s.Project, "spec", r.Spec)
	if err != nil {
		return nil, err
	}
	front, err := ReadSpec(text)
	if err != nil {
		return nil, hint.New("fix the front matter of the spec", "%s: %w", r.Spec, err)
	}
	r.Mode = cmp.Or(f.Mode, front.Mode, Quick)
	r.Issue, r.Goal = cmp.Or(f.Issue, front.Issue), Goal(text)
	if r.List, err = r.readList(s, f.List, text); err != nil {
		return nil, err
	}
	r.ListSum = unticked(r.List).Sum
	r.Pick() // some tasks may already be done
	return r, nil
}

// readList reads the list from the named file. Without a name, it reads tasks.md next to the spec,
// or the section `## Tasks` of the spec if that file is missing.
func (r *Run) readList(s *loop.Setup, named string, spec []byte) ([]Item, error) {
	beside := path.Join(path.Dir(r.Spec), "tasks.md")
	r.ListPath = cmp.Or(named, beside)
	text, missing, err := s.Read(s.Project, "task list", r.ListPath)
	if named == "" && missing {
		r.ListPath = r.Spec
		if text = Section(spec, "## Tasks"); text == nil {
			return nil, hint.New("write the tasks as `- [ ]` lines in "+beside+
				", or name the list with `--tasks PATH`", "%s has no task list", r.Spec)
		}
	} else if err != nil {
		return nil, err
	}
	list, err := ParseList(text)
	if err != nil {
		return nil, hint.New("write each task as an unindented line `- [ ] Title`", "%s: %w",
			r.ListPath, err)
	}
	return list, nil
}

// envNumber returns the number in an environment variable, or otherwise if the variable is not set.
// It returns an error if the value is not a whole number above 1.
func envNumber(s *loop.Setup, name string, otherwise int) (int, error) {
	text := s.Env(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 2 {
		return 0, hint.New("set it to a whole number above 1, or unset it", "%s is %q", name, text)
	}
	return n, nil
}

// foreignView returns another tool's state file, or nil if there is none or a run exists. Any other
// file at that path is an error, so that it is never replaced (T74, T99).
func foreignView(s *loop.Setup, old *loop.Budget) (*View, error) {
	name, text, err := s.View()
	if err != nil || text == nil || old != nil {
		return nil, err
	}
	v, err := ParseView(text)
	switch {
	case err != nil:
	case v.TotalTasks == 0:
		err = errors.New("its totalTasks is 0")
	case v.Phase != "" && v.Phase != Execution:
		return nil, hint.New("finish that phase first, or move the file away",
			"%s is in the %s phase, but a task loop needs the execution phase", name, v.Phase)
	}
	if err != nil {
		return nil, hint.New("move it away, or name another file with SDD_STATE_FILE",
			"%s is not the state file of a task loop: %w", name, err)
	}
	return &v, nil
}

// imported returns the other tool's progress, or nil if it made none or had another list.
func imported(v *View, r *Run) *Found {
	if v == nil || v.TaskIndex == 0 || v.TotalTasks != len(r.List) || v.SpecPath != r.Spec {
		return nil
	}
	try := min(max(1, v.TaskIteration), r.MaxTries-1)
	return &Found{Index: v.TaskIndex, Try: try}
}
