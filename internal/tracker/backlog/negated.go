package backlog

import (
	"slices"
	"strings"
)

var (
	// denials are the words before a phrase that take it back or only guess it.
	denials = []string{
		"not", "no", "never", "nothing", "without", "cannot", "formerly", "previously", "once",
		"was", "were", "used", "non", "may", "might", "could", "would", "maybe", "perhaps",
		"possibly", "probably", "if", "unless", "whether",
	}
	// turns begin another statement.
	turns = []string{"but", "and", "so", "because", "since", "as", "-"}
)

// nearWords is how many words before a phrase are looked at.
const nearWords = 3

// negated looks at the last words of the statement before a phrase: "no longer", "isn't", "was",
// "might", …
func negated(before string) bool {
	before = before[max(0, len(before)-100):] // a line may be long
	before = before[strings.LastIndexAny(before, ".,;:!?(|")+1:]
	for _, dash := range []string{"—", "–"} {
		if i := strings.LastIndex(before, dash); i >= 0 {
			before = before[i+len(dash):]
		}
	}
	if strings.ContainsAny(before, "*_’") {
		before = strings.NewReplacer("*", "", "_", "", "n’t", "n't").Replace(before)
	}
	if strings.HasSuffix(before, "non-") {
		return true
	}
	words := strings.Fields(before)
	words = words[max(0, len(words)-nearWords):]
	for _, word := range slices.Backward(words) {
		switch {
		case slices.Contains(turns, word):
			return false
		case strings.HasSuffix(word, "n't"), slices.Contains(denials, word):
			return true
		}
	}
	return false
}
