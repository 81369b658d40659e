package audits

import (
	"fmt"
	"strings"

	"hooks/internal/markdown"
)

// Prompt holds all that the worker of one phase is given: the plan, and never the words of the
// worker before it (A18, A72).
type Prompt struct {
	Iteration, Most int      // since the last restart; 0 for no ceiling
	Plan            string   // path, relative to the project
	Intro           string   // of the plan; may be empty
	Title, Text     string   // of the section under way
	All             []string // the texts of all sections, as they were approved
	Section, Of     int      // its number from 1, and how many there are
	Base, Head      string   // the commits between which the audited changes lie; Base may be empty
	Open, Accepted  []string
	Check           string // the command that must pass; may be empty
	OneTest         string // the flag behind it that names one test; may be empty
	Checked         string // how it went last, as in "exit 1 at abc1234"; may be empty
	CheckTail       string
	Reason          string // why the last phase was not accepted; may be empty
	Feedback        string // the newest of the section's ledger, for a coder; may be empty (L31)
	Token           string // names the phase in the worker's transcript
}

// Bounds of the parts of a prompt.
const (
	maxLine     = 2000 // bytes of a finding or a reason
	maxFindings = 50   // findings that are listed whole
	maxTail     = 4 << 10
)

// Coding is the prompt of a phase that writes the section under way (A19–A21).
func (p Prompt) Coding() string {
	return p.join(
		p.head(),
		p.section("Do section %d of %d of %s, %s, and no other."),
		p.work(),
		p.mustAddress(),
	)
}

// Fix is the prompt of the coding after a dirty final audit: no section is done again (A46).
func (p Prompt) Fix() string {
	return p.join(
		p.head(),
		fmt.Sprintf("All sections of %s are done. Fix what the final audit found, and nothing "+
			"else.", p.Plan),
		p.work(),
		p.mustAddress(),
	)
}

// Audit is the prompt of the audit of a section.
func (p Prompt) Audit() string {
	return p.join(
		p.head(),
		p.section("Audit section %d of %d of %s, %s: is it done as it is written, without bugs?"),
		p.look(),
	)
}

// Final is the prompt of the audit of all sections together.
func (p Prompt) Final() string {
	return p.join(
		p.head(),
		fmt.Sprintf("Audit all %d sections of %s together: is the plan done as it is written, "+
			"without bugs? It is this text, as it was approved; `hooks audit section N` prints a "+
			"section.", p.Of, p.Plan),
		markdown.Cut(p.Intro, maxIntro),
		markdown.Cut(strings.Join(p.All, "\n\n"), MaxSection),
		p.look(),
	)
}

// Post is the prompt of the action after a clean audit (A51–A55).
func (p Prompt) Post(skill, prompt string) string {
	task := prompt
	if skill != "" {
		task = strings.TrimSpace(fmt.Sprintf("Load the skill %q with the Skill tool and do what "+
			"it says.\n\n%s", skill, prompt))
	}
	return p.join(
		p.head(),
		fmt.Sprintf("The plan %s is done and its audit is clean. One action is left:", p.Plan),
		task,
		"Apply only safe fixes that lie within the plan. No one audits them, and no one can be "+
			"asked: leave anything that needs a decision, and name it. End with a short summary.",
	)
}

// join puts the parts together, without the empty ones, and ends with the phase's name.
func (p Prompt) join(parts ...string) string {
	return paragraphs(parts...) + "\n\n(phase " + p.Token + ")\n"
}

