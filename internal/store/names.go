package store

import (
	"reflect"
	"strings"
	"sync"
)

// named is how a field of a struct is written.
type named struct {
	name, options string
	key           string // the name as it stands before a value
	embedded      bool   // its fields stand among the others
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
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		list[i] = named{name: name, options: options, key: `"` + name + `":`, embedded: f.Anonymous}
	}
	shapes.Store(t, list)
	return list
}
