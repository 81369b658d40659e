package seal

import (
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/codec"
)

// A file is a record and the notes after it. Each of them is a part: a small JSON object, and then
// the texts of its files as they are, which are most of it and are only copied. Neither separator
// is in any JSON.
const (
	beforeNote = '\x1e'
	beforeText = '\x1f'
	partEnd    = "\x1f\n"
)

// texts returns pointers to the texts that a part has after its object.
func (f *Files) texts() [3]*string { return [3]*string{&f.Budget, &f.Tick, &f.Line} }

// encodePart is a part: v, which holds the files, and their texts.
func encodePart(v any, files ...*Files) ([]byte, error) {
	out, err := codec.Encode(v)
	for _, f := range files {
		for _, t := range f.texts() {
			if strings.IndexByte(*t, beforeNote) >= 0 || strings.IndexByte(*t, beforeText) >= 0 {
				return nil, errDamaged
			}
			out = append(append(out, beforeText), *t...)
		}
	}
	return append(out, partEnd...), err
}

// isWhole reports whether a part has its end.
func isWhole(part string) bool { return strings.HasSuffix(part, partEnd) }

// decodePart reads a part into v, and the texts into its files, which are known after that.
func decodePart(part string, v any, files func() []*Files) error {
	if !isWhole(part) {
		return errDamaged
	}
	list := strings.Split(strings.TrimSuffix(part, partEnd), string(beforeText))
	if !gjson.Valid(list[0]) || codec.Decode(gjson.Parse(list[0]), v) != nil {
		return errDamaged
	}
	list = list[1:]
	for _, f := range files() {
		for _, t := range f.texts() {
			if len(list) == 0 {
				return errDamaged
			}
			*t, list = list[0], list[1:]
		}
	}
	if len(list) > 0 {
		return errDamaged
	}
	return nil
}
