package app

import (
	"slices"
	"strings"

	"hooks/internal/guard/shellword"
)

// mentions returns the issue and PR numbers that a text names, each once, in order: "#44",
// "PR 142", "issue 44", "!7", "/pull/142", "/issues/44", "owner/name#44". It is for prompts of
// workers, which name their target.
func mentions(text string) []int {
	var out []int
	for i := 0; i < len(text); i++ {
		end := i
		for end < len(text) && text[end] >= '0' && text[end] <= '9' {
			end++
		}
		if end == i {
			continue
		}
		n := shellword.Number(text[i:end])
		if n > 0 && mentioned(text, i, end) && !slices.Contains(out, n) {
			out = append(out, n)
		}
		i = end
	}
	return out
}

// mentioned reports whether the digits between from and to name an issue or a PR by the text around
// them.
func mentioned(text string, from, to int) bool {
	behind := text[to:min(to+2, len(text))] + "  "
	decimal := behind[0] == '.' && behind[1] >= '0' && behind[1] <= '9'
	if shellword.NameByte(behind[0]) || behind[0] == '%' || decimal || to-from > 8 {
		return false
	}
	before := strings.ToLower(text[max(0, from-40):from])
	if strings.HasSuffix(before, "#") {
		return !strings.HasSuffix(before, "&#") && !strings.HasSuffix(before, "##")
	}
	for _, mark := range []string{
		"/pull/", "/pulls/", "/issues/", "/merge_requests/", "/pull-requests/",
	} {
		if strings.HasSuffix(before, mark) {
			return true
		}
	}
	before = strings.TrimRight(before, " \t:=!-")
	for _, filler := range []string{" number", " no.", " nr."} {
		before = strings.TrimSuffix(before, filler)
	}
	letter := func(r rune) bool { return r < 'a' || r > 'z' }
	noun := before[strings.LastIndexFunc(before, letter)+1:]
	if noun == "request" {
		kind := strings.TrimRight(strings.TrimSuffix(before, noun), " -")
		return strings.HasSuffix(kind, "pull") || strings.HasSuffix(kind, "merge")
	}
	return shellword.Has("pr prs issue issues mr mrs ticket bug gh pull", noun)
}
