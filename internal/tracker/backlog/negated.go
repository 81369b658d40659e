package backlog

import (
	"slices"
	"strings"
)

// The words before a phrase that take it back, and those that only ponder it.
var (
	denials = []string{
		"not", "no", "never", "nothing", "without", "cannot", "formerly", "previously", "once", "was", "were", "used", "non",
		"may", "might", "could", "would", "maybe", "perhaps", "possibly", "probably", "if", "unless", "whether",
	}
	turns = []string{"but", "and", "so", "because", "since", "as", "-"} // begin another statement
)

// nearWords is how many words before a phrase may speak of it.
const nearWords = 3

// negated looks at the last words of the statement before a phrase: "no longer", "isn't", "was", "might", …
func negated(before string) bool {
	before = before[clause(before):]
	if strings.ContainsAny(before, "*_’") {
		before = strings.NewReplacer("*", "", "_", "", "n’t", "n't").Replace(before)
	}
	if strings.HasSuffix(before, "non-") {
		return true
	}
	words := strings.Fields(before)
	for i := len(words) - 1; i >= max(0, len(words)-nearWords); i-- {
		switch word := words[i]; {
		case slices.Contains(turns, word):
			return false
		case strings.HasSuffix(word, "n't"), slices.Contains(denials, word):
			return true
		}
	}
	return false
}

// clause is where the statement begins that a text ends with. Only its end is looked at: a line may be long.
func clause(text string) int {
	far := max(0, len(text)-100)
	at := strings.LastIndexAny(text[far:], ".,;:!?(|") + 1
	for _, dash := range []string{"—", "–"} {
		if i := strings.LastIndex(text[far:], dash); i >= 0 {
			at = max(at, i+len(dash))
		}
	}
	return far + at
}
