package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"hooks/internal/brake"
	"hooks/internal/guard/effect"
	"hooks/internal/hint"
	"hooks/internal/kind"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/report"
	"hooks/internal/safefile"
	"hooks/internal/seal"
	"hooks/internal/store"
	"hooks/internal/tracker"
)

// openForPerson opens the state for a command that a person or one of the session's tools runs.
func (a *App) openForPerson() (*handler, error) {
	return a.openIn(tracker.Project(a.Env, a.cwd()))
}

func (a *App) openIn(project string) (*handler, error) {
	h := &handler{App: a, ctx: context.Background(), now: a.Now(), project: project}
	h.ev.SessionID = a.Env("CLAUDE_CODE_SESSION_ID")
	h.seal.Dir = seal.At(seal.Home(a.Env))
	files, err := store.Open(h.project)
	if errors.Is(err, fs.ErrNotExist) {
		if records, _ := h.seal.Of(h.project); len(records) == 0 {
			return nil, hint.New("run `hooks status --all` to see the loops of every project",
				"no loop in %s", h.project)
		}
		files, err = store.Create(h.project) // the folder was removed during a loop
	}
	if err != nil {
		return nil, err
	}
	files.Seal(h.seal.Dir, proc.Boot)
	h.files = files
	return h, nil
}

// sealedElsewhere returns an error if an active or paused run has its seal in another state
// directory. This process could not seal its own changes to the run, so they would count as damage.
func (h *handler) sealedElsewhere(b *loop.Budget) error {
	switch {
	case b == nil, b.Status != loop.Active && b.Status != loop.Paused:
		return nil
	case b.SealedIn == "", b.SealedIn == h.seal.Path():
		return nil
	}
	return hint.New("run this command as the client's user, in the client's container, "+
		fmt.Sprintf("or with HOOKS_STATE_HOME=%q", b.SealedIn),
		"the record of the %s loop is in %s, but the state directory here is %s",
		b.Skill, b.SealedIn, h.seal.Path())
}

// load returns a run for a person's command. It checks that the run matches its seal and that this
// process can seal changes.
func (h *handler) load(skill loop.Skill) (store.State, error) {
	s, err := h.tx.Recover(skill)
	if err == nil {
		err = errors.Join(h.sealedElsewhere(s.Budget), s.Unrecorded)
	}
	return s, store.Hinted(err)
}

func (a *App) cwd() string {
	dir, _ := os.Getwd()
	return dir
}

// StopLoops ends the active and paused loops for a person. A loop with an open iteration ends in
// its own session once the iteration finishes its dispatched work. Any other loop ends here (R43).
func (a *App) StopLoops(skills []loop.Skill) (string, error) {
	none := fmt.Sprintf("no loop is running or paused in %s; "+
		"`hooks status --all` shows every project", tracker.Project(a.Env, a.cwd()))
	return a.each(skills, none, (*handler).stopSkill)
}

func (h *handler) stopSkill(skill loop.Skill) (string, error) {
	s, err := h.load(skill)
	b := s.Budget
	if err != nil || b == nil || b.Status == loop.Halted {
		return "", err
	}
	h.ev.SessionID = b.SessionID
	e := loop.PersonStop{Turn: h.turn(), How: loop.ByTerminal}
	reply, err := h.decide(&s, e)
	if err == nil && s.Tick != nil {
		at := fmt.Sprintf("press Esc in its session (%s, pid %d)", b.SessionID, b.Owner.PID)
		if b.Drive() == loop.DriveProcess {
			at = "press Ctrl-C in the terminal of `hooks go`"
		}
		return fmt.Sprintf("%s: iteration %d finishes what it dispatched and then ends the loop; "+
			"nothing new is dispatched\nTo end it at once, %s", skill, s.Tick.Iteration, at), nil
	}
	if err == nil && h.out.After != nil {
		err = h.out.After()
	}
	said := reply.Said
	if len(s.Budget.Scheduled) > 0 && alive(s.Budget) {
		said += "\nhint: " + loop.StillFires
	}
	return said, store.Hinted(err)
}

// NoneRuns returns an error that names the projects with an active loop, because nothing could end
// such a loop once the hooks are removed. If project is empty, it checks all projects. A project
// does not count if its folder is gone.
func (a *App) NoneRuns(project string) (err error) {
	seals, projects := seal.At(seal.Home(a.Env)), []string{project}
	if project == "" {
		projects, err = seals.Projects()
	}
	for _, p := range projects {
		records, rerr := seals.Of(p)
		err = errors.Join(err, rerr)
		if safefile.IsDir(p) && slices.ContainsFunc(records, (*seal.Record).Runs) {
			err = errors.Join(err, hint.New("run `hooks loop stop` there, or `hooks loop "+
				"reset` if its files are damaged", "a loop in %s has not ended", p))
		}
	}
	return err
}