func paragraphs(parts ...string) string {
	var kept []string
	for _, part := range parts {
		if part = strings.Trim(part, "\n"); part != "" {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, "\n\n")
}

// head is the line of the iteration (A20).
func (p Prompt) head() string {
	line := fmt.Sprintf("Loop iteration %d", p.Iteration)
	if p.Most > 0 {
		return fmt.Sprintf("[%s / %d]", line, p.Most)
	}
	return "[" + line + " | No max iterations set - loop runs until auditor all-clear or " +
		"cancelled]"
}

// section names the section under way and has its text.
func (p Prompt) section(order string) string {
	text := fmt.Sprintf(order, p.Section, p.Of, p.Plan, p.Title)
	if p.Intro != "" {
		text += "\n\nThe plan begins:\n\n" + markdown.Cut(p.Intro, maxIntro)
	}
	return text + "\n\nThe section:\n\n" + markdown.Cut(p.Text, MaxSection)
}

// work returns the instructions for the end of a coding phase.
func (p Prompt) work() string {
	lines := []string{"Commit your changes on the current branch. Leave nothing uncommitted. " +
		"Do not push and open no pull request. No one can be asked: decide by the plan."}
	if p.Check != "" {
		lines = append(lines, fmt.Sprintf("The loop runs this command after you, and it must "+
			"pass: `%s`", p.Check))
	}
	if p.Reason != "" {
		lines = append(lines, "The last phase was not accepted: "+short(p.Reason))
	}
	if p.Feedback != "" {
		lines = append(lines, "The newest feedback of a person:\n"+markdown.Quote(p.Feedback))
	}
	return strings.Join(lines, "\n")
}

// mustAddress are the findings that the coder has to address (A21).
func (p Prompt) mustAddress() string {
	if len(p.Open) == 0 {
		return p.accepted()
	}
	return paragraphs("---\nThe code auditor reviewed your changes. You MUST address all bugs and "+
		"convention violations.", list(p.Open), p.accepted())
}

func (p Prompt) accepted() string {
	if len(p.Accepted) == 0 {
		return ""
	}
	return "A person accepted these as they are; leave them:\n" + list(p.Accepted)
}

// look returns the instructions for an audit and its report (A29–A32, A70, A71).
func (p Prompt) look() string {
	lines := []string{"Change nothing: only reading and `hooks report` pass."}
	if p.Check != "" {
		lines[0] = fmt.Sprintf("Change nothing: only reading, `%s` and `hooks report` pass.",
			p.Check)
	}
	if p.OneTest != "" {
		lines = append(lines, fmt.Sprintf("One test: `%s %s NAME`.", p.Check, p.OneTest))
	}
	if p.Base != "" {
		lines = append(lines, fmt.Sprintf("The changes: git diff %s %s", p.Base, p.Head))
	}
	if p.Checked != "" {
		lines = append(lines, fmt.Sprintf("The check `%s` ended with %s.", p.Check, p.Checked))
		if tail := markdown.Cut(strings.TrimSpace(p.CheckTail), maxTail); tail != "" {
			lines = append(lines, markdown.Quote(tail))
		}
	}
	if p.Reason != "" {
		lines = append(lines, "The last audit did not count: "+short(p.Reason))
	}
	open, resolved := "No finding is open.", ""
	if len(p.Open) > 0 {
		resolved = `"resolved":["F1"],`
		open = "Open findings. Look at each: name it in resolved, or leave it open.\n" +
			list(p.Open)
	}
	// In a worktree of its own the client refuses a here-document of JSON.
	report := "Report with one call, and end:\n\n" +
		`hooks report <<< '{"findings":[{"file":"a.go","line":12,"severity":"bug",` +
		`"description":"…","scenario":"…"}],` + resolved + `"verdict":"dirty"}'` + "\n\n" +
		`Write '\'' for an apostrophe in it. ` +
		"severity is bug or warning; scenario is how it goes wrong; verdict is clean or dirty. " +
		"An open bug makes the verdict dirty, whatever it says. " +
		"An audit without a verdict does not count."
	return paragraphs(strings.Join(lines, "\n"), open, p.accepted(), report)
}

// list has each finding on a line of its own.
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

// short is a foreign text on one line of at most 2,000 bytes.
func short(text string) string { return markdown.Cut(markdown.OneLine(text), maxLine) }
