package install

import (
	"strings"

	"github.com/tidwall/gjson"
)

// remove removes the program's handlers from the text of a settings file, and the containers that
// this leaves empty: group, event, "hooks". before is the text before the first registration, or
// nil. A container that was empty in before stays, so that remove undoes add exactly. The text has
// passed check.
func remove(text string, before *string) string {
	bom, text := cutBOM(text)
	for {
		found := handlers(text)
		if len(found) == 0 {
			return bom + text
		}
		text = cut(text, found[0], before)
		if before != nil && blank(*before) && empty(text) {
			return *before // which may lack even braces
		}
	}
}

// empty reports whether a text holds no setting.
func empty(text string) bool {
	_, text = cutBOM(text)
	return len(rootOf(text).kids) == 0
}

func blank(text string) bool {
	_, text = cutBOM(text)
	return strings.TrimSpace(text) == ""
}

// cut removes the last step of a path and the containers that this leaves empty.
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

// without removes one of several kids, including its comma and leading space.
func without(text string, s step) string {
	if s.i > 0 {
		return text[:s.in.kids[s.i-1].end] + text[s.kid().end:]
	}
	return text[:s.kid().start] + text[s.in.kids[1].start:]
}

// wasThere reports whether a container existed before the registration. It returns the container's
// text if it was empty.
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
