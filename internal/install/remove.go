package install

import (
	"strings"

	"github.com/tidwall/gjson"
)

// remove takes every handler of the program out of the text of a settings file, and each container
// that is empty then: its group, its event, "hooks" itself. before is the text before the first
// registration, nil if unknown: a container that was empty there stays, so that Remove undoes Add
// to the byte. The text has passed Check.
func remove(text string, before *string) string {
	bom, text := cutBOM(text)
	for {
		found := handlers(text)
		if len(found) == 0 {
			return bom + text
		}
		text = cut(text, found[0], before)
		if before != nil && blank(*before) && empty(text) {
			return *before // not even braces
		}
	}
}

// empty reports whether a text holds no setting at all.
func empty(text string) bool {
	_, text = cutBOM(text)
	return len(rootOf(text).kids) == 0
}

func blank(text string) bool {
	_, text = cutBOM(text)
	return strings.TrimSpace(text) == ""
}

// cut removes the last step of a path, or an earlier one whose container would be left empty.
func cut(text string, path []step, before *string) string {
	depth := len(path) - 1
	last := path[depth]
	if len(last.in.kids) > 1 {
		return without(text, last)
	}
	if depth == handlerDepth { // a group without handlers does nothing
		return cut(text, path[:groupDepth+1], before)
	}
	if raw, ok := wasThere(path[:depth], before); ok || depth == 0 {
		if raw == "" {
			raw = last.in.Raw[:1] + last.in.Raw[len(last.in.Raw)-1:]
		}
		return text[:last.in.Index] + raw + text[last.in.Index+len(last.in.Raw):]
	}
	return cut(text, path[:depth], before)
}

// without removes one of several kids, with the comma and the space that led to it.
func without(text string, s step) string {
	if s.i > 0 {
		return text[:s.in.kids[s.i-1].end] + text[s.kid().end:]
	}
	return text[:s.kid().start] + text[s.in.kids[1].start:]
}

// wasThere reports whether a container existed before the registration, and returns how it was
// written if it was empty.
func wasThere(path []step, before *string) (raw string, ok bool) {
	if before == nil {
		return "", false
	}
	_, text := cutBOM(*before)
	if !gjson.Valid(text) {
		return "", false
	}
	n := rootOf(text)
	for _, s := range path {
		v := n.member(s.kid().key)
		if !v.Exists() {
			return "", false
		}
		n = look(v)
	}
	if len(n.kids) > 0 {
		return "", true
	}
	return n.Raw, true
}
