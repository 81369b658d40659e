package codec

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// TypeError reports a value whose type its field cannot hold.
type TypeError struct {
	Field string // path from the outermost object, for example "tasks.0.id"
	Raw   string // the value as JSON
	Err   error  // error from the field's own UnmarshalJSON, if any
}

func (e *TypeError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("field %s: %v", e.Field, e.Err)
	}
	return fmt.Sprintf("field %s has the wrong type: %s", e.Field, Clip(e.Raw))
}

func (e *TypeError) Unwrap() error { return e.Err }

// under adds the name of the enclosing field or list element to a TypeError.
func under(name string, err error) error {
	if wrong, ok := err.(*TypeError); ok {
		wrong.Field = strings.TrimSuffix(name+"."+wrong.Field, ".")
	}
	return err
}

// Clip shortens text, which may be megabytes long, for an error message.
func Clip(text string) string {
	const most = 80
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// Errors returned by Parse, except the error for a repeated key.
var (
	// ErrDeep is returned if brackets are nested too deeply. Readers scan each byte once per level,
	// so text that consists only of brackets would block a hook past its timeout.
	ErrDeep   = errors.New("it is nested too deeply")
	ErrSyntax = errors.New("it is not valid JSON")
	ErrObject = errors.New("it is not a JSON object")
)

// Parse parses text, which must be a single JSON object. It rejects nesting deeper than maxDepth
// levels. It also rejects a key that occurs twice in an object, because readers differ in which
// value they use, so the checked value might not be the one that takes effect.
func Parse(text string, maxDepth int) (gjson.Result, error) {
	err := scan(text, maxDepth)
	root := gjson.Parse(text)
	switch {
	case err == ErrDeep:
	case !gjson.Valid(text):
		err = ErrSyntax
	case !root.IsObject():
		err = ErrObject
	}
	return root, err
}

// scan finds deep nesting and repeated keys for Parse, in one pass and without recursion. If the
// text is not valid JSON, only ErrDeep is meaningful.
func scan(text string, maxDepth int) (err error) {
	var open []level
	var names []string // keys of all open objects
	isKey := false     // the next string is a key of the innermost object
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case !counts[c]:
		case c == '"':
			start, escapes := i+1, false
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					escapes = true
					i++
				}
			}
			if isKey && err == nil {
				name, isNew := text[start:min(i, len(text))], false
				if escapes { // "\u0061" is the same key as "a"
					name = gjson.Parse(text[start-1 : min(i+1, len(text))]).String()
				}
				if names, isNew = open[len(open)-1].add(names, name); !isNew {
					err = fmt.Errorf("key %q appears twice", Clip(name))
				}
			}
		case c == ',':
			isKey = len(open) > 0 && open[len(open)-1].isObject
		case c == ':':
			isKey = false
		case c == '{', c == '[':
			isKey = c == '{'
			open = append(open, level{isObject: isKey, first: len(names)})
			if len(open) > maxDepth {
				return ErrDeep
			}
		default:
			if n := len(open) - 1; n >= 0 {
				names, open = names[:open[n].first], open[:n]
			}
			isKey = false
		}
	}
	return err
}

// counts marks the bytes that scan handles outside strings. scan skips all others, which make up
// most of the text.
var counts = [256]bool{'"': true, ',': true, ':': true,
	'{': true, '[': true, '}': true, ']': true}

// level is an open bracket. Its keys start at index first of names.
type level struct {
	isObject bool
	first    int
	many     map[string]bool // keys after the first 32; for fewer, a list is faster
}

// add adds a key to the object and reports whether it is new.
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
