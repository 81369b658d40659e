package shellword

import (
	"path"
	"strings"
)

// GlobMatch matches a whole text against a shell pattern: *, ?, [a-z], [!a], and a backslash before
// a plain character. Like the shell's case and [[ ]], * crosses slashes. A malformed
// pattern matches itself only.
func GlobMatch(pat, s string) bool {
	pat = strings.ReplaceAll(strings.ReplaceAll(pat, "[!", "[^"), "/", "\x01")
	s = strings.ReplaceAll(s, "/", "\x01")
	ok, err := path.Match(pat, s)
	return ok || err != nil && pat == s
}
