package shellword

import (
	"strconv"
	"strings"
)

// Unescape resolves the backslash escapes of $'…'.
func Unescape(s string) string {
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(s, `\`)
		if out.WriteString(before); !ok || rest == "" {
			if ok {
				out.WriteByte('\\')
			}
			return out.String()
		}
		s = rest[escape(&out, rest):]
	}
}

const simpleEscapes = "a\ab\be\x1bE\x1bf\fn\nr\rt\tv\v\\\\''\"\"??"

// escape decodes one escape after its backslash and returns the bytes it took.
func escape(out *strings.Builder, s string) int {
	for i := 0; i+1 < len(simpleEscapes); i += 2 {
		if simpleEscapes[i] == s[0] {
			out.WriteByte(simpleEscapes[i+1])
			return 1
		}
	}
	switch c := s[0]; {
	case c == 'x':
		return codePoint(out, s, 1, 16, 2)
	case c == 'u':
		return codePoint(out, s, 1, 16, 4)
	case c == 'U':
		return codePoint(out, s, 1, 16, 8)
	case c >= '0' && c <= '7':
		return codePoint(out, s, 0, 8, 3)
	}
	out.WriteByte('\\')
	out.WriteByte(s[0])
	return 1
}

// codePoint writes the character of at most so many digits. Without a digit the escape is plain
// text.
func codePoint(out *strings.Builder, s string, from, base, most int) int {
	for end := min(from+most, len(s)); end > from; end-- {
		n, err := strconv.ParseUint(s[from:end], base, 32)
		switch {
		case err != nil:
			continue
		case s[0] == 'u' || s[0] == 'U':
			out.WriteRune(rune(n))
		default:
			out.WriteByte(byte(n))
		}
		return end
	}
	out.WriteString(`\` + s[:1])
	return 1
}
