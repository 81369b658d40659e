package install

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// Wrong is a value that makes the client skip the whole settings file, including hooks.
type Wrong struct {
	Text string // line, column, key, required type and actual value
	// Choice marks a string outside the known choices. A later client may accept it.
	Choice bool
	at     int // offset of the value
}

//go:embed wanted.txt
var wantedText string

// wanted yields pairs of a required type and a settings key that must have it.
func wanted(yield func(want, key string) bool) {
	want := ""
	for line := range strings.Lines(wantedText) {
		if head, ok := strings.CutSuffix(line, ":\n"); ok {
			want = head
		} else if !strings.HasPrefix(line, "#") {
			for _, key := range strings.Fields(line) {
				if !yield(want, key) {
					return
				}
			}
		}
	}
}

// WrongTypes returns the values that make the client skip the file, in file order. The text must
// be empty or one valid JSON object.
func WrongTypes(text string) (found []Wrong) {
	_, text = cutBOM(text)
	if blank(text) {
		return nil
	}
	root := rootOf(text)
	for want, key := range wanted {
		root.each(key, "", func(key string, v gjson.Result) {
			if fits(v, want) {
				return
			}
			line, column := place(text, v.Index)
			wrong := fmt.Sprintf("line %d, column %d: %q must be %s, but is %s",
				line, column, key, want, kind(v))
			choice := strings.HasPrefix(want, oneOf) && v.Type == gjson.String
			found = append(found, Wrong{wrong, choice, v.Index})
		})
	}
	slices.SortStableFunc(found, func(a, b Wrong) int { return a.at - b.at })
	return found
}

// each calls f with the full key and value of every match of a dotted key from wanted.txt. If a key
// is repeated, the last one counts, as in the client.
func (n node) each(key, above string, f func(key string, v gjson.Result)) {
	name, rest, deeper := strings.Cut(key, ".")
	values := map[string]gjson.Result{}
	for i, k := range n.kids {
		guards := k.key == "PreToolUse" || k.key == "PermissionRequest"
		if k.key == name || name == "*" || name == "EVENT" && guards {
			values[cmp.Or(k.key, strconv.Itoa(i))] = k.value
		}
	}
	for own, v := range values {
		if deeper {
			look(v).each(rest, above+own+".", f)
		} else {
			f(above+own, v)
		}
	}
}

const oneOf, objectWith = "one of ", "an object with "

// fits reports whether v has the type want, as written in wanted.txt.
func fits(v gjson.Result, want string) bool {
	if choices, ok := strings.CutPrefix(want, oneOf); ok {
		return v.Type == gjson.String && slices.Contains(strings.Split(choices, ", "), v.Str)
	}
	if needs, ok := strings.CutPrefix(want, objectWith); ok {
		member, kind, _ := strings.Cut(needs, " for type ")
		object := look(v) // values that are no objects break another rule
		return !v.IsObject() || kind != "" && object.member("type").Str != kind ||
			object.member(strings.Trim(member, `"`)).Exists()
	}
	isText, isFlag, isNumber := v.Type == gjson.String, v.IsBool(), v.Type == gjson.Number
	whole := isNumber && v.Num == float64(int64(v.Num))
	texts := v.IsArray() && !slices.ContainsFunc(v.Array(), func(e gjson.Result) bool {
		return e.Type != gjson.String
	})
	return map[string]bool{
		"a string":                         isText,
		"true or false":                    isFlag,
		"a number":                         isNumber,
		"a number above 0":                 isNumber && v.Num > 0,
		"a number from 0 to 1":             isNumber && v.Num >= 0 && v.Num <= 1,
		"a whole number of 0 or more":      whole && v.Num >= 0,
		"a whole number of 1 or more":      whole && v.Num >= 1,
		"a list":                           v.IsArray(),
		"a list of strings":                texts,
		"an object":                        v.IsObject(),
		"true, false or an object":         isFlag || v.IsObject(),
		"a string or a list of strings":    isText || texts,
		"true, false or a list of strings": isFlag || texts,
	}[want]
}
