package store

import (
	"reflect"
	"strings"
	"sync"
)

// named is how a field of a struct is written.
type named struct {
	name, options string
	embedded      bool // its fields stand among the others
}

// shapes are the fields of the structs that were met, by type: a budget is read and written several times in one event.
var shapes sync.Map

func namesOf(t reflect.Type) []named {
	if known, ok := shapes.Load(t); ok {
		return known.([]named)
	}
	list := make([]named, t.NumField())
	for i := range list {
		f := t.Field(i)
		tag := strings.TrimPrefix(string(f.Tag), `json:"`) // no field has another tag
		tag, _, _ = strings.Cut(tag, `"`)
		name, options, _ := strings.Cut(tag, ",")
		list[i] = named{name: name, options: options, embedded: f.Anonymous}
	}
	shapes.Store(t, list)
	return list
}