// RemoveLinks removes the brake's links for all sessions.
func (a *App) RemoveLinks() {
	if home := seal.Home(a.Env); home != "" {
		brake.RemoveLinks(home)
	}
}

// each calls do for every skill with the state lock held and joins the replies. If all replies
// are empty, it returns the argument none.
func (a *App) each(skills []loop.Skill, none string,
	do func(*handler, loop.Skill) (string, error)) (string, error) {
	h, err := a.openForPerson()
	if err != nil {
		return "", err
	}
	var said []string
	err = h.withStateLock(func() error {
		var errs []error // an unreadable loop does not hide the others
		for _, skill := range skills {
			text, err := do(h, skill)
			errs = append(errs, err)
			if text != "" {
				said = append(said, text)
			}
		}
		return errors.Join(errs...)
	})
	if len(said) == 0 && err == nil {
		said = append(said, none)
	}
	return strings.Join(append(said, h.files.Healed()...), "\n"), err
}

// Steer applies a person's command, such as `hooks audit accept F1`, to the project's run of a
// skill. It fails inside the agent.
func (a *App) Steer(skill loop.Skill, word, text string) (string, error) {
	kind := loop.KindOf(skill)
	if a.InAgent() {
		return "", hint.New("type it in a terminal of your own", "%s", kind.InAgent)
	}
	return a.each([]loop.Skill{skill}, "", func(h *handler, skill loop.Skill) (string, error) {
		s, err := h.load(skill)
		if err != nil {
			return "", err
		}
		by := loop.Steering{Word: word, Text: text, Now: h.now, Redact: h.config(&s).Redact}
		by.Head, _ = tracker.Commit(h.ctx, h.root(&s), "HEAD")
		said, err := kind.Steer(loop.State{Run: s.Budget, Tick: s.Tick}, by)
		if err == nil {
			_, err = h.tx.Commit(&s, loop.Save{Run: s.Budget, Tick: s.Tick})
		}
		if err != nil {
			return "", store.Hinted(err)
		}
		return said, nil
	})
}

// InAgent reports whether an agent's tool runs this command. The client sets CLAUDECODE for its
// tools. Even if a tool removes it, a run's client is still an ancestor of this process.
func (a *App) InAgent() bool {
	if a.Env("CLAUDECODE") != "" {
		return true
	}
	h, err := a.openForPerson()
	if err != nil {
		return false
	}
	inside := func(b loop.Budget) bool { return a.Inside(b.Owner) }
	return slices.ContainsFunc(kind.Skills(), func(skill loop.Skill) bool {
		s, _ := h.files.Load(skill)
		return slices.ContainsFunc(h.files.SealedBudgets(skill), inside) ||
			s.Budget != nil && inside(*s.Budget) || s.Lock != nil && a.Inside(s.Lock.Process)
	})
}

// Reset archives runs that are paused or have ended, that lost their client, or whose files are
// damaged. It fails inside the agent.
func (a *App) Reset(skills []loop.Skill) (string, error) {
	if a.InAgent() {
		return "",
			hint.New("type it in a terminal of your own",
				"loops cannot be reset from inside the agent")
	}
	return a.each(skills, "nothing to reset", (*handler).reset)
}

