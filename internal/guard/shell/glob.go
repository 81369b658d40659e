package shell

import "hooks/internal/guard/word"

// glob matches a whole text against a pattern, maybe when that is too much work.
func (f *Frame) glob(pat, s string) Truth {
	if len(pat)*len(s) > 1<<20 || !f.M.Spend(1+len(pat)*len(s)/1024) {
		return Maybe
	}
	return TruthOf(word.GlobMatch(pat, s))
}
