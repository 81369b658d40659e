package codec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"unicode/utf8"
)

// comma follows each member and element except the last.
var comma = []byte{','}

// Encode returns v as JSON on one line.
func Encode(v any) ([]byte, error) {
	room := make([]byte, 0, 4<<10) // enough for most values
	return encode(room, reflect.ValueOf(v))
}

func encode(b []byte, v reflect.Value) ([]byte, error) {
	if v.NumMethod() > 0 && v.Kind() != reflect.Pointer {
		if own, ok := v.Interface().(json.Marshaler); ok {
			text, err := own.MarshalJSON()
			return append(b, text...), err
		}
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return append(b, "null"...), nil
		}
		return encode(b, v.Elem())
	case reflect.Struct:
		return encodeFields(b, v)
	case reflect.Slice, reflect.Array:
		b = append(b, '[')
		for i := range v.Len() {
			var err error
			if b, err = encode(b, v.Index(i)); err != nil {
				return b, err
			}
			b = append(b, ',')
		}
		return append(bytes.TrimSuffix(b, comma), ']'), nil
	case reflect.Map:
		return appendJSON(b, v.Interface()) // with sorted keys
	case reflect.String:
		return appendText(b, v.String())
	case reflect.Bool:
		return strconv.AppendBool(b, v.Bool()), nil
	case reflect.Int, reflect.Int64:
		return strconv.AppendInt(b, v.Int(), 10), nil
	case reflect.Uint64:
		return strconv.AppendUint(b, v.Uint(), 10), nil
	}
	return b, fmt.Errorf("cannot encode a value of type %s", v.Type())
}

func encodeFields(b []byte, v reflect.Value) (_ []byte, err error) {
	b = append(b, '{')
	for _, f := range Fields(v.Type()) {
		field := v.FieldByIndex(f.index)
		omitted := f.option != "" && field.IsZero()
		switch kind := field.Kind(); {
		case f.option == "omitempty" && (kind == reflect.Slice || kind == reflect.Map):
			omitted = field.Len() == 0
		case f.option == "variant" && !omitted:
			field = field.Elem()
			omitted = field.Type() != f.Type
		}
		if omitted {
			continue
		}
		b = append(append(append(b, '"'), f.Name...), `":`...)
		if f.option == "raw" {
			b = append(b, field.String()...)
		} else if b, err = encode(b, field); err != nil {
			return b, fmt.Errorf("%s: %w", f.Name, err)
		}
		b = append(b, ',')
	}
	return append(bytes.TrimSuffix(b, comma), '}'), nil
}

// appendText encodes most strings itself and leaves strings with rare escapes to encoding/json,
// whose tables cost more than encoding the rest of a small file.
func appendText(b []byte, text string) ([]byte, error) {
	start := len(b)
	b = append(b, '"')
	for _, r := range text {
		switch {
		case r == '"', r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r < ' ', r == '\u2028', r == '\u2029', r == utf8.RuneError:
			return appendJSON(b[:start], text)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"'), nil
}

func appendJSON(b []byte, v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return append(b, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...), err
}
