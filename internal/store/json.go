package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/tidwall/gjson"
)

// Package json builds tables of all that a type and the types in it could ever hold before it reads or writes the first
// field, which costs a hook call more than the rest of its work. So fill and spell walk through structs themselves, look
// only at what is there, and leave single values to it.

// fill is json.Unmarshal for a text that was checked. Names are taken in their own case only.
func fill(v reflect.Value, text gjson.Result) error {
	switch v.Kind() {
	case reflect.Pointer:
		if text.IsObject() {
			v.Set(reflect.New(v.Type().Elem()))
			return fill(v.Elem(), text)
		}
	case reflect.Struct:
		if _, itself := v.Addr().Interface().(json.Unmarshaler); !itself && text.IsObject() {
			return fillFields(v, text)
		}
	case reflect.Slice:
		if text.IsArray() && v.Type().Elem().Kind() == reflect.Struct {
			return fillList(v, text.Array())
		}
	}
	return json.Unmarshal([]byte(text.Raw), v.Addr().Interface())
}

func fillFields(v reflect.Value, object gjson.Result) (err error) {
	next := 0 // what is written in the fields' order is found at the first look
	object.ForEach(func(key, value gjson.Result) bool {
		field, i := fieldOf(v, key.String(), next)
		if next = i; field.IsValid() {
			err = fill(field, value)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", key.String(), err)
		}
		return err == nil
	})
	return err
}

// fieldOf is the field of a name, looked for from a place on, and the place behind it.
func fieldOf(v reflect.Value, name string, from int) (field reflect.Value, next int) {
	n := v.NumField()
	for i := from; i < from+n; i++ {
		f := v.Type().Field(i % n)
		if f.Anonymous {
			if inner, _ := fieldOf(v.Field(i%n), name, 0); inner.IsValid() {
				return inner, i % n
			}
		} else if key, _, _ := strings.Cut(f.Tag.Get("json"), ","); key == name {
			return v.Field(i % n), i%n + 1
		}
	}
	return reflect.Value{}, from
}

func fillList(v reflect.Value, texts []gjson.Result) error {
	v.Set(reflect.MakeSlice(v.Type(), len(texts), len(texts)))
	for i, text := range texts {
		if err := fill(v.Index(i), text); err != nil {
			return err
		}
	}
	return nil
}

// spell is json.Marshal, with <, > and & as they are.
func spell(out *bytes.Buffer, v reflect.Value) error {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return spell(out, v.Elem())
		}
	case reflect.Struct:
		if _, itself := v.Interface().(json.Marshaler); !itself {
			out.WriteByte('{')
			err := spellFields(out, v)
			out.WriteByte('}')
			return err
		}
	case reflect.Slice:
		if !v.IsNil() && v.Type().Elem().Kind() == reflect.Struct {
			return spellList(out, v)
		}
	}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v.Interface())
	out.Truncate(len(bytes.TrimSuffix(out.Bytes(), []byte("\n"))))
	return err
}

func spellFields(out *bytes.Buffer, v reflect.Value) error {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous:
			if err := spellFields(out, v.Field(i)); err != nil {
				return err
			}
			continue
		case options == "omitempty" && absent(v.Field(i)), options == "omitzero" && v.Field(i).IsZero():
			continue
		}
		separate(out)
		out.WriteString(`"` + name + `":`)
		if err := spell(out, v.Field(i)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func spellList(out *bytes.Buffer, v reflect.Value) error {
	out.WriteByte('[')
	for i := range v.Len() {
		separate(out)
		if err := spell(out, v.Index(i)); err != nil {
			return err
		}
	}
	out.WriteByte(']')
	return nil
}

// separate writes the comma before all but the first of a list.
func separate(out *bytes.Buffer) {
	if last := out.Bytes()[out.Len()-1]; last != '{' && last != '[' {
		out.WriteByte(',')
	}
}

// absent is what omitempty leaves out.
func absent(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}
