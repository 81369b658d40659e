package install

import (
	"strings"

	"github.com/tidwall/gjson"
)

// Remove takes every handler of the program out of the text of a settings file, with what holds nothing else: its
// group, its event, "hooks" itself. The text before the first registration, if it is known, says what was there empty
// and stays so; with it Remove undoes Add to the byte. The text has passed Check.
func Remove(text string, before *string) string {
	bom, text := cutBOM(text)
	for {
		found := handlers(text)
		if len(found) == 0 {
			return bom + text
		}
		text = cut(text, found[0], before)
		if before != nil && blank(*before) && Empty(text) {
			return *before // not even braces
		}
	}
}

// Empty tells whether a text holds no setting at all.
func Empty(text string) bool {
	_, text = cutBOM(text)
	return len(rootOf(text).kids) == 0
}

func blank(text string) bool {
	_, text = cutBOM(text)
	return strings.TrimSpace(text) == ""
}

// cut removes the last step of a path.
func cut(text string, path []step, before *string) string {
	last := path[len(path)-1]
	if len(last.in.kids) > 1 {
		return without(text, last)
	}
	if len(path) == handlerDepth { // a group without handlers does nothing
		return cut(text, path[:groupDepth], before)
	}
	if raw, ok := wasThere(path[:len(path)-1], before); ok || len(path) == 1 {
		if raw == "" {
			raw = last.in.Raw[:1] + last.in.Raw[len(last.in.Raw)-1:]
		}
		return text[:last.in.Index] + raw + text[last.in.Index+len(last.in.Raw):]
	}
	return cut(text, path[:len(path)-1], before)
}

// How many steps lead to a group and to a handler.
const (
	groupDepth   = 3
	handlerDepth = 5
)

// without takes out one of several kids, with the comma and the space that led to it.
func without(text string, s step) string {
	k := s.in.kids[s.i]
	if s.i > 0 {
		return text[:s.in.kids[s.i-1].end] + text[k.end:]
	}
	return text[:k.start] + text[s.in.kids[1].start:]
}

// wasThere tells whether a container was there before the program was registered, and how it was written if it was empty.
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
		v := n.member(s.in.kids[s.i].key)
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
