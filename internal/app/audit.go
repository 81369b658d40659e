package app

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"hooks/internal/config"
	"hooks/internal/event"
	"hooks/internal/guard"
	"hooks/internal/hint"
	"hooks/internal/kind/audit"
	"hooks/internal/loop"
	"hooks/internal/markdown"
	"hooks/internal/report"
	"hooks/internal/safefile"
	"hooks/internal/store"
	"hooks/internal/tracker"
	"hooks/internal/usage"
)

// maxSummary bounds the last message of a post action, in bytes (A58).
const maxSummary = 16 << 10

// auditEntry implements attempts.enter for audit loops.
func (h *handler) auditEntry(
	cmd loop.Command, flags *loop.Flags,
) (fresh freshRun, said string, err error) {
	old, named := h.runOf(audit.Name), len(flags.Rest) > 0
	if old != nil {
		flags.DefaultIterations(audit.Iterations(len(audit.Of(old).Sections)))
	}
	switch {
	case h.feeding && old != nil:
		// the command that began the run may not name the plan
		flags.Rest = []string{audit.Of(old).Plan}
		return fresh, "", nil
	case old != nil && old.Drives(*flags):
		return fresh, "", nil
	case flags.Restart, flags.Resume && !named:
		return fresh, "", h.mayRestart(cmd, old, flags)
	case flags.Resume && old != nil && !loop.Completes(old.StopCause):
		return fresh, "", nil
	case !named:
		return fresh, "", hint.New("name the plan, as in /"+cmd.Name+" docs/plan.md, or continue "+
			"the last run with --restart", "/%s names no plan", cmd.Name)
	}
	run, plan, err := h.newAudit(cmd, flags)
	if err != nil {
		return fresh, "", err
	}
	fresh.Own, fresh.plan = run, plan
	fresh.left, err = h.preflight(run.Worktree, flags.Task)
	return fresh, "", err
}

// auditEntered stores the plan as it is at the start of the run.
func (h *handler) auditEntered(fresh freshRun, reply event.Reply) event.Reply {
	if fresh.plan != nil && !reply.Blocks() {
		h.sideError(h.files.KeepPlan(audit.Name, fresh.plan))
	}
	return reply
}

// mayRestart returns an error if the run on disk cannot be resumed (A4–A11).
func (h *handler) mayRestart(cmd loop.Command, old *loop.Budget, flags *loop.Flags) error {
	switch {
	case old == nil:
		return hint.New("start one with /"+cmd.Name+" PLAN",
			"there is no audit loop to continue here")
	case loop.Completes(old.StopCause): // A7
		return hint.New("start a new one with /"+cmd.Name+" PLAN",
			"the audit of %s is complete and cannot be continued", audit.Of(old).Plan)
	}
	r := audit.Of(old)
	if _, linked := tracker.LinkedWorktree(r.Worktree); !linked || !safefile.IsDir(r.Worktree) {
		return hint.New(fmt.Sprintf("git worktree add %s %s", r.Worktree, r.Branch),
			"the worktree of the run, %s, is gone", r.Worktree)
	}
	if top, _ := tracker.LinkedWorktree(h.ev.Cwd); tracker.RealPath(top) !=
		tracker.RealPath(r.Worktree) {
		return hint.New("start the client in "+r.Worktree+", then type the command there",
			"the run's worktree is %s, but this session is in %s", r.Worktree, h.ev.Cwd)
	}
	flags.Resume, flags.Rest = true, []string{r.Plan}
	return nil
}

