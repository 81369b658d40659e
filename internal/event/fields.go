package event

import (
	"strconv"

	"github.com/tidwall/gjson"
)

// Field is one scalar in a tool's input.
type Field struct {
	Path  string // keys and array indexes joined by dots, for example "files.0.path"
	Value string // string contents; a number, true or false as written; "" for null
}

const (
	maxFields = 4096
	maxDepth  = 64 // gjson scans each byte once per level
)

// Fields returns the scalars of tool_input in order. A value nested over 64 levels deep is
// returned as raw JSON. After 4,096 fields, whole is false: the rest is unread, so it may be
// harmful.
func (e Event) Fields() (list []Field, whole bool) {
	whole = flatten("", e.Input, 0, func(f Field) bool {
		if len(list) == maxFields {
			return false
		}
		list = append(list, f)
		return true
	})
	return list, whole
}

// flatten yields every scalar in v and reports whether yield accepted all.
func flatten(path string, v gjson.Result, depth int, yield func(Field) bool) bool {
	if !v.IsObject() && !v.IsArray() {
		value := v.String()
		if v.Type == gjson.Number {
			value = v.Raw // as written; String would turn 1.50 into 1.5
		}
		return v.Raw == "" || yield(Field{path, value})
	}
	if depth == maxDepth {
		return yield(Field{path, v.Raw})
	}
	index, all := 0, true
	v.ForEach(func(k, member gjson.Result) bool {
		name := k.String()
		if v.IsArray() {
			name = strconv.Itoa(index)
			index++
		}
		if path != "" {
			name = path + "." + name
		}
		all = flatten(name, member, depth+1, yield)
		return all
	})
	return all
}
