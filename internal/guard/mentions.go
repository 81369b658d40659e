package guard

import (
	"strings"

	"hooks/internal/guard/word"
)

// Mentions returns the issue and PR numbers that a text names, each once, in order: "#44", "PR 142", "issue 44",
// "!7", "/pull/142", "/issues/44", "owner/name#44". It is for prompts of workers, which name their target.
func Mentions(text string) []int {
	var out []int
	seen := map[int]bool{}
	add := func(n int) {
		if n > 0 && !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	for i := 0; i < len(text); i++ {
		if text[i] < '0' || text[i] > '9' {
			continue
		}
		end := i
		for end < len(text) && text[end] >= '0' && text[end] <= '9' {
			end++
		}
		if mentioned(text, i, end) {
			add(word.Number(text[i:end]))
		}
		i = end
	}
	return out
}

// mentioned reports whether the digits at from name an issue or a PR by what stands before and
// behind them.
func mentioned(text string, from, to int) bool {
	if to < len(text) && (word.NameByte(text[to]) || text[to] == '.' && to+1 < len(text) && text[to+1] >= '0' && text[to+1] <= '9') || to-from > 8 {
		return false
	}
	if to < len(text) && text[to] == '%' {
		return false
	}
	before := strings.ToLower(text[max(0, from-40):from])
	if strings.HasSuffix(before, "#") {
		return !strings.HasSuffix(before, "&#") && !strings.HasSuffix(before, "##")
	}
	for _, mark := range []string{"/pull/", "/pulls/", "/issues/", "/merge_requests/", "/pull-requests/"} {
		if strings.HasSuffix(before, mark) {
			return true
		}
	}
	before = strings.TrimRight(before, " \t:=!-")
	before = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(before, " number"), " no."), " nr.")
	return nounBefore(before)
}

// nounBefore reports whether the text ends with a word for an issue or PR.
func nounBefore(before string) bool {
	i := strings.LastIndexFunc(before, func(r rune) bool { return r < 'a' || r > 'z' })
	return word.Has("pr prs issue issues mr mrs ticket bug gh pull-request pull request", before[i+1:]) &&
		(before[i+1:] != "request" || strings.HasSuffix(before, "pull request") || strings.HasSuffix(before, "merge request") ||
			strings.HasSuffix(before, "pull-request") || strings.HasSuffix(before, "merge-request"))
}
