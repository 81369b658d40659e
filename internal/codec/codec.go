// Package codec writes structs as JSON and reads them back. It is for the small files that a hook
// call reads and writes: encoding/json first builds tables of all that a type and the types in it
// could ever hold, and checks every value once more, which costs more than the rest of the call.
//
// Tags are those of encoding/json, and so is the output, with five differences. A field without a
// name is left out. <, > and & stay as they are. A nil slice is an empty list unless it is omitted.
// A text with the tag codec:"raw" is JSON itself, which is copied as it is and omitted when empty.
// One with the tag codec:"loose" stays empty for a value of another type, which is no error.
// In an embedded struct, a field with the tag codec:"after=NAME" is written after the field NAME
// that the outer struct has before it, and the fields that follow come with it, because fields that
// belong together may lie apart in a file. Every tag begins with json.
package codec

import (
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Field describes how one field of a struct is written. Fields of an embedded struct are listed
// among the others.
type Field struct {
	Name   string
	Type   reflect.Type
	index  []int
	option string // omitempty, omitzero, raw, loose or none
	after  string // the field of an outer struct that it follows; "" if it follows the one before
}

// known are the fields by type: one event reads and writes a budget several times.
var known sync.Map

// Fields returns the fields of a struct in the order in which they are written.
func Fields(t reflect.Type) []Field {
	if list, ok := known.Load(t); ok {
		return list.([]Field)
	}
	list := make([]Field, 0, t.NumField()+8) // with room for those of embedded structs
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			list = embed(list, Fields(f.Type), i)
			continue
		}
		name, own, _ := strings.Cut(strings.TrimPrefix(string(f.Tag), `json:"`), `"`)
		name, option, _ := strings.Cut(name, ",")
		if name == "" || name == "-" {
			continue
		}
		own = strings.TrimSuffix(strings.TrimPrefix(own, ` codec:"`), `"`)
		own, after, apart := strings.Cut(own, "after=")
		if !apart && own != "" {
			option = own
		}
		list = append(list, Field{name, f.Type, f.Index, option, after})
	}
	known.Store(t, list)
	return list
}

// embed adds the fields of the struct that is embedded as field i.
func embed(list, own []Field, i int) []Field {
	at := len(list)
	for _, f := range own {
		if f.after != "" {
			at = Position(list, f.after, 0) + 1
		}
		f.index = append([]int{i}, f.index...)
		list = slices.Insert(list, at, f)
		at++
	}
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
