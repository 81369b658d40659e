package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// Package json builds tables of all that a type and the types in it could ever hold before it reads or writes the first
// field, and checks every value once more, which costs a hook call more than the rest of its work. So fill and spell walk
// through values themselves and leave to it only what is not plain.

// fill is json.Unmarshal for a text that was checked. Names are taken in their own case only.
func fill(v reflect.Value, text gjson.Result) error {
	if own, itself := v.Addr().Interface().(json.Unmarshaler); itself {
		return own.UnmarshalJSON([]byte(text.Raw))
	}
	switch v.Kind() {
	case reflect.Pointer:
		if text.IsObject() {
			v.Set(reflect.New(v.Type().Elem()))
			return fill(v.Elem(), text)
		}
	case reflect.Struct:
		if text.IsObject() {
			return fillFields(v, text)
		}
	case reflect.Slice:
		if text.IsArray() {
			return fillList(v, text.Array())
		}
	case reflect.Map:
		if text.IsObject() {
			return fillMap(v, text)
		}
	}
	if fillPlain(v, text) {
		return nil
	}
	return json.Unmarshal([]byte(text.Raw), v.Addr().Interface())
}

// fillPlain takes a value over that can be read in one way only.
func fillPlain(v reflect.Value, text gjson.Result) bool {
	switch v.Kind() {
	case reflect.String:
		if text.Type == gjson.String && !strings.Contains(text.Raw, `\`) && utf8.ValidString(text.Raw) {
			v.SetString(text.Raw[1 : len(text.Raw)-1])
			return true
		}
	case reflect.Bool:
		if text.IsBool() {
			v.SetBool(text.Type == gjson.True)
			return true
		}
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(text.Raw, 10, 64)
		if err == nil && !v.OverflowInt(n) {
			v.SetInt(n)
			return true
		}
	}
	return false
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
	names := namesOf(v.Type())
	n := len(names)
	for i := from; i < from+n; i++ {
		at := names[i%n]
		if at.embedded {
			if inner, _ := fieldOf(v.Field(i%n), name, 0); inner.IsValid() {
				return inner, i % n
			}
		} else if at.name == name {
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

func fillMap(v reflect.Value, object gjson.Result) (err error) {
	v.Set(reflect.MakeMap(v.Type()))
	key, value := reflect.New(v.Type().Key()).Elem(), v.Type().Elem()
	object.ForEach(func(name, text gjson.Result) bool {
		inner := reflect.New(value).Elem()
		if err = fill(key, name); err == nil {
			err = fill(inner, text)
		}
		v.SetMapIndex(key, inner)
		return err == nil
	})
	return err
}

// spell is json.Marshal, with <, > and & as they are.
func spell(out *bytes.Buffer, v reflect.Value) error {
	if own, itself := v.Interface().(json.Marshaler); itself && v.Kind() != reflect.Pointer {
		text, err := own.MarshalJSON()
		out.Write(text)
		return err
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return spell(out, v.Elem())
		}
	case reflect.Struct:
		out.WriteByte('{')
		err := spellFields(out, v)
		out.WriteByte('}')
		return err
	case reflect.Slice:
		if !v.IsNil() {
			return spellList(out, v)
		}
	case reflect.Map:
		if !v.IsNil() {
			return spellMap(out, v)
		}
	}
	if spellPlain(out, v) {
		return nil
	}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v.Interface())
	out.Truncate(len(bytes.TrimSuffix(out.Bytes(), []byte("\n"))))
	return err
}

// spellPlain writes a value that can be written in one way only.
func spellPlain(out *bytes.Buffer, v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String:
		text := v.String()
		if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }) {
			return false
		}
		out.WriteByte('"')
		out.WriteString(text)
		out.WriteByte('"')
	case reflect.Bool:
		out.Write(strconv.AppendBool(out.AvailableBuffer(), v.Bool()))
	case reflect.Int, reflect.Int64:
		out.Write(strconv.AppendInt(out.AvailableBuffer(), v.Int(), 10))
	default:
		return false
	}
	return true
}

func spellFields(out *bytes.Buffer, v reflect.Value) error {
	for i, at := range namesOf(v.Type()) {
		field := v.Field(i)
		switch {
		case at.embedded:
			if err := spellFields(out, field); err != nil {
				return err
			}
			continue
		case at.options == "omitempty" && absent(field), at.options == "omitzero" && field.IsZero():
			continue
		}
		separate(out)
		out.WriteByte('"')
		out.WriteString(at.name)
		out.WriteString(`":`)
		if err := spell(out, field); err != nil {
			return fmt.Errorf("%s: %w", at.name, err)
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

// spellMap writes a map by texts, in their order.
func spellMap(out *bytes.Buffer, v reflect.Value) error {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	out.WriteByte('{')
	for _, key := range keys {
		separate(out)
		if err := spell(out, key); err != nil {
			return err
		}
		out.WriteByte(':')
		if err := spell(out, v.MapIndex(key)); err != nil {
			return err
		}
	}
	out.WriteByte('}')
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
