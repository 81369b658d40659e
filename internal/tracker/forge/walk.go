package forge

import (
	"strings"

	"github.com/tidwall/gjson"
)

// A backlog is some megabytes, most of it bodies, in lists deep inside. These look for a value as gjson does, but pass over
// what stands before it by its brackets and quotes, and take nothing apart that is not asked for. They are for text that
// was found valid.

// get is the value at a path of names, none where there is no such.
func get(r gjson.Result, path ...string) gjson.Result {
	if at := find(r, path...); at != "" {
		return value(at[:valueEnd(at)])
	}
	return gjson.Result{}
}

// find is the text from the value at a path of names on, "" where there is no such.
func find(r gjson.Result, path ...string) (at string) {
	at = r.Raw
	for _, name := range path {
		rest := ""
		if at != "" && at[0] == '{' {
			fields(at, func(key, text string) (int, bool) {
				if key == name {
					rest = text
					return 0, false
				}
				return valueEnd(text), true
			})
		}
		at = rest
	}
	return at
}

// value is gjson.Parse, for a value by itself.
func value(raw string) gjson.Result {
	switch raw[0] {
	case '{', '[':
		return gjson.Result{Type: gjson.JSON, Raw: raw}
	case '"':
		return gjson.Result{Type: gjson.String, Raw: raw, Str: unescaped(raw)}
	}
	return gjson.Parse(raw)
}

// each gives an object's fields, or a list's elements without a key, until it is told that it is enough.
func each(r gjson.Result, field func(key, raw string) bool) {
	if !r.IsObject() && !r.IsArray() {
		return
	}
	fields(r.Raw, func(key, text string) (int, bool) {
		n := valueEnd(text)
		return n, field(key, text[:n])
	})
}

// fields goes over the object or list that a text begins with. field is given what begins with a value, and gives that
// value's length.
func fields(text string, field func(key, text string) (n int, more bool)) {
	isObject := text[0] == '{'
	for text = skipBlank(text[1:]); text[0] != '}' && text[0] != ']'; {
		key := ""
		if isObject {
			n := valueEnd(text)
			key, text = unescaped(text[:n]), skipBlank(skipBlank(text[n:])[1:])
		}
		n, more := field(key, text)
		if !more {
			return
		}
		if text = skipBlank(text[n:]); text[0] == ',' {
			text = skipBlank(text[1:])
		}
	}
}

// elements are a list's.
func elements(r gjson.Result) []gjson.Result {
	var out []gjson.Result
	each(r, func(_, raw string) bool {
		out = append(out, value(raw))
		return true
	})
	return out
}

// valueEnd is the length of the value that a text begins with.
func valueEnd(text string) int {
	switch text[0] {
	case '{', '[':
		return documentEnd(text)
	case '"':
		return stringEnd(text[1:]) + 2
	}
	n := 0
	for n < len(text) && text[n] > ',' && text[n] != ']' && text[n] != '}' { // numbers and words
		n++
	}
	return n
}

func skipBlank(text string) string {
	for text != "" && (text[0] == ' ' || text[0] == '\n' || text[0] == '\r' || text[0] == '\t') {
		text = text[1:]
	}
	return text
}

// unescaped is what a string says: piece by piece, because bodies are long and mostly plain.
func unescaped(raw string) string {
	text := raw[1 : len(raw)-1]
	n := strings.IndexByte(text, '\\')
	if n < 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for ; n >= 0; n = strings.IndexByte(text, '\\') {
		at := strings.IndexByte(`"\/bfnrt`, text[n+1])
		if at < 0 { // a letter by its number
			return gjson.Parse(raw).Str
		}
		b.WriteString(text[:n])
		b.WriteByte("\"\\/\b\f\n\r\t"[at])
		text = text[n+2:]
	}
	b.WriteString(text)
	return b.String()
}
