package audit

import (
	"cmp"
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"hooks/internal/markdown"
)

// Prompt holds everything that the worker of one phase is given. It includes the plan, but never
// the words of the worker before it (A18, A72).
type Prompt struct {
	Iteration, Most int      // since the last restart; 0 for no ceiling
	Plan            string   // path, relative to the project
	Intro           string   // of the plan; may be empty
	Title, Text     string   // of the current section
	All             []string // the texts of all sections, as they were approved
	Section, Of     int      // its number from 1, and how many there are
	Base, Head      string   // the commits between which the audited changes lie; Base may be empty
	Open, Accepted  []string
	Check           string // the command that must pass; may be empty
	OneTest         string // flag of Check that selects one test; may be empty
	Checked         string // the last result of Check, as in "exit 1 at abc1234"; may be empty
	CheckTail       string
	Reason          string // why the last phase was not accepted; may be empty
	Feedback        string // newest feedback in the section's ledger, for a coder (L31), or ""
	Token           string // names the phase in the worker's transcript
	// PostSkill and PostPrompt are the action after a clean audit; one of them may be empty.
	PostSkill, PostPrompt string
}

// Bounds of the parts of a prompt.
const (
	maxLine     = 2000 // bytes of a finding or a reason
	maxFindings = 50   // findings that are listed
	maxTail     = 4 << 10
)

// template holds the prompts of all phases (A18–A21, A29–A32, A46, A51–A55, A70–A72). Workers
// report with <<<, because the client refuses a here-document of JSON in a worktree of its own.
//
//go:embed prompt.md
var template string

// For returns the prompt of a phase: coding, auditing, final_auditing, fix or post_action.
func (p Prompt) For(phase string) string {
	v := map[string]string{
		phase: "yes", "iteration": strconv.Itoa(p.Iteration), "plan": p.Plan, "title": p.Title,
		"section": strconv.Itoa(p.Section), "of": strconv.Itoa(p.Of), "base": p.Base,
		"head": p.Head, "intro": trimmed(p.Intro, maxIntro), "check": p.Check,
		"onetest": p.OneTest, "checked": p.Checked, "reason": short(p.Reason),
		"tail":     markdown.Quote(trimmed(strings.TrimSpace(p.CheckTail), maxTail)),
		"feedback": markdown.Quote(p.Feedback), "open": list(p.Open), "accepted": list(p.Accepted),
		"token": p.Token,
	}
	if v["endless"] = "yes"; p.Most > 0 {
		v["most"], v["endless"] = strconv.Itoa(p.Most), ""
	}
	if p.Check == "" {
		v["unchecked"] = "yes"
	}
	if len(p.Open) == 0 {
		v["clear"] = "yes"
	}
	switch phase {
	case "coding", "auditing":
		v["text"] = trimmed(p.Text, MaxSection)
	case "final_auditing":
		v["all"] = trimmed(strings.Join(p.All, "\n\n"), MaxSection)
	case "post_action":
		v["prompt"] = strings.TrimSpace(p.PostPrompt)
		if p.PostSkill != "" {
			v["skill"] = strconv.Quote(p.PostSkill)
		}
	}
	v["codes"] = cmp.Or(v["coding"], v["fix"])
	v["audits"] = cmp.Or(v["auditing"], v["final_auditing"])
	v["reviewed"] = cmp.Or(v["codes"], v["audits"])
	return markdown.Fill(template, v)
}

// trimmed returns text cut to at most most bytes, without line breaks at its ends.
func trimmed(text string, most int) string {
	return strings.Trim(markdown.Cut(text, most), "\n")
}

// list returns the findings, one a line, at most maxFindings of them.
func list(findings []string) string {
	var lines []string
	for _, f := range findings[:min(len(findings), maxFindings)] {
		lines = append(lines, "- "+short(f))
	}
	if more := len(findings) - maxFindings; more > 0 {
		lines = append(lines, fmt.Sprintf("- and %d more: hooks audit findings", more))
	}
	return strings.Join(lines, "\n")
}

// short returns a foreign text on one line of at most maxLine bytes.
func short(text string) string { return markdown.Cut(markdown.OneLine(text), maxLine) }
