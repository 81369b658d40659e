// Package codec writes structs as JSON and reads them back. It is for the small files that a hook
// call reads and writes: encoding/json first builds tables of all that a type and the types in it
// could ever hold, and checks every value once more, which costs more than the rest of the call.
//
// Tags are those of encoding/json, and so is the output, with three differences: <, > and & stay as
// they are, a nil slice is an empty list unless it is omitted, and a text with the tag codec:"raw"
// is JSON itself, which is copied as it is and omitted when empty. Every tag begins with json.
package codec

import (
	"reflect"
	"strings"
	"sync"
)

// Field is how one field of a struct is written. Fields of an embedded struct are among the others.
type Field struct {
	Name   string
	Type   reflect.Type
	index  []int
	option string // omitempty, omitzero, raw or none
}

// known are the fields by type: one event reads and writes a budget several times.
var known sync.Map

// Fields returns the fields of a struct in the order in which they are written.
func Fields(t reflect.Type) []Field {
	if list, ok := known.Load(t); ok {
		return list.([]Field)
	}
	list := make([]Field, 0, t.NumField())
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			for _, inner := range Fields(f.Type) {
				inner.index = append([]int{i}, inner.index...)
				list = append(list, inner)
			}
			continue
		}
		tag, _, _ := strings.Cut(strings.TrimPrefix(string(f.Tag), `json:"`), `"`)
		name, option, _ := strings.Cut(tag, ",")
		if strings.HasSuffix(string(f.Tag), `codec:"raw"`) {
			option = "raw"
		}
		list = append(list, Field{name, f.Type, f.Index, option})
	}
	known.Store(t, list)
	return list
}

// Position is the index of a field in a list, or -1. The search begins at from: fields that arrive
// in the order of the list are found at the first comparison.
func Position(list []Field, name string, from int) int {
	for i := from; i < from+len(list); i++ {
		if at := i % len(list); list[at].Name == name {
			return at
		}
	}
	return -1
}
