package backlog

import (
	"hooks/internal/markdown"
)

// closer matches the words with which a PR closes an issue on the forges.
var closer = pattern{text: `(?i)\b(?:close[sd]?|closing|fix(?:es|ed|ing)?|` +
	`resolve[sd]?|resolving|implement(?:s|ed|ing)?)\b`}

// Closes returns the issues of home that a merge of a PR with this body closes, as in "fixes #5"
// or "Closes #1, #2 and #3". As on the forges, a negation ("does not fix #5") has no effect, and
// code and quotes do not count.
func Closes(body string, home Home) (out []int) {
	if !mentions(body) {
		return nil
	}
	for l := range markdown.Lines(body) {
		if l.Kind != markdown.Plain && l.Kind != markdown.Heading || !mentions(l.Text) {
			continue
		}
		text := prose(l.Text)
		for _, at := range closer.re().FindAllStringIndex(text, -1) {
			refs, _ := references(text[at[1]:], home)
			for _, r := range refs {
				if r.Repo == "" {
					out = append(out, r.Number)
				}
			}
		}
	}
	return out
}