func (h *handler) reset(skill loop.Skill) (string, error) {
	s, _, err := h.files.Look(skill)
	if other := h.sealedElsewhere(s.Budget); other != nil {
		return "", other
	}
	b, id, of := s.Budget, "damaged-"+h.now.Format("20060102T150405"), ""
	held, lockErr := h.files.Holder(skill)
	_, unreadable := errors.AsType[*store.DamagedError](lockErr) // such a loop cannot be stopped
	reap := unreadable || held != nil && proc.Of(held.Process) == loop.Dead
	_, isNewer := errors.AsType[*store.NewerError](err)
	lost, isLost := errors.AsType[*store.ChangedError](err)
	copied, isCopy := errors.AsType[*store.CopyError](err)
	switch {
	case isNewer:
		return "", store.Hinted(err)
	case isLost && b != nil && !b.OwnerLeft && proc.Of(b.Owner) == loop.Alive:
		return "", hint.New("close that client and type the command again",
			"the client of the %s loop is still running (process %d)", skill, b.Owner.PID)
	case isLost:
		id, reap = lost.Run, held != nil || lockErr != nil
	case isCopy:
		id, of = copied.Run, ", a copy of the run in "+copied.Project
		reap = held != nil || lockErr != nil
	case b != nil && b.Status == loop.Active && alive(b) && b.Owner.PID != 0 && !unreadable:
		return "", hint.New("end it first with `hooks loop stop "+string(skill)+"`",
			"the %s loop is running in process %d", skill, b.Owner.PID)
	case b == nil && s.Tick == nil && err == nil:
		return "", nil
	case b != nil && b.RunID != "":
		id, reap = b.RunID, reap || held != nil && held.RunID == b.RunID
	}
	session, err := h.files.Hold(skill, id, alive)
	if err == nil {
		err = h.files.Archive(skill, id)
	}
	if err != nil {
		return "", fmt.Errorf("archive run: %w", err)
	}
	if reap {
		if err := h.files.Reap(skill, held); err != nil {
			return "", fmt.Errorf("reap lock: %w", err)
		}
	}
	if of == "" {
		of = "; `--resume` does not continue it"
	}
	if session != "" { // the session's client is alive
		of += fmt.Sprintf("; merges, workers and schedules stay blocked until you type "+
			"anything in session %s", session)
	}
	return fmt.Sprintf("%s: run %s is archived in %s/archive%s", skill, id, store.Dir, of), nil
}

// Raise sets the ceilings given by the flags in words, for every run of these skills that has not
// ended. A ceiling may be lowered, but not below the amount used. Raise fails inside the agent.
func (a *App) Raise(skills []loop.Skill, words string) (string, error) {
	switch {
	case a.InAgent():
		return "", hint.New("set them in a terminal of your own",
			"limits cannot be set from inside the agent")
	case words == "":
		return "", hint.New("name one, for example `hooks loop raise --max-iterations 9`",
			"no limit was given")
	}
	over := hint.New("run `hooks status --all` to see the loops of every project",
		"no loop is running or paused in this project")
	said, err := a.each(skills, "", func(h *handler, skill loop.Skill) (string, error) {
		s, err := h.load(skill)
		switch {
		case err != nil || s.Budget == nil:
			return "", err
		case s.Budget.Status == loop.Halted:
			over = hint.New("continue it with --resume "+words,
				"the %s loop has ended (%s)", skill, s.Budget.StopCause)
			return "", nil
		}
		line := words
		if loop.KindOf(skill).Commands == nil {
			line = "--loop " + words
		}
		flags, _, err := loop.ParseFlags(skill, line)
		if err != nil {
			return "", err
		}
		if flag, used := s.Budget.Below(flags, s.Tick, h.now); flag != "" {
			return "", hint.New("use at least that value, or run `hooks loop stop` to end the loop",
				"%s would be below the amount used: %s", flag, used)
		}
		h.ev.SessionID = s.Budget.SessionID
		e := loop.PersonRaise{Turn: h.turn(), Flags: flags, Words: words}
		if _, err = h.decide(&s, e); err != nil {
			return "", store.Hinted(err)
		}
		said := fmt.Sprintf("%s: %s from now on", skill, s.Budget.Limits())
		if s.Budget.Status == loop.Paused {
			said += "; continue with " + report.Resume(s.Budget, s.Elsewhere())
		}
		return said, nil
	})
	if said == "" && err == nil {
		err = over
	}
	return said, err
}

// Report merges a skill's facts into the open iteration of the caller's session and describes what
// they changed. Invalid input changes nothing.
func (a *App) Report(stdin io.Reader) (string, error) {
	raw, err := io.ReadAll(io.LimitReader(stdin, report.MaxFacts+1))
	if err != nil {
		return "", fmt.Errorf("read stdin: %w", err)
	}
	facts, err := report.Facts(raw)
	if err != nil {
		return "", err
	}
	h, err := a.openForPerson()
	if err != nil {
		return "", err
	}
	said := ""
	err = h.withStateLock(func() error {
		list, err := h.loadRuns(h.tx.State)
		if err != nil {
			return err
		}
		t, err := h.reporting(list, facts.Skill)
		if err == nil {
			said, err = h.takeFacts(t, facts, raw)
		}
		return err
	})
	return said, err
}

