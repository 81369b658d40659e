package app

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"hooks/internal/guard"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/safefile"
	"hooks/internal/store"
	"hooks/internal/tracker"
	"hooks/internal/usage"
)

// byAuditor reports whether the open phase's auditor made the call. The auditor is the worker that
// was started for the phase, or the main thread if a driver started the client.
func (h *handler) byAuditor(t *store.State) bool {
	if !t.Budget.Attempts().Reads || !h.open(t) {
		return false
	} else if !h.ev.InSubagent() {
		return t.Budget.Driven()
	}
	by, known := usage.SentBy(usage.AgentTranscript(h.ev.Transcript, h.ev.AgentID))
	return known && by != "" && by == t.Tick.Attempt.Call
}

// printedBy returns the files that an auditor's call prints, as paths relative to the worktree.
func (h *handler) printedBy(t *store.State) (files []string) {
	if !h.byAuditor(t) {
		return nil
	}
	named := guard.Prints(h.call().Guard())
	if h.ev.Tool == "Read" {
		named = []string{h.ev.Text("file_path")}
	}
	for _, path := range named {
		path = safefile.Absolute(h.ev.Cwd, path)
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
			name, _, _ = strings.Cut(name, "\x1b") // git may color the line
			files = append(files, strings.TrimSpace(name))
		}
	}
	return files
}

// redacted returns a report with its findings' descriptions and scenarios redacted.
func (h *handler) redacted(t *store.State, facts loop.Report) loop.Report {
	redact := h.config(t).Redact
	facts.Findings = slices.Clone(facts.Findings)
	for i := range facts.Findings {
		f := &facts.Findings[i]
		f.Description, f.Scenario = redact(f.Description), redact(f.Scenario)
	}
	return facts
}

// auditTold reads the report in the current call. Unless the report is valid and the auditor's, its
// contents are left out.
func (h *handler) auditTold(t *store.State) (o loop.Told) {
	text, _ := guard.Reported(h.call().Guard())
	facts, bad := report.Facts([]byte(text))
	o = loop.Told{Shown: text != "", Bad: bad, ByAuditor: h.byAuditor(t)}
	if !o.Shown || bad != nil || !o.ByAuditor {
		return o
	}
	a := t.Budget.Attempts()
	o.Report, o.Sum = h.redacted(t, facts), sumOfReport([]byte(text))
	o.Head, _ = tracker.Commit(h.ctx, a.Root, "HEAD") // A75
	plan, _, _ := readOwn(a.Root, "plan", a.Source)
	o.Plan = loop.Digest(plan)
	return o
}

// sumOfReport hashes a report's text without surrounding white space, which a shell may add.
func sumOfReport(raw []byte) string { return loop.Digest(bytes.TrimSpace(raw)) }
