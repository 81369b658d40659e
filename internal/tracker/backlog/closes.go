package backlog

import (
	"slices"
	"strings"

	"hooks/internal/markdown"
)

// closers lists the words with which a PR closes an issue on the forges.
var closers = []string{
	"close", "closes", "closed", "closing", "fix", "fixes", "fixed", "fixing",
	"resolve", "resolves", "resolved", "resolving",
	"implement", "implements", "implemented", "implementing",
}

// Closes returns the issues of home that a PR with this body closes when it is merged, as in
// "fixes #5" or "Closes #1, #2 and #3". As on the forges, a negation ("does not fix #5") has no
// effect, and code and quotes do not count.
func Closes(body string, home Home) (out []int) {
	if !mentions(body) {
		return nil
	}
	for l := range markdown.Lines(body) {
		if l.Kind != markdown.Plain && l.Kind != markdown.Heading || !mentions(l.Text) {
			continue
		}
		for rest := prose(l.Text); rest != ""; {
			n := len(rest) - len(strings.TrimLeftFunc(rest, isLetter))
			word := strings.ToLower(rest[:n])
			if rest = rest[max(n, 1):]; !slices.Contains(closers, word) {
				continue
			}
			var refs []Ref
			refs, rest = references(rest, home)
			for _, r := range refs {
				if r.Repo == "" {
					out = append(out, r.Number)
				}
			}
		}
	}
	return out
}

func isLetter(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' }
