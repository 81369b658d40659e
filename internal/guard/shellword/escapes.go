package shellword

import (
	"strconv"
	"strings"
)

// Unescape resolves the backslash escapes of $'…'.
func Unescape(s string) string {
	var out strings.Builder
	for {
		i := strings.IndexByte(s, '\\')
		if i < 0 {
			out.WriteString(s)
			return out.String()
		}
		text, n := escape(s[i:])
		out.WriteString(s[:i] + text)
		s = s[i+n:]
	}
}

// escape decodes the escape at the beginning of a text and returns the bytes it took. One that is
// malformed stays.
func escape(s string) (text string, n int) {
	if len(s) > 1 && strings.IndexByte(`'"/?`, s[1]) >= 0 {
		return s[1:2], 2
	}
	r, multibyte, rest, err := strconv.UnquoteChar(s, 0)
	switch {
	case err != nil:
		return s[:min(2, len(s))], min(2, len(s))
	case multibyte:
		return string(r), len(s) - len(rest)
	}
	return string([]byte{byte(r)}), len(s) - len(rest)
}
