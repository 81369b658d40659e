package tasks

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"hooks/internal/attempt"
	"hooks/internal/loop"
	"hooks/internal/markdown"
)

// MaxPrompt is the maximum size of a prompt, in bytes.
const MaxPrompt = 8 << 10

// Limits on the parts of a prompt, in bytes.
const (
	maxShort    = 500               // a path, a command or a reason
	maxCriteria = MaxCriteria + 100 // including the > marks of the quote
	maxLog      = 4 << 10           // the end of the progress file
)

// template holds the prompts for a task and for the PR (L13, L16–L19, T33, T36, T38–T42, T51–T56,
// T61, T85).
//
//go:embed prompt.md
var template string

// Prompt returns the complete prompt for one attempt at a task, or at the PR after the last task
// (T13, T51). It quotes foreign text or puts it on one line, so that no line can be read as a
// claim. The end of the progress file follows, cut to fit.
func (r *Run) Prompt(a *attempt.Attempt, with loop.Papers) string {
	what, check, item := "pr", r.Check, Item{}
	if a.Task <= len(r.List) {
		what, item = "task", r.List[a.Task-1]
		check = r.checkOf(&item)
	}
	last := r.MaxTries > 0 && a.Try >= r.MaxTries-1 // the task is blocked at MaxTries (T57)
	v := map[string]string{
		what: "yes", r.Mode: "yes", "index": strconv.Itoa(a.Task - 1),
		"number": strconv.Itoa(a.Task), "total": strconv.Itoa(len(r.List)),
		"title":    markdown.CutRunes(markdown.OneLine(a.Title), MaxTitle),
		"criteria": markdown.Cut(markdown.Quote(item.Criteria), maxCriteria),
		"refused":  short(r.Reason), "words": short(r.Words), "spec": short(r.Spec),
		"anchor": short(with.Anchor), "check": short(check), "progress": short(with.Progress),
		"token": a.Token, "ledger": short(with.Ledger),
		"feedback": markdown.Cut(markdown.Quote(a.Feedback), attempt.MaxFeedback),
		"nocommit": markdown.Yes(item.NoCommit), "commit": markdown.Yes(!item.NoCommit),
		"retry": markdown.Yes(a.Try > 1), "second": markdown.Yes(a.Try == 2),
		"later": markdown.Yes(a.Try > 2 && !last), "last": markdown.Yes(last),
	}
	text := markdown.Fill(template, v)
	intro := fmt.Sprintf("\nThe end of %s:\n", short(with.Progress))
	room := min(maxLog, MaxPrompt-2-len(text)-len(intro))
	if log := tail(markdown.Quote(string(recent(with.Log))), room); room > 0 && log != "" {
		text += intro + log + "\n"
	}
	return text
}

// keptDone is how many lines of Completed Tasks a prompt shows. If it showed all of them, each
// prompt would be longer than the last (T1).
const keptDone = 2

// recent returns a progress file with only the last keptDone lines of Completed Tasks.
func recent(log []byte) []byte {
	f := parse(log)
	for _, p := range f.parts {
		if p.is(completedHeading) {
			lines := strings.Split(p.body, "\n")
			p.body = strings.Join(lines[max(0, len(lines)-keptDone):], "\n")
		}
	}
	return f.bytes()
}

// short returns foreign text on one line of at most maxShort bytes.
func short(text string) string { return markdown.Cut(markdown.OneLine(text), maxShort) }
