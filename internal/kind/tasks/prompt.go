package tasks

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"

	"hooks/internal/markdown"
)

// MaxPrompt bounds a prompt, in bytes; every prompt is shorter.
const MaxPrompt = 8 << 10

// Bounds of the parts of a prompt, in bytes.
const (
	maxShort    = 500               // a path, a command, a reason
	maxCriteria = MaxCriteria + 100 // with the marks of a quote
	MaxFeedback = 1000              // feedback of a person
	maxLog      = 4 << 10           // the end of the progress file
)

// Prompt holds everything that a worker is given for one attempt (T13). Texts that others wrote are
// put on one line or quoted, so that no line of a prompt is a claim.
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
	Token        string // identifies this attempt in the claim
	Log          []byte // the progress file
	Feedback     string // newest feedback in the task's ledger; may be empty (L31)
	Ledger       string // path of the task's ledger, relative to the project; may be empty (L19)
	Anchor       string // the file of the command /sdd:anchor; may be empty (T83)
}

// template holds the prompts of a task and of the PR (L13, L16–L19, T33, T36, T38–T42, T51–T56,
// T61, T85).
//
//go:embed prompt.md
var template string

// Task returns the prompt of an attempt at a task.
func (p Prompt) Task() string { return p.of("task") }

// PR returns the prompt of the attempt after the last task, which opens the PR for gate 3 (T51).
func (p Prompt) PR() string { return p.of("pr") }

// of fills the template and appends as much of the end of the progress file as fits.
func (p Prompt) of(what string) string {
	v := map[string]string{
		what: "yes", p.Mode: "yes", "index": strconv.Itoa(p.Index),
		"number": strconv.Itoa(p.Index + 1), "total": strconv.Itoa(p.Total),
		"title":    markdown.CutRunes(markdown.OneLine(p.Title), MaxTitle),
		"criteria": markdown.Cut(markdown.Quote(p.Criteria), maxCriteria),
		"refused":  short(p.Refused), "words": short(p.Words), "spec": short(p.Spec),
		"anchor": short(p.Anchor), "check": short(p.Check), "progress": short(p.Progress),
		"token": p.Token, "ledger": short(p.Ledger),
		"feedback": markdown.Cut(markdown.Quote(p.Feedback), MaxFeedback),
	}
	last := p.MaxAttempts > 0 && p.Attempt >= p.MaxAttempts-1
	for name, is := range map[string]bool{
		"nocommit": p.NoCommit, "commit": !p.NoCommit, "retry": p.Attempt > 1,
		"second": p.Attempt == 2, "later": p.Attempt > 2 && !last, "last": last,
	} {
		if is {
			v[name] = "yes"
		}
	}
	text := markdown.Fill(template, v)
	intro := fmt.Sprintf("\nThe end of %s:\n", short(p.Progress))
	room := min(maxLog, MaxPrompt-2-len(text)-len(intro))
	if log := tail([]byte(markdown.Quote(string(recent(p.Log)))), room); room > 0 && len(log) > 0 {
		text += intro + string(log) + "\n"
	}
	return text
}

// keptDone is the number of lines of Completed Tasks that a prompt shows. With all lines, each
// prompt would be longer than the one before (T1).
const keptDone = 2

// recent returns a progress file with only the last keptDone lines of Completed Tasks.
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

// short returns a foreign text on one line of at most maxShort bytes.
func short(text string) string { return markdown.Cut(markdown.OneLine(text), maxShort) }
