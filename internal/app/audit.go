package app

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"hooks/internal/guard"
	"hooks/internal/hint"
	"hooks/internal/kind/audit"
	"hooks/internal/loop"
	"hooks/internal/markdown"
	"hooks/internal/report"
	"hooks/internal/store"
	"hooks/internal/tracker"
	"hooks/internal/usage"
)

// maxSummary bounds the last message of a post action, in bytes (A58).
const maxSummary = 16 << 10

// sections returns the sections of the plan whose hash was recorded at the start of the run. It
// tries the stored copy, the file, and the file at the base commit. If all of them differ, it
// returns no sections.
func (h *handler) sections(r *audit.Run) (intro string, list []audit.Section) {
	text := h.files.Plan(audit.Name)
	if loop.Digest(text) != r.PlanSum {
		text, _ = readOwn(r.Worktree, "plan", r.Plan)
	}
	if loop.Digest(text) != r.PlanSum {
		kept, _ := tracker.FileAt(h.ctx, r.Worktree, r.Base, r.Plan, maxTaskFile)
		text = []byte(kept)
	}
	if loop.Digest(text) == r.PlanSum {
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
	o.PlanChanged = loop.Digest(plan) != r.PlanSum
	return o
}

// auditAnswer describes what an auditor's report changed. It returns "" for any other report.
func auditAnswer(t *store.State, facts loop.Report, raw []byte) (string, error) {
	return audit.Told(t.Budget, t.Tick, facts, sumOfReport(raw))
}

// sumOfReport identifies a report's text without surrounding white space, which a shell may add.
func sumOfReport(raw []byte) string { return loop.Digest(bytes.TrimSpace(raw)) }

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
