package event

import (
	"strconv"

	"github.com/tidwall/gjson"
)

// Field is one scalar of a tool's input.
type Field struct {
	Path  string // keys and array indexes joined by dots, as in "files.0.path"
	Value string // a string's content, a number, true or false as written, "" for null
}

const (
	maxFields = 4096
	maxDepth  = 64 // the reader looks at a byte once per level
)

// Fields flattens tool_input to its scalars in order. Below 64 levels the raw JSON is one
// field. After 4,096 fields it stops and whole is false: what was not read cannot be judged
// harmless.
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

// flatten yields every scalar under v and reports whether all were taken.
func flatten(path string, v gjson.Result, depth int, yield func(Field) bool) bool {
	if !v.IsObject() && !v.IsArray() {
		return v.Raw == "" || yield(Field{path, scalar(v)})
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

func scalar(v gjson.Result) string {
	if v.Type == gjson.Number {
		return v.Raw // as written: the library would print 1.50 as 1.5
	}
	return v.String()
}
