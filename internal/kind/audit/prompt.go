package audit

import (
	"cmp"
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"hooks/internal/attempt"
	"hooks/internal/loop"
	"hooks/internal/markdown"
)

// Limits on the parts of a prompt.
const (
	maxLine     = 2000 // bytes in a finding or reason
	maxFindings = 50   // number of findings listed
	maxTail     = 4 << 10
)

// template holds the prompts for all phases (A18–A21, A29–A32, A46, A51–A55, A70–A72). Workers
// report with <<<, because the client refuses a here-document of JSON in a separate worktree.
//
//go:embed prompt.md
var template string

// Prompt returns the complete prompt for the worker in an attempt's phase. It includes the approved
// plan, but never the previous worker's words (A18, A72).
func (r *Run) Prompt(a *attempt.Attempt, with loop.Papers) string {
	intro, plan, _ := Split(with.Plan)
	text, all := "(The approved plan is lost. Report that as a bug, or end your turn.)", []string{}
	if a.Task <= len(plan) {
		text = plan[a.Task-1].Text
	}
	for _, s := range plan {
		all = append(all, s.Text)
	}
	open := list(r.Which(OpenFinding))
	v := map[string]string{
		a.Phase: "yes", "iteration": strconv.Itoa(with.Number), "plan": r.Plan, "title": a.Title,
		"section": strconv.Itoa(a.Task), "of": strconv.Itoa(a.Of),
		"base": sha(r.since(PhaseOf(a))), "head": sha(a.Head),
		"intro": trimmed(intro, maxIntro), "check": r.Check,
		"reason":   short(r.Reason),
		"feedback": markdown.Quote(a.Feedback), "open": open,
		"accepted": list(r.Which(AcceptedFinding)), "token": a.Token,
		"unchecked": markdown.Yes(r.Check == ""), "clear": markdown.Yes(open == ""),
		"endless": markdown.Yes(with.Most == 0),
	}
	if with.Most > 0 {
		v["most"] = strconv.Itoa(with.Most)
	}
	if c := r.Checked; c != nil {
		v["checked"] = fmt.Sprintf("exit %d at %s", c.Exit, sha(c.Head))
		v["tail"] = markdown.Quote(trimmed(strings.TrimSpace(c.Tail), maxTail))
	}
	switch PhaseOf(a) {
	case Coding, Auditing:
		v["text"] = trimmed(text, MaxSection)
	case FinalAuditing:
		v["all"] = trimmed(strings.Join(all, "\n\n"), MaxSection)
	case PostAction:
		if r.Post == nil { // the run file has lost it
			break
		}
		v["prompt"] = strings.TrimSpace(r.Post.Prompt)
		if r.Post.Skill != "" {
			v["skill"] = strconv.Quote(r.Post.Skill)
		}
	}
	v["codes"] = cmp.Or(v[string(Coding)], v[string(Fixing)])
	v["audits"] = cmp.Or(v[string(Auditing)], v[string(FinalAuditing)])
	v["reviewed"] = cmp.Or(v["codes"], v["audits"])
	return markdown.Fill(template, v)
}

// sha abbreviates a commit hash for use in a command.
func sha(commit string) string { return commit[:min(len(commit), 12)] }

// trimmed returns text cut to at most maxBytes bytes, without line breaks at its ends.
func trimmed(text string, maxBytes int) string {
	return strings.Trim(markdown.Cut(text, maxBytes), "\n")
}

// list returns at most maxFindings findings, one per line.
func list(findings []Finding) string {
	var lines []string
	for _, f := range findings[:min(len(findings), maxFindings)] {
		lines = append(lines, "- "+short(f.String()))
	}
	if more := len(findings) - maxFindings; more > 0 {
		lines = append(lines, fmt.Sprintf("- and %d more; see `hooks audit findings`", more))
	}
	return strings.Join(lines, "\n")
}

// short returns foreign text on one line of at most maxLine bytes.
func short(text string) string { return markdown.Cut(markdown.OneLine(text), maxLine) }
