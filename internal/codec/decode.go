package codec

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// Decode fills the value that v points to from valid JSON, as json.Unmarshal does, except that
// names are case-sensitive. It ignores unknown fields. A gjson.Result accepts any value. Decode
// returns a TypeError for a value of the wrong type.
func Decode(text gjson.Result, v any) error { return decode(reflect.ValueOf(v).Elem(), text) }

// DecodeSome is like Decode but decodes a field of the outermost struct only if wanted returns true
// for its name. It calls wanted for each known field, in the order of the fields in text.
func DecodeSome(text gjson.Result, v any, wanted func(name string) bool) error {
	return decodeFields(reflect.ValueOf(v).Elem(), text, wanted)
}

func decode(v reflect.Value, text gjson.Result) error {
	if v.Type().PkgPath() != "" { // only named types have methods
		switch own := v.Addr().Interface().(type) {
		case *gjson.Result:
			*own = text
			return nil
		case json.Unmarshaler:
			if err := own.UnmarshalJSON([]byte(text.Raw)); err != nil {
				return &TypeError{Raw: text.Raw, Err: err}
			}
			return nil
		}
	}
	switch kind := v.Kind(); {
	case kind == reflect.Pointer && text.Type != gjson.Null:
		v.Set(reflect.New(v.Type().Elem()))
		return decode(v.Elem(), text)
	case kind == reflect.Struct && text.IsObject():
		return decodeFields(v, text, nil)
	case kind == reflect.Slice && text.IsArray():
		list := text.Array()
		v.Set(reflect.MakeSlice(v.Type(), len(list), len(list)))
		for i, element := range list {
			if err := decode(v.Index(i), element); err != nil {
				return under(strconv.Itoa(i), err)
			}
		}
		return nil
	case kind == reflect.Map && text.IsObject():
		return decodeMap(v, text)
	case decodePlain(v, text):
		return nil
	}
	if json.Unmarshal([]byte(text.Raw), v.Addr().Interface()) != nil {
		return &TypeError{Raw: text.Raw}
	}
	return nil
}

// decodePlain decodes simple values without encoding/json. It reports whether it succeeded.
func decodePlain(v reflect.Value, text gjson.Result) bool {
	switch v.Kind() {
	case reflect.String:
		plain := text.Type == gjson.String && !strings.Contains(text.Raw, `\u`)
		if plain && utf8.ValidString(text.Raw) {
			v.SetString(text.Str)
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
	case reflect.Uint64:
		n, err := strconv.ParseUint(text.Raw, 10, 64)
		if err == nil {
			v.SetUint(n)
			return true
		}
	}
	return false
}

// decodeFields decodes the fields of a struct. If wanted is not nil, it selects them.
func decodeFields(
	v reflect.Value, object gjson.Result, wanted func(name string) bool,
) (err error) {
	list, next := Fields(v.Type()), 0
	object.ForEach(func(key, value gjson.Result) bool {
		at := Position(list, key.String(), next)
		if at < 0 {
			return true
		}
		next = at + 1
		if wanted != nil && !wanted(list[at].Name) {
			return true
		}
		f, field := &list[at], v.FieldByIndex(list[at].index)
		switch {
		case f.option == "raw":
			field.SetString(value.Raw)
			return true
		case f.option == "loose" && value.Type != gjson.String,
			f.option == "variant" && value.Type == gjson.Null:
			return true
		case f.option == "variant":
			own := reflect.New(f.Type.Elem())
			field.Set(own)
			field = own.Elem()
		}
		if err = decode(field, value); err != nil {
			err = under(f.Name, err)
		}
		return err == nil
	})
	return err
}

func decodeMap(v reflect.Value, object gjson.Result) (err error) {
	v.Set(reflect.MakeMap(v.Type()))
	key, inner := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
	object.ForEach(func(name, text gjson.Result) bool {
		inner.SetZero()
		if err = decode(key, name); err == nil {
			err = under(strconv.Quote(Clip(name.String())), decode(inner, text))
		}
		v.SetMapIndex(key, inner)
		return err == nil
	})
	return err
}
