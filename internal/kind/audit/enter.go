package audit

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"hooks/internal/hint"
	"hooks/internal/loop"
)

// enter reads the plan of a fresh run, or resumes the existing run.
func enter(s *loop.Setup) (fresh loop.Fresh, said string, err error) {
	old, flags, cmd := s.Old(), s.Flags, s.Command.Name
	named := len(flags.Rest) > 0
	if old != nil {
		flags.DefaultIterations(Iterations(len(Of(old).Sections)))
	}
	switch {
	case s.Fed && old != nil:
		// the repeated command need not name the plan
		flags.Rest = []string{Of(old).Plan}
		return fresh, "", nil
	case old != nil && old.Drives(*flags):
		return fresh, "", nil
	case flags.Restart, flags.Resume && !named:
		return fresh, "", mayRestart(s, old)
	case flags.Resume && old != nil && !loop.Completes(old.StopCause):
		return fresh, "", nil
	case !named:
		return fresh, "", hint.New("name the plan, as in `/"+cmd+" docs/plan.md`, or continue "+
			"the last run with `--restart`", "/%s names no plan", cmd)
	}
	run, plan, err := newRun(s)
	if err != nil {
		return fresh, "", err
	}
	fresh.Own, fresh.Plan = run, plan
	fresh.LeftOut, err = s.Preflight(run.Worktree, flags.Task)
	return fresh, "", err
}

// mayRestart sets the flags that resume the run on disk. It returns an error if the run cannot
// continue (A4–A11).
func mayRestart(s *loop.Setup, old *loop.Budget) error {
	switch {
	case old == nil:
		return hint.New("start one with `/"+s.Command.Name+" PLAN`",
			"there is no audit loop to continue here")
	case loop.Completes(old.StopCause): // A7
		return hint.New("start a new one with `/"+s.Command.Name+" PLAN`",
			"the audit of %s is complete and cannot be continued", Of(old).Plan)
	}
	r := Of(old)
	at := s.Worktree(r.Worktree)
	if at == "" {
		return hint.New(fmt.Sprintf("run `git worktree add %s %s`", r.Worktree, r.Branch),
			"the run's worktree %s is gone", r.Worktree)
	}
	if s.Worktree(s.Cwd) != at {
		return hint.New("start the client in "+r.Worktree+", then type the command there",
			"the run's worktree is %s, but this session is in %s", r.Worktree, s.Cwd)
	}
	s.Flags.Resume, s.Flags.Rest = true, []string{r.Plan}
	return nil
}

// newRun reads the plan of a fresh run. An audit runs only in a linked worktree, so that nothing
// else changes its tree (A34).
func newRun(s *loop.Setup) (*Run, []byte, error) {
	flags := s.Flags
	if err := loop.OnlyOne("plan", flags.Rest); err != nil {
		return nil, nil, err
	}
	if flags.Lock != "" || flags.BudgetFile != "" { // only runs of older versions may have them
		return nil, nil, hint.New("leave them out; an audit loop has its own worktree",
			"an audit loop does not accept --lock or --budget-file")
	}
	top := s.Worktree(s.Cwd)
	if top == "" {
		name := strings.TrimSuffix(path.Base(flags.Rest[0]), path.Ext(flags.Rest[0]))
		way := fmt.Sprintf("start the client with `claude -w %s` and type `/%s %s` there", name,
			s.Command.Name, s.Command.Args)
		if s.Terminal {
			way = fmt.Sprintf("run `git worktree add ../%s && cd ../%[1]s && hooks go audit %s`",
				name, flags.Rest[0])
		}
		return nil, nil, hint.New(way, "an audit loop runs in a linked git worktree, but %s is "+
			"not one", s.Cwd)
	}
	f := flags.Task
	if f.Check != "" && s.Model {
		return nil, nil, hint.New("ask a person to type the command",
			"--check names a command that the hooks run, so only a person may type it")
	}
	r := &Run{
		Plan: flags.Rest[0], Phase: Coding, Worktree: top,
		Drive: cmp.Or(f.Drive, loop.DriveStop), Check: f.Check,
		CheckMinutes: cmp.Or(f.Minutes, loop.CheckMinutes),
	}
	if skill, prompt, push := s.PostAction(); skill != "" || prompt != "" {
		r.Post = &Post{Skill: skill, Prompt: prompt, Push: push}
	}
	text, missing, err := s.Read(top, "plan", r.Plan)
	switch {
	case missing:
		return nil, nil, hint.New("commit it on this branch; for a new worktree of `claude -w`, "+
			"push it to the remote's default branch before", "%w", err)
	case err != nil:
		return nil, nil, err
	}
	_, list, err := Split(string(text))
	if err != nil {
		return nil, nil, hint.New("a section begins with a line <!-- section -->", "%s: %w", r.Plan,
			err)
	}
	for _, s := range list {
		r.Sections = append(r.Sections, s.Title)
	}
	r.PlanSum = loop.Digest(text)
	flags.DefaultIterations(Iterations(len(list)))
	return r, text, nil
}
