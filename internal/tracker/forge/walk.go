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
	for _, name := range path {
		var found gjson.Result
		each(r, func(key, raw string) bool {
			if key == name {
				found = value(raw)
			}
			return key != name
		})
		r = found
	}
	return r
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
	text, isObject := skipBlank(r.Raw[1:]), r.IsObject()
	for text[0] != '}' && text[0] != ']' {
		key := ""
		if isObject {
			n := valueEnd(text)
			key, text = unescaped(text[:n]), skipBlank(skipBlank(text[n:])[1:])
		}
		n := valueEnd(text)
		if !field(key, text[:n]) {
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
