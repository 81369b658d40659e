package word

// GlobMatch matches a whole text against a shell pattern: *, ?, [a-z], [!a], and a backslash before a plain character.
// Like the shell's case and [[ ]], * crosses slashes.
func GlobMatch(pat, s string) bool {
	star, mark := -1, 0
	p, i := 0, 0
	for i < len(s) {
		if n, ok := matchOne(pat[p:], s[i]); ok {
			p += n
			i++
			continue
		}
		if p < len(pat) && pat[p] == '*' {
			star, mark = p, i
			p++
			continue
		}
		if star < 0 {
			return false
		}
		mark++
		p, i = star+1, mark
	}
	for p < len(pat) && pat[p] == '*' {
		p++
	}
	return p == len(pat)
}

// matchOne matches one byte against the pattern's first element, which is not *; n is that element's length.
func matchOne(pat string, c byte) (n int, ok bool) {
	if pat == "" {
		return 0, false
	}
	switch pat[0] {
	case '*':
		return 0, false
	case '?':
		return 1, true
	case '[':
		if n, in := class(pat, c); n > 0 {
			return n, in
		}
	case '\\':
		if len(pat) > 1 {
			return 2, pat[1] == c
		}
	}
	return 1, pat[0] == c
}

// class reads [abc], [a-z], [!abc]; n is 0 when the bracket is not closed.
func class(pat string, c byte) (n int, in bool) {
	i, negated := 1, false
	if i < len(pat) && (pat[i] == '!' || pat[i] == '^') {
		negated = true
		i++
	}
	for first := true; i < len(pat); first = false {
		if pat[i] == ']' && !first {
			return i + 1, in != negated
		}
		lo := pat[i]
		hi := lo
		if i+2 < len(pat) && pat[i+1] == '-' && pat[i+2] != ']' {
			hi = pat[i+2]
			i += 2
		}
		in = in || lo <= c && c <= hi
		i++
	}
	return 0, false
}

// LiteralPat takes the backslashes off a pattern without live characters; ok is false when it has some.
func LiteralPat(pat string) (string, bool) {
	out := make([]byte, 0, len(pat))
	for i := 0; i < len(pat); i++ {
		switch pat[i] {
		case '*', '?', '[':
			return "", false
		case '\\':
			if i+1 < len(pat) {
				i++
			}
		}
		out = append(out, pat[i])
	}
	return string(out), true
}
