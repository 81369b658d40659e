package word

import (
	"strconv"
	"strings"
)

// Unescape resolves the backslash escapes of $'…', printf and echo -e; bare is as in Escape.
func Unescape(s string, bare bool) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 >= len(s) {
			out.WriteByte(s[i])
			continue
		}
		i += Escape(&out, s[i+1:], bare)
	}
	return out.String()
}

const simpleEscapes = "a\ab\be\x1bE\x1bf\fn\nr\rt\tv\v\\\\''\"\"??"

// Escape decodes one escape after its backslash and returns the bytes it took. bare octals (\101) are those of $'…'
// and printf; echo -e wants a leading zero.
func Escape(out *strings.Builder, s string, bare bool) int {
	for i := 0; i+1 < len(simpleEscapes); i += 2 {
		if simpleEscapes[i] == s[0] {
			out.WriteByte(simpleEscapes[i+1])
			return 1
		}
	}
	switch {
	case s[0] == 'x':
		return codePoint(out, s, 1, 16, 2, false)
	case s[0] == 'u':
		return codePoint(out, s, 1, 16, 4, true)
	case s[0] == 'U':
		return codePoint(out, s, 1, 16, 8, true)
	case s[0] == 'c' && len(s) > 1 && bare:
		out.WriteByte(s[1] & 0x1f)
		return 2
	case s[0] == '0' && !bare:
		return codePoint(out, s, 1, 8, 3, false)
	case s[0] >= '0' && s[0] <= '7' && bare:
		return codePoint(out, s, 0, 8, 3, false)
	}
	out.WriteByte('\\')
	out.WriteByte(s[0])
	return 1
}

func codePoint(out *strings.Builder, s string, from, base, most int, char bool) int {
	end := from
	for end < len(s) && end-from < most && isDigit(s[end], base) {
		end++
	}
	n, err := strconv.ParseUint(s[from:end], base, 32)
	switch {
	case err != nil && s[0] == '0':
		out.WriteByte(0)
	case err != nil:
		out.WriteByte('\\')
		out.WriteByte(s[0])
		return 1
	case char:
		out.WriteRune(rune(n))
	default:
		out.WriteByte(byte(n))
	}
	return end
}

func isDigit(c byte, base int) bool {
	switch {
	case base == 8:
		return c >= '0' && c <= '7'
	case c >= '0' && c <= '9':
		return true
	}
	return c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
