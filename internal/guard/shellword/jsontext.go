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
	r := &jsonReader{s: strings.TrimPrefix(text, "\ufeff")}
	r.space()
	if r.i >= len(r.s) || r.s[r.i] != '{' && r.s[r.i] != '[' {
		return nil, true
	}
	r.value("", 0)
	return r.out, !r.cut
}

type jsonReader struct {
	s   string
	i   int
	out []effect.Field
	cut bool
}

func (r *jsonReader) space() {
	for r.i < len(r.s) && strings.IndexByte(" \t\r\n", r.s[r.i]) >= 0 {
		r.i++
	}
}

func (r *jsonReader) value(path string, depth int) {
	r.space()
	if r.i < len(r.s) && (depth > maxJSONDepth || len(r.out) >= maxLeaves) {
		r.cut = true
		r.i = len(r.s)
	}
	if r.i >= len(r.s) {
		return
	}
	switch r.s[r.i] {
	case '{', '[':
		r.group(path, depth)
	case '"':
		r.out = append(r.out, effect.Field{Path: path, Value: r.str()})
	default:
		start := r.i
		for r.i < len(r.s) && strings.IndexByte(",]} \t\r\n", r.s[r.i]) < 0 {
			r.i++
		}
		if r.i == start {
			r.i++
		}
		r.out = append(r.out, effect.Field{Path: path, Value: r.s[start:r.i]})
	}
}

func (r *jsonReader) group(path string, depth int) {
	open := r.s[r.i]
	r.i++
	for {
		r.space()
		if r.i >= len(r.s) {
			return
		}
		switch r.s[r.i] {
		case '}', ']':
			r.i++
			return
		case ',':
			r.i++
			continue
		}
		key := path
		if open == '{' {
			if r.s[r.i] != '"' {
				r.i = len(r.s)
				return
			}
			key = strings.TrimPrefix(path+"."+r.str(), ".")
			r.space()
			if r.i >= len(r.s) || r.s[r.i] != ':' {
				return
			}
			r.i++
		}
		r.value(key, depth+1)
	}
}

// JSONString reads the string whose opening quote is at i and returns the index behind it.
func JSONString(s string, i int) (text string, end int) {
	r := &jsonReader{s: s, i: i}
	text = r.str()
	return text, r.i
}

func (r *jsonReader) str() string {
	var out strings.Builder
	for r.i++; r.i < len(r.s) && r.s[r.i] != '"'; r.i++ {
		if r.s[r.i] != '\\' || r.i+1 >= len(r.s) {
			out.WriteByte(r.s[r.i])
			continue
		}
		r.i++
		if r.s[r.i] == '/' {
			out.WriteByte('/')
			continue
		}
		r.i += escape(&out, r.s[r.i:]) - 1
	}
	r.i++
	return out.String()
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
