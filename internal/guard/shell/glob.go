package shell

import "hooks/internal/guard/word"

const maxGlobText = 512 // bytes of a text that patterns with live characters are tried on

// globbable pays for matching a pattern at every place of a text; false: it is too much, the result is unknown.
func (f *Frame) globbable(s, pat string) bool {
	if plain, ok := word.LiteralPat(pat); ok && plain != "" {
		return f.M.Spend(1 + len(s)/64)
	}
	stars := 0
	for i := range len(pat) {
		stars += word.Btoi(pat[i] == '*')
	}
	return stars <= 4 && len(s) <= maxGlobText && f.M.Spend(1+len(s)*len(s)/8)
}

// glob matches a whole text against a pattern, maybe when that is too much work.
func (f *Frame) glob(pat, s string) Truth {
	if len(pat)*len(s) > 1<<20 || !f.M.Spend(1+len(pat)*len(s)/1024) {
		return Maybe
	}
	return TruthOf(word.GlobMatch(pat, s))
}
