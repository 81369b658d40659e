package tasks

import (
	"fmt"
	"slices"
	"strings"

	"hooks/internal/markdown"
)

// MaxPrompt bounds a prompt: it has fewer bytes.
const MaxPrompt = 8 << 10

// Bounds of the parts of a prompt, in bytes.
const (
	maxShort    = 500               // a path, a command, a reason
	maxCriteria = MaxCriteria + 100 // with the marks of a quote
	MaxFeedback = 1000              // of a person
	maxLog      = 4 << 10           // the end of the progress file
)

// Prompt holds all that a worker is given for one attempt (T13). Texts that others wrote are put on
// one line or quoted, so that no line of a prompt is a claim.
type Prompt struct {
	Index, Total int // of the task, from 0; how many there are
	Title        string
	Criteria     string // may be empty
	NoCommit     bool
	Spec         string // path, relative to the project
	Progress     string // path, relative to the project
	Mode         string
	Attempt      int    // from 1
	MaxAttempts  int    // the task is blocked when Attempt gets there (T57)
	Refused      string // why the last attempt did not count; may be empty
	Words        string // of a person who was asked about the task; may be empty
	Check        string // the command that must pass; may be empty
	Token        string // of this attempt
	Log          []byte // the progress file
	Feedback     string // the newest of the ledger; may be empty (L31)
	Ledger       string // of the task, relative to the project; may be empty (L19)
	Anchor       string // the file of the command /sdd:anchor; empty without one (T83)
}

// Task is the prompt of an attempt at a task (T38–T42, T52–T56).
func (p Prompt) Task() string {
	var head []string
	switch p.Mode {
	case TDD:
		head = append(head, "Follow red-green-refactor. Write a failing test first.")
	case Checkpoint:
		head = append(head, "Check if this task crosses a checkpoint milestone.")
	}
	head = append(head, fmt.Sprintf("Task %d of %d: %s", p.Index+1, p.Total,
		markdown.CutRunes(markdown.OneLine(p.Title), MaxTitle)))
	head = append(head, fmt.Sprintf("The progress file counts from 0 and calls it Task %d.",
		p.Index))
	if criteria := markdown.Cut(markdown.Quote(p.Criteria), maxCriteria); criteria != "" {
		head = append(head, "", "Its acceptance criteria:", criteria)
	}
	work := []string{"Do this task and no other."}
	if p.Spec != "" {
		work = append(work, fmt.Sprintf("Read %s for the acceptance criteria.", short(p.Spec)))
	}
	if p.NoCommit {
		work = append(work, "This task may end without a commit. Leave nothing uncommitted.")
	} else {
		work = append(work, "Commit your changes on the current branch. Leave nothing uncommitted.")
	}
	return p.text(head, work, "all acceptance criteria are met")
}

// PR is the prompt of the attempt that follows the last task: it opens the PR for gate 3 (T51).
func (p Prompt) PR() string {
	head := []string{fmt.Sprintf("All %d tasks complete. Opening PR for Gate 3 review.", p.Total)}
	work := []string{
		"Push the current branch and open one PR for it, or update the PR that it has.",
		"Describe what changed and how it was verified.",
		"Do not merge it: a person reviews it. Change no code.",
	}
	return p.text(head, work, "the PR is open")
}

// text joins the parts of a prompt; done is when to claim that the work is done. The end of the
// progress file gets the room that is left.
func (p Prompt) text(head, work []string, done string) string {
	lines := head
	if warnings := p.warnings(); len(warnings) > 0 {
		lines = append(append(lines, ""), warnings...)
	}
	lines = append(lines, "")
	if p.Anchor != "" { // the plugin's own worker has no tool for skills
		lines = append(lines, fmt.Sprintf("Run /sdd:anchor first, or do what %s says.",
			short(p.Anchor)))
	}
	lines = append(lines, work...)
	if p.Check != "" {
		lines = append(lines, fmt.Sprintf("The loop runs this command after you, "+
			"and it must pass: `%s`", short(p.Check)))
	}
	lines = append(lines, p.rules(done)...)
	lines = append(lines, p.turns()...)
	if feedback := markdown.Cut(markdown.Quote(p.Feedback), MaxFeedback); feedback != "" {
		lines = append(lines, "", "The newest feedback of a person:", feedback)
	}
	text := strings.Join(lines, "\n") + "\n"
	intro := fmt.Sprintf("\nThe end of %s:\n", short(p.Progress))
	room := min(maxLog, MaxPrompt-2-len(text)-len(intro))
	if log := tail([]byte(markdown.Quote(string(recent(p.Log)))), room); room > 0 && len(log) > 0 {
		text += intro + string(log) + "\n"
	}
	return text
}

// warnings are the lines of a retry (T54–T56).
func (p Prompt) warnings() (lines []string) {
	last := p.MaxAttempts > 0 && p.Attempt >= p.MaxAttempts-1
	switch {
	case p.Attempt == 2:
		lines = append(lines, "This is the second attempt. Try a different approach.")
	case p.Attempt > 2 && !last:
		lines = append(lines, "Two approaches have failed. Document failures in progress log "+
			"and try a fundamentally different strategy.")
	}
	if last {
		lines = append(lines, "This is your last attempt before the task is blocked. "+
			"If you cannot complete it, add to Blocked / Flagged in the progress log.")
	}
	if p.Attempt > 1 && p.Refused != "" {
		lines = append(lines, "The last attempt did not count: "+short(p.Refused))
	}
	if p.Words != "" {
		lines = append(lines, "A person was asked about this task and answered: "+short(p.Words))
	}
	return lines
}

// rules are the lines about the progress file and the claim (T33, T36, T61, T85).
func (p Prompt) rules(done string) []string {
	return []string{
		fmt.Sprintf("Add what later tasks should know to Learnings in %s, as in "+
			"`- [2026-02-15 12:30] Test factories are in tests/factories/`.", short(p.Progress)),
		"Never remove or edit a line of its Completed Tasks and Learnings. " +
			"The loop writes Completed Tasks and Current Task.",
		"",
		"When " + done + ", end your last message with the two words " +
			completeWord + " " + p.Token + " on a line of their own.",
		"If a person must decide or help, end it instead with the two words " + blockedWord + " " +
			p.Token + " and your reason, on one line.",
		"Only the last line of your last message counts, outside of code blocks and quotes.",
	}
}

// turns are the lines about the task's ledger and about its critics (L13, L16–L19).
func (p Prompt) turns() []string {
	if p.Ledger == "" {
		return nil
	}
	return []string{"",
		fmt.Sprintf("The ledger of this task is %s. Read its last turns first, and add a turn "+
			"with `hooks ledger append %[1]s` before your last commit: what you changed, how "+
			"it was validated, where you left the plan, and the result.", short(p.Ledger)),
		"Two or three rounds of critique before a turn are enough. After the third, accept the " +
			"state or escalate it.",
	}
}

// keptDone is the number of lines of Completed Tasks in a prompt. With all of them each prompt
// would be longer than the one before (T1).
const keptDone = 2

// recent is a progress file with the last lines of Completed Tasks only.
func recent(log []byte) []byte {
	f := parse(log)
	for i, p := range f.parts {
		done := slices.DeleteFunc(slices.Clone(p.body), func(line string) bool {
			return !filled(line)
		})
		if p.heading != "" && p.is(completedHeading) && len(done) > keptDone {
			f.parts[i].body = append(done[len(done)-keptDone:], f.eol)
		}
	}
	return f.bytes()
}

// short is a foreign text on one line of at most 500 bytes.
func short(text string) string { return markdown.Cut(markdown.OneLine(text), maxShort) }
