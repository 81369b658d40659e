package shellword

import (
	"strconv"
	"strings"

	"hooks/internal/guard/effect"
)

const (
	maxLeaves    = 20_000
	maxJSONDepth = 200
)

// JSONLeaves reads JSON text into its leaves. It is lenient: unknown parts are values, and a broken
// tail is left out.
func JSONLeaves(text string) []effect.Field {
	leaves, _ := JSONLeavesWhole(text)
	return leaves
}

// JSONLeavesWhole also reports whether all of them were read, within the bounds of number and
// depth.
func JSONLeavesWhole(text string) (leaves []effect.Field, whole bool) {
	type level struct {
		path, key     string // of what is around it; the key that was read last
		object, keyed bool
	}
	var stack []level
	i := len(text) - len(strings.TrimLeft(strings.TrimPrefix(text, "\ufeff"), " \t\r\n"))
	for ; i < len(text); i++ {
		top := level{}
		if n := len(stack); n > 0 {
			top = stack[n-1]
		}
		at := strings.TrimPrefix(top.path+"."+top.key, ".")
		if !top.object {
			at = top.path
		}
		switch c := text[i]; {
		case strings.IndexByte(" \t\r\n,:", c) >= 0:
			continue
		case c == '}' || c == ']':
			if len(stack) < 2 {
				return leaves, true
			}
			stack = stack[:len(stack)-1]
			continue
		case len(leaves) >= maxLeaves || len(stack) > maxJSONDepth:
			return leaves, false
		case len(stack) == 0 && c != '{' && c != '[':
			return nil, true
		case top.object && !top.keyed && c != '"': // no key
			return leaves, true
		case top.object && !top.keyed:
			stack[len(stack)-1].keyed = true
			stack[len(stack)-1].key, i = JSONString(text, i)
			i--
			continue
		case c == '{' || c == '[':
			if top.object {
				stack[len(stack)-1].keyed = false
			}
			stack = append(stack, level{path: at, object: c == '{'})
			continue
		case c == '"':
			value, end := JSONString(text, i)
			leaves = append(leaves, effect.Field{Path: at, Value: value})
			i = end - 1
		default:
			end := i + 1
			for end < len(text) && strings.IndexByte(",]} \t\r\n", text[end]) < 0 {
				end++
			}
			leaves = append(leaves, effect.Field{Path: at, Value: text[i:end]})
			i = end - 1
		}
		stack[len(stack)-1].keyed = false // the key has its value
	}
	return leaves, true
}

// JSONString reads the string whose opening quote is at i and returns the index behind it.
func JSONString(s string, i int) (text string, end int) {
	var out strings.Builder
	for i++; i < len(s) && s[i] != '"'; {
		text, n := s[i:i+1], 1
		if s[i] == '\\' {
			text, n = escape(s[i:])
		}
		out.WriteString(text)
		i += n
	}
	return out.String(), i + 1
}

// FormLeaves reads a=b&c=d.
func FormLeaves(text string) []effect.Field {
	if !strings.Contains(text, "=") || strings.ContainsAny(Clip(text, 40), "{[<\n") {
		return nil
	}
	var out []effect.Field
	for part := range strings.SplitSeq(text, "&") {
		k, v, _ := strings.Cut(part, "=")
		v = Percent20(strings.ReplaceAll(v, "+", " "))
		out = append(out, effect.Field{Path: Percent20(k), Value: v})
	}
	return out
}

// Percent20 decodes %xx; what is malformed stays.
func Percent20(s string) string {
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(s, "%")
		if out.WriteString(before); !ok {
			return out.String()
		}
		n, err := strconv.ParseUint(rest[:min(2, len(rest))], 16, 8)
		if s = rest; err != nil || len(rest) < 2 {
			out.WriteByte('%')
			continue
		}
		out.WriteByte(byte(n))
		s = rest[2:]
	}
}

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
