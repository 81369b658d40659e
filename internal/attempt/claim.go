package attempt

import (
	"strings"
	"unicode"

	"hooks/internal/markdown"
)

// Claim is the claim in a worker's last message (T85), with the files needed to judge it.
type Claim struct {
	Done    bool
	Blocked bool
	Why     string // the worker's reason for Blocked
	Last    string // the worker's last message, redacted and cut (A58)
	List    string // contents of the task list file; "" if unreadable
	// Progress is the contents of the progress file, and Wrote is what the program last wrote
	// there. Both are "" for a run without a progress file.
	Progress, Wrote string
}

// The keywords of a claim, which are case-sensitive (T8).
const (
	completeWord = "TASK_COMPLETE"
	blockedWord  = "TASK_BLOCKED"
)

// maxWhy bounds a worker's reason for a blocked task, in bytes.
const maxWhy = 500

// MaxFeedback bounds a person's feedback in a prompt, in bytes.
const MaxFeedback = 1000

// ReadClaim returns the claim in a worker's last message, or the zero Claim. The last non-blank
// line must consist of TASK_COMPLETE and this attempt's token, or of TASK_BLOCKED, the token and a
// reason. Emphasis and backticks around the words are ignored. A line that is indented or in a code
// block, quote, heading or comment does not count, because it may be copied from the prompt (T8,
// T85).
func ReadClaim(message, token string) Claim {
	message = strings.TrimRightFunc(message, unicode.IsSpace)
	if message == "" || token == "" {
		return Claim{}
	}
	var last markdown.Line
	for last = range markdown.Lines(message) { // keep only the last line
	}
	raw := strings.TrimSpace(message[strings.LastIndexByte(message, '\n')+1:])
	claim := readLine(last.Text, token)
	open := last.Kind == markdown.Plain && !last.Deep && raw == last.Text
	if open && (claim.Done || claim.Blocked && claim.Why != "") {
		return claim
	}
	return Claim{}
}

// readLine parses one line as a claim, regardless of the lines around it. Why is empty if the line
// gives no reason.
func readLine(line, token string) Claim {
	word, rest, _ := strings.Cut(line, " ")
	given, rest, _ := strings.Cut(rest, " ")
	switch strings.Trim(word, "*_`") {
	case completeWord:
		return Claim{Done: strings.Trim(given, "*_`") == token && rest == ""}
	case blockedWord:
		if strings.TrimLeft(strings.TrimRight(given, "*_`:,;-–—"), "*_`") != token {
			return Claim{}
		}
		if word[0] != 'T' { // the emphasis encloses the whole line
			rest = strings.TrimRight(rest, line[:1])
		}
		why := markdown.OneLine(strings.TrimLeft(rest, "*_:,;-–— "))
		return Claim{Blocked: true, Why: markdown.Cut(why, maxWhy)}
	}
	return Claim{}
}
