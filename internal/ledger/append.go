package ledger

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"hooks/internal/hint"
	"hooks/internal/markdown"
)

// Closed reports whether a turn may follow the end of a ledger. known is false if more of the
// ledger must be read to see that; a whole ledger is always known.
func Closed(end string, whole bool) (closed, known bool) {
	if _, ok := lastTurn(end); ok {
		return true, true
	}
	if !whole {
		return false, false
	}
	turns := Parse(end)
	// A comment or a code block that is left open would swallow the next turn.
	opens := len(Parse(end+"\n\nNext.\n\n"+Block)) == len(turns)+1
	return opens && (len(turns) == 0 || turns[len(turns)-1].Separator > 0), true
}

// Append returns what a turn adds to a ledger that is closed, by the ledger's end: a blank line,
// the turn and the feedback block, with the line ends of the ledger (L1, L12, L29). It refuses a
// turn that has no text, writes feedback itself (L27) or would hide the block.
func Append(end, turn string) (string, error) {
	turn = strings.ReplaceAll(strings.TrimPrefix(turn, "\ufeff"), "\r\n", "\n")
	turn = trim(turn)
	if err := check(turn); err != nil {
		return "", err
	}
	added := turn + "\n\n" + Block
	switch {
	case strings.Trim(end, "\ufeff\r\n") == "":
	case !strings.HasSuffix(end, "\n"):
		added = "\n\n" + added
	case !strings.HasSuffix(strings.ReplaceAll(end, "\r", ""), "\n\n"):
		added = "\n" + added
	}
	if at := strings.LastIndexByte(end, '\n'); at > 0 && end[at-1] == '\r' {
		added = strings.ReplaceAll(added, "\n", "\r\n")
	}
	return added, nil
}

// check refuses a turn that would not be one turn in a ledger.
func check(turn string) error {
	if turn == "" {
		return hint.New("write the turn to stdin: hooks ledger append FILE < turn.md",
			"the turn is empty")
	}
	if !utf8.ValidString(turn) {
		return hint.New("write the turn as UTF-8", "the turn is not UTF-8")
	}
	for l := range markdown.Lines(turn) {
		if isFeedback(l) {
			return hint.New("leave the section out, it is added empty; only a person writes in it",
				"line %d of the turn: %s: a turn has no `%s` of its own",
				l.No, BodyFeedback, heading)
		}
	}
	lines := split(turn + "\n\n" + Block)
	turns := parse(lines, 0)
	switch n := len(turns); {
	case n == 0 || turns[n-1].Separator != len(lines)-1 || turns[n-1].Feedback != "":
		return hint.New("close every ``` and <!-- in the turn",
			"the turn leaves a code block or a comment open, which would hide its feedback section")
	case n > 1:
		return hint.New("append one turn at a time",
			"line %d of the turn: a second turn begins there", turns[1].Line)
	}
	return nil
}

// Title is the first line of a new ledger, by its file name.
func Title(name string) string {
	phase, number, _ := strings.Cut(strings.TrimSuffix(name, ".md"), "-")
	word := strings.ToUpper(phase[:1]) + phase[1:]
	switch {
	case phase == "implement":
		return fmt.Sprintf("# Implementation: Task %s\n", number)
	case number != "":
		return fmt.Sprintf("# %s Loop: Task %s\n", word, number)
	}
	return fmt.Sprintf("# %s Loop\n", word)
}