// reporting returns the open iteration for a report. skill is the skill in the report, or "".
func (h *handler) reporting(list []*store.State, skill loop.Skill) (*store.State, error) {
	open := selectRuns(list, h.open)
	meant := selectRuns(open, func(t *store.State) bool { return skill == "" || skill == t.Skill })
	switch {
	case len(meant) == 1:
		return meant[0], nil
	case len(meant) > 1:
		one, other := meant[0].Skill, meant[1].Skill
		return nil,
			hint.New(fmt.Sprintf(`name the skill that reports: "skill":%q or "skill":%q`, one,
				other),
				"an iteration of %s and one of %s are open", one, other)
	}
	if len(open) > 0 {
		own := open[0].Skill
		way := fmt.Sprintf(`report what this iteration did, with "skill":%q or without it`, own)
		return nil, hint.New(way,
			"the report is from %s, but the open iteration belongs to %s", skill, own)
	}
	return nil,
		hint.New("run it during an iteration, in the session that CLAUDE_CODE_SESSION_ID names",
			"session %q has no open iteration in %s", h.ev.SessionID, h.project)
}

// takeFacts records facts. If this process cannot write the seal, it leaves the facts for the next
// event.
func (h *handler) takeFacts(t *store.State, facts loop.Report, raw []byte) (string, error) {
	for _, k := range loop.Kinds {
		if k.Reported == nil {
			continue
		}
		s := loop.State{Run: t.Budget, Tick: t.Tick}
		if said, err := k.Reported(s, facts, sumOfReport(raw)); err != nil || said != "" {
			return said, err
		}
	}
	said, err := h.apply(t, facts)
	if err == nil {
		err = h.write(t, loop.Save{Run: t.Budget, Tick: t.Tick})
	}
	if errors.Is(err, seal.ErrUnwritable) {
		n := store.Note{Session: seal.FileName(h.ev.SessionID), Report: raw}
		if err = store.AppendNote(h.project, n); err != nil {
			err = fmt.Errorf("leave the report for the next event: %w", err)
		}
	}
	if err != nil {
		return "", err
	}
	return said, nil
}

// apply merges facts into the iteration in memory and describes what they change.
func (h *handler) apply(t *store.State, facts loop.Report) (string, error) {
	previous, err := h.files.Last(t.Skill, t.Budget.Worked)
	if err != nil {
		return "", err
	}
	facts.DoNotMerge(h.config(t).DoNotMerge)
	f := loop.Look(t.Budget, t.Tick, previous, h.now)
	changed := loop.Take(f, facts)
	return report.ReportAnswer(f, changed), nil
}

// takeNotes records the notes written since the session's last event. Notes report programs that
// brake links refused or let through, or facts from inside the client's sandbox.
func (h *handler) takeNotes() error {
	return h.withStateLock(func() error {
		list, err := h.loadRuns(h.tx.State)
		if err != nil {
			return err
		}
		open := selectRuns(list, h.open)
		notes, err := h.files.TakeNotes(seal.FileName(h.ev.SessionID))
		if err != nil || len(open) == 0 {
			return err
		}
		for _, n := range notes {
			h.sideError(h.takeNote(open, n))
		}
		for _, t := range open {
			if err := h.write(t, loop.Save{Run: t.Budget, Tick: t.Tick}); err != nil {
				for _, n := range notes { // keep the notes for the next event
					_ = store.AppendNote(h.project, n)
				}
				return err
			}
		}
		return nil
	})
}

func (h *handler) takeNote(open []*store.State, n store.Note) error {
	switch {
	case n.Denied != nil:
		open[0].Tick.Deny(h.denialOf(open[0], n.Denied.Tool, ruleOf(n.Denied.Rule), n.Denied.What))
	case n.Started != nil && !effect.Kind(n.Started.Kind).Merges(): // passes record merges
		for _, t := range selectRuns(open, h.addressed) {
			other, _ := h.call().Elsewhere(h.rules(t),
				effect.Act{Repo: n.Started.Repo, Cwd: n.Started.Cwd})
			t.Tick.RecordStart(loop.Effect{
				Kind: effect.Kind(n.Started.Kind), PR: max(n.Started.PR, 0),
				Label: n.Started.Label, Issue: n.Started.Issue, Elsewhere: other != "",
			})
		}
	case n.Report != nil:
		facts, err := report.Facts(n.Report)
		if err != nil {
			return err
		}
		t, err := h.reporting(open, facts.Skill)
		if err == nil {
			_, err = h.apply(t, facts)
		}
		return err
	}
	return nil
}

// ruleOf converts the rule in a link's refusal to the loop's rule.
func ruleOf(link string) string {
	switch link {
	case "unreadable":
		return loop.UnreadText
	case "sealed-record":
		return loop.StateGuard
	case loop.AuditRule:
		return link
	}
	return loop.MergeGate
}