// newAudit reads the plan of a fresh run. An audit runs only in a linked worktree, so that nothing
// else changes its tree (A34).
func (h *handler) newAudit(cmd loop.Command, flags *loop.Flags) (*audit.Run, []byte, error) {
	if len(flags.Rest) > 1 {
		return nil, nil, hint.New("quote a path that contains spaces; the plan is one file",
			"%q is more than one plan", strings.Join(flags.Rest, " "))
	}
	if flags.Lock != "" || flags.BudgetFile != "" { // older runs may have these flags
		return nil, nil, hint.New("leave them out; an audit loop has its own worktree",
			"an audit loop takes no --lock and no --budget-file")
	}
	top, linked := tracker.LinkedWorktree(h.ev.Cwd)
	if !linked {
		name := strings.TrimSuffix(filepath.Base(flags.Rest[0]), filepath.Ext(flags.Rest[0]))
		way := fmt.Sprintf("start the client in one with: claude -w %s; there type /%s %s", name,
			cmd.Name, cmd.Args)
		if h.ev.Name == "" { // `hooks go`
			way = fmt.Sprintf("git worktree add ../%s && cd ../%[1]s && hooks go audit %s", name,
				flags.Rest[0])
		}
		return nil, nil, hint.New(way, "an audit loop runs in a linked git worktree, but %s is "+
			"not one", h.ev.Cwd)
	}
	if flags.Task.Check != "" && h.ev.Name == event.PreToolUse {
		return nil, nil, hint.New("type the command yourself",
			"--check names a command that the hooks run, so only a person may type it")
	}
	r := &audit.Run{
		Plan: filepath.ToSlash(flags.Rest[0]), Phase: audit.Coding, Worktree: top,
		Drive: cmp.Or(flags.Task.Drive, loop.DriveStop), Check: flags.Task.Check,
		CheckMinutes: cmp.Or(flags.Task.Minutes, defaultCheckMinutes), Post: postOf(h.config(nil)),
	}
	text, err := readOwn(top, "plan", r.Plan)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, hint.New("commit it on this branch; a worktree of `claude -w` begins at "+
			"the remote's default branch, so push it there first", "%w", err)
	case err != nil:
		return nil, nil, err
	}
	_, list, err := audit.Split(string(text), audit.MaxSections)
	if err != nil {
		return nil, nil, hint.New("a section begins with a line <!-- section -->", "%s: %w", r.Plan,
			err)
	}
	for _, s := range list {
		r.Sections = append(r.Sections, s.Title)
	}
	r.PlanSum = sum(text)
	flags.DefaultIterations(audit.Iterations(len(list)))
	return r, text, nil
}

// postOf returns the configured post action, or nil if there is none (A52).
func postOf(c config.Config) *audit.Post {
	if c.Audit.PostSkill == "" && c.Audit.PostPrompt == "" {
		return nil
	}
	return &audit.Post{Skill: c.Audit.PostSkill, Prompt: c.Audit.PostPrompt, Push: c.Audit.PostPush}
}

// sections returns the sections of the plan whose hash was recorded at the start of the run. It
// tries the stored copy, the file, and the file at the base commit. If all of them differ, it
// returns no sections.
func (h *handler) sections(r *audit.Run) (intro string, list []audit.Section) {
	text := h.files.Plan(audit.Name)
	if sum(text) != r.PlanSum {
		text, _ = readOwn(r.Worktree, "plan", r.Plan)
	}
	if sum(text) != r.PlanSum {
		kept, _ := tracker.FileAt(h.ctx, r.Worktree, r.Base, r.Plan, maxTaskFile)
		text = []byte(kept)
	}
	if sum(text) == r.PlanSum {
		intro, list, _ = audit.Split(string(text), audit.MaxSections)
	}
	return intro, list
}

// auditPrompt returns the complete prompt of the phase.
func (h *handler) auditPrompt(t *store.State) string {
	r := audit.Of(t.Budget)
	intro, plan := h.sections(r)
	number, most := t.Budget.SinceRestart(t.Tick.Iteration)
	return r.Prompt(t.Tick.Attempt, intro, plan, number, most)
}

// lastWords returns a worker's last message, redacted and cut to maxSummary bytes.
func (h *handler) lastWords(t *store.State) string {
	text := strings.ToValidUTF8(strings.TrimSpace(h.ev.LastMessage), "?")
	return markdown.Cut(h.config(t).Redact(text), maxSummary)
}

// byAuditor reports whether the auditor of the open phase makes the call. The auditor is the
// worker started for the phase, or the main thread if a driver started the client.
func (h *handler) byAuditor(t *store.State) bool {
	if !t.Budget.Attempts().Reads || !h.open(t) {
		return false
	} else if !h.ev.InSubagent() {
		return t.Budget.Driven()
	}
	by, known := usage.SentBy(usage.AgentTranscript(h.ev.Transcript, h.ev.AgentID))
	return known && by != "" && by == t.Tick.Attempt.Call
}

