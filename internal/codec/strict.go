package codec

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// TypeError is a value of a type that its field cannot hold.
type TypeError struct {
	Field string // with the fields and indexes above it, as in "tasks.0.id"
	Raw   string // the value as JSON
	Want  string // the type, as in "a string"
	Err   error  // instead of Want, what the field's own type says of the value
}

func (e *TypeError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("field %s: %v", e.Field, e.Err)
	}
	return fmt.Sprintf("field %s is %s, not %s", e.Field, Clip(e.Raw), e.Want)
}

func (e *TypeError) Unwrap() error { return e.Err }

// Under returns the error of a value as that of the field or list element which holds it.
func Under(name string, err error) error {
	if wrong, ok := err.(*TypeError); ok {
		wrong.Field = strings.TrimSuffix(name+"."+wrong.Field, ".")
	}
	return err
}

// Clip shortens a text for an error message, because it may be megabytes.
func Clip(text string) string {
	const most = 80
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// ErrDeep is the error of a text whose brackets are nested too deeply. Readers look at each byte
// once per level, so a text of brackets alone would hold a hook past its timeout.
var ErrDeep = errors.New("it is nested too deeply")

// TwiceError is a key that an object has twice. Readers differ in which of the two values they
// take, so the one that is checked need not be the one that counts.
type TwiceError struct{ Key string }

func (e *TwiceError) Error() string { return fmt.Sprintf("key %q appears twice", e.Key) }

// Check looks once at every byte of a text, without recursion. It fails with ErrDeep for more than
// maxDepth levels, and with TwiceError. The text need not be valid JSON; of any other, a TwiceError
// means nothing. minus reports that there is a minus outside of strings.
func Check(text string, maxDepth int) (minus bool, err error) {
	var open []level
	var names []string // the keys of all open objects
	isKey := false     // the next string is a key of the innermost one
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case !counts[c]:
		case c == '"':
			end, escapes := stringEnd(text, i)
			if isKey && err == nil {
				name, isNew := text[i+1:max(i+1, end-1)], false
				if escapes { // so that "\u0061" is "a"
					name = gjson.Parse(text[i:end]).String()
				}
				if names, isNew = open[len(open)-1].add(names, name); !isNew {
					err = &TwiceError{name}
				}
			}
			i = end - 1
		case c == ',':
			isKey = len(open) > 0 && open[len(open)-1].isObject
		case c == ':':
			isKey = false
		case c == '-':
			minus = true
		case c == '{', c == '[':
			isKey = c == '{'
			open = append(open, level{isObject: isKey, first: len(names)})
			if len(open) > maxDepth {
				return minus, ErrDeep
			}
		default:
			if n := len(open) - 1; n >= 0 {
				names, open = names[:open[n].first], open[:n]
			}
			isKey = false
		}
	}
	return minus, err
}

// counts are the bytes outside of strings that Check looks at; most are none of them.
var counts = [256]bool{'"': true, ',': true, ':': true, '-': true,
	'{': true, '[': true, '}': true, ']': true}

// stringEnd returns the offset just past the string that begins at text[i], and whether the string
// has escapes.
func stringEnd(text string, i int) (end int, escapes bool) {
	for i++; i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' {
			escapes = true
			i++
		}
	}
	return min(i+1, len(text)), escapes
}

// level is an open bracket. Its keys follow those of the levels around it.
type level struct {
	isObject bool
	first    int
	many     map[string]bool // beyond the first ones, which are found faster in a list
}

// add takes a further key of the object and reports whether it is new.
func (l *level) add(names []string, name string) (_ []string, isNew bool) {
	own := names[l.first:]
	switch {
	case slices.Contains(own, name), l.many[name]:
		return names, false
	case len(own) < 32:
		return append(names, name), true
	case l.many == nil:
		l.many = map[string]bool{}
	}
	l.many[name] = true
	return names, true
}
