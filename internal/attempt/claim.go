// Package attempt has the rules for attempts that the task loop and the audit loop share. It reads
// the claim that ends an attempt, and finds changes that weaken the tests or the check command. Its
// functions are pure: they use no clock, files or processes.
package attempt

import (
	"strings"
	"unicode"

	"hooks/internal/loop"
	"hooks/internal/markdown"
)

// The words of a claim. Case matters (T8).
const (
	completeWord = "TASK_COMPLETE"
	blockedWord  = "TASK_BLOCKED"
)

// maxWhy bounds the reason of a blocked task, in bytes.
const maxWhy = 500

// MaxFeedback bounds a person's feedback in a prompt, in bytes.
const MaxFeedback = 1000

// ReadClaim reads the claim in a worker's last message. The last line that is not blank must be
// TASK_COMPLETE and the token of this attempt, or TASK_BLOCKED, the token and a reason. Emphasis
// and backticks around the words are ignored. A line in a code block, a quote, a heading or a
// comment does not claim anything, because it may be a copy of the prompt (T8, T85).
//
// The second result explains why a message that contains one of the two words claims nothing. It is
// empty if there is a claim, or if the message contains neither word.
func ReadClaim(message, token string) (loop.ClaimSeen, string) {
	message = strings.TrimRightFunc(message, unicode.IsSpace)
	if message == "" || token == "" {
		return loop.ClaimSeen{}, ""
	}
	var last markdown.Line
	for last = range markdown.Lines(message) { // up to its last line
	}
	raw := strings.TrimSpace(message[strings.LastIndexByte(message, '\n')+1:])
	claim := readLine(last.Text, token)
	open := last.Kind == markdown.Plain && !last.Deep && raw == last.Text
	if open && (claim.Done || claim.Blocked && claim.Why != "") {
		return claim, ""
	}
	return loop.ClaimSeen{}, nearMiss(message, token, claim)
}

// readLine reads one line regardless of the lines around it. Why is empty if the line has no
// reason.
func readLine(line, token string) loop.ClaimSeen {
	word, rest, _ := strings.Cut(line, " ")
	given, rest, _ := strings.Cut(rest, " ")
	switch strings.Trim(word, "*_`") {
	case completeWord:
		return loop.ClaimSeen{Done: strings.Trim(given, "*_`") == token && rest == ""}
	case blockedWord:
		if strings.TrimLeft(strings.TrimRight(given, "*_`:,;-–—"), "*_`") != token {
			return loop.ClaimSeen{}
		}
		if word[0] != 'T' { // the emphasis encloses the whole line
			rest = strings.TrimRight(rest, line[:1])
		}
		why := markdown.OneLine(strings.TrimLeft(rest, "*_:,;-–— "))
		return loop.ClaimSeen{Blocked: true, Why: markdown.Cut(why, maxWhy)}
	}
	return loop.ClaimSeen{}
}

// nearMiss explains why a message that contains one of the two words claims nothing. claim is read
// from the last line, regardless of the other lines.
func nearMiss(message, token string, claim loop.ClaimSeen) string {
	named := strings.ToUpper(strings.ReplaceAll(message, `\`, ""))
	switch {
	case !strings.Contains(named, completeWord) && !strings.Contains(named, blockedWord):
		return ""
	case claim.Blocked && claim.Why == "":
		return blockedWord + " has no reason"
	case !strings.Contains(message, token):
		return "the claim does not have the token of this attempt"
	}
	return "the claim is not the whole last line, outside of code, quotes, headings and comments"
}