// printedBy returns the files of the worktree that an auditor's call prints, judged by its text.
func (h *handler) printedBy(t *store.State) (files []string) {
	if !h.byAuditor(t) {
		return nil
	}
	named := guard.Prints(h.call().Guard())
	if h.ev.Tool == "Read" {
		named = []string{h.ev.Text("file_path")}
	}
	for _, path := range named {
		if !filepath.IsAbs(path) {
			path = filepath.Join(h.ev.Cwd, path)
		}
		top := tracker.RealPath(h.root(t))
		if in, err := filepath.Rel(top, tracker.RealPath(path)); err == nil && isFile(path) {
			files = append(files, filepath.ToSlash(in))
		}
	}
	return files
}

// shown returns the files whose changes git printed in an auditor's call.
func (h *handler) shown(t *store.State) (files []string) {
	if h.ev.Tool != "Bash" || !h.byAuditor(t) || !h.call().ReadOnly() {
		return nil
	}
	for line := range strings.Lines(h.ev.Result("stdout").Str) {
		_, names, head := strings.Cut(line, "diff --git ")
		if _, name, ok := strings.Cut(names, " b/"); head && ok {
			name, _, _ = strings.Cut(name, "\x1b") // git may colour it
			files = append(files, strings.TrimSpace(name))
		}
	}
	return files
}

// redacted returns an auditor's report with its texts redacted.
func (h *handler) redacted(t *store.State, facts loop.Report) loop.Report {
	redact := h.config(t).Redact
	facts.Findings = slices.Clone(facts.Findings)
	for i := range facts.Findings {
		f := &facts.Findings[i]
		f.Description, f.Scenario = redact(f.Description), redact(f.Scenario)
	}
	return facts
}

// auditTold reads the report in an auditor's call.
func (h *handler) auditTold(t *store.State) (o loop.Told) {
	text, _ := guard.Reported(h.call().Guard())
	facts, err := report.Facts([]byte(text))
	switch {
	case text == "":
		o.Wrong = hint.New("report with "+audit.ReportForm, "the call does not show the payload")
	case err != nil:
		o.Wrong = hint.New("report with "+audit.ReportForm, "%w", err)
	case !h.byAuditor(t):
		o.Wrong = hint.New("leave it to the auditor", "only the auditor of this phase reports")
	}
	if o.Wrong != nil {
		return o
	}
	o.Report, o.Sum = h.redacted(t, facts), sumOfReport([]byte(text))
	r := audit.Of(t.Budget)
	o.Head, _ = tracker.Commit(h.ctx, r.Worktree, "HEAD") // A75
	plan, _ := readOwn(r.Worktree, "plan", r.Plan)
	o.PlanChanged = sum(plan) != r.PlanSum
	return o
}

// auditAnswer describes what an auditor's report changed. It returns "" for any other report.
func auditAnswer(t *store.State, facts loop.Report, raw []byte) (string, error) {
	return audit.Told(t.Budget, t.Tick, facts, sumOfReport(raw))
}

// sumOfReport identifies a report's text without surrounding white space, which a shell may add.
func sumOfReport(raw []byte) string { return sum(bytes.TrimSpace(raw)) }

// SteerAudit lets a person accept, close or add a finding of the project's audit loop until the
// audit is complete. It fails inside the agent.
func (a *App) SteerAudit(word, text string) (string, error) {
	text = strings.Join(strings.Fields(text), " ")
	switch {
	case a.InAgent():
		return "", hint.New("type it in a terminal of your own",
			"findings cannot be changed from inside the agent")
	case text == "" || len(text) > maxFinding:
		return "", hint.New(`as in hooks audit add "the page has no title"`,
			"a finding must be 1 to %d bytes long", maxFinding)
	}
	return a.each([]loop.Skill{audit.Name}, "", func(h *handler, skill loop.Skill) (string, error) {
		s, err := h.load(skill)
		if err == nil && (audit.Of(s.Budget) == nil || loop.Completes(s.Budget.StopCause)) {
			err = hint.New("`hooks status` shows it", "no audit is running here")
		}
		if err != nil {
			return "", store.Hinted(err)
		}
		head, _ := tracker.Commit(context.Background(), audit.Of(s.Budget).Worktree, "HEAD")
		err = audit.Steer(s.Budget, s.Tick, word, h.config(&s).Redact(text), head, h.now)
		if err == nil {
			_, err = h.tx.Commit(&s, loop.Save{Run: s.Budget, Tick: s.Tick})
		}
		if err != nil {
			return "", store.Hinted(err)
		}
		return audit.Of(s.Budget).Result() + "; `hooks audit findings` lists them", nil
	})
}

// maxFinding bounds a person's finding, in bytes. The texts of a report have the same bound.
const maxFinding = 4000
