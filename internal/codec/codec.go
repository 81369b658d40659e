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
//
// A struct with a method Variants has one field, of an interface's type. The method yields, under
// each name that the field can have in a file, a nil pointer of the type that it then holds.
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
	option string // omitempty, omitzero, raw, loose, variant or none
}

type variants interface {
	Variants(yield func(name string, of any) bool)
}

// known are the fields by type: one event reads and writes a budget several times.
var known sync.Map

// Fields returns the fields of a struct in the order in which they are written.
func Fields(t reflect.Type) []Field {
	if list, ok := known.Load(t); ok {
		return list.([]Field)
	}
	list, _ := addFields(make([]Field, 0, t.NumField()+8), 0, t, nil) // with embedded ones
	known.Store(t, list)
	return list
}

// addFields adds the fields of a struct to the list from there on. outer leads to the struct if it
// is embedded.
func addFields(list []Field, at int, t reflect.Type, outer []int) ([]Field, int) {
	if t.NumField() == 1 && t.Implements(reflect.TypeFor[variants]()) {
		index := append(outer[:len(outer):len(outer)], 0)
		for name, of := range reflect.Zero(t).Interface().(variants).Variants {
			list = slices.Insert(list, at, Field{name, reflect.TypeOf(of), index, "variant"})
			at++
		}
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if outer == nil {
			at = len(list)
		} else {
			f.Index = append(outer[:len(outer):len(outer)], i)
		}
		if f.Anonymous {
			list, at = addFields(list, at, f.Type, f.Index)
			continue
		}
		name, own, _ := strings.Cut(strings.TrimPrefix(string(f.Tag), `json:"`), `"`)
		name, option, _ := strings.Cut(name, ",")
		if name == "" || name == "-" {
			continue
		}
		own = strings.TrimSuffix(strings.TrimPrefix(own, ` codec:"`), `"`)
		if before, apart := strings.CutPrefix(own, "after="); apart {
			at = Position(list, before, 0) + 1
		} else if own != "" {
			option = own
		}
		list = slices.Insert(list, at, Field{name, f.Type, f.Index, option})
		at++
	}
	return list, at
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
