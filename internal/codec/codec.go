// Package codec encodes structs as JSON and decodes them. It is for the small files that a hook
// call reads and writes. For these, encoding/json would cost more than the rest of the call,
// because it first builds tables for a type and all types in it and checks every value again.
//
// Tags and output follow encoding/json, with these differences. A field without a name is
// omitted. <, > and & are not escaped. A nil slice is encoded as an empty list unless it is
// omitted. A string with the tag codec:"raw" contains JSON, which is copied unchanged and omitted
// if empty. A string with the tag codec:"loose" ignores a value of another type. Every tag begins
// with json.
//
// A struct with a method Variants has one field of an interface type. The method yields each JSON
// name that the field can have, with a nil pointer of the type that the field then holds.
package codec

import (
	"reflect"
	"strings"
	"sync"
)

// Field describes the encoding of a struct field. Fields of an embedded struct are listed with the
// others.
type Field struct {
	Name   string
	Type   reflect.Type
	index  []int
	option string // omitempty, omitzero, raw, loose, variant or ""
}

type variants interface {
	Variants(yield func(name string, of any) bool)
}

// known caches the fields of each type, because one event encodes and decodes a budget several
// times.
var known sync.Map

// Fields returns the fields of a struct in encoding order.
func Fields(t reflect.Type) []Field {
	if list, ok := known.Load(t); ok {
		return list.([]Field)
	}
	list := make([]Field, 0, t.NumField()+8) // room for fields of embedded structs
	if t.NumField() == 1 && t.Implements(reflect.TypeFor[variants]()) {
		for name, of := range reflect.Zero(t).Interface().(variants).Variants {
			list = append(list, Field{name, reflect.TypeOf(of), []int{0}, "variant"})
		}
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			for _, own := range Fields(f.Type) {
				own.index = append([]int{i}, own.index...)
				list = append(list, own)
			}
			continue
		}
		name, own, _ := strings.Cut(strings.TrimPrefix(string(f.Tag), `json:"`), `"`)
		name, option, _ := strings.Cut(name, ",")
		if name == "" || name == "-" {
			continue
		}
		if own != "" {
			option = strings.TrimSuffix(strings.TrimPrefix(own, ` codec:"`), `"`)
		}
		list = append(list, Field{name, f.Type, f.Index, option})
	}
	known.Store(t, list)
	return list
}

// Position returns the index of a field in a list, or -1. It searches from index from, so fields
// looked up in list order are found at the first comparison.
func Position(list []Field, name string, from int) int {
	for i := from; i < from+len(list); i++ {
		if at := i % len(list); list[at].Name == name {
			return at
		}
	}
	return -1
}
