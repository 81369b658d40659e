package guard

const maxGlobText = 512 // bytes of a text that patterns with live characters are tried on

// globbable pays for matching a pattern at every place of a text; false: it is too much, the result is unknown.
func (f *frame) globbable(s, pat string) bool {
	if plain, ok := literalPat(pat); ok && plain != "" {
		return f.m.spend(1 + len(s)/64)
	}
	stars := 0
	for i := range len(pat) {
		stars += btoi(pat[i] == '*')
	}
	return stars <= 4 && len(s) <= maxGlobText && f.m.spend(1+len(s)*len(s)/8)
}

// glob matches a whole text against a pattern, maybe when that is too much work.
func (f *frame) glob(pat, s string) truth {
	if len(pat)*len(s) > 1<<20 || !f.m.spend(1+len(pat)*len(s)/1024) {
		return maybe
	}
	return truthOf(globMatch(pat, s))
}
