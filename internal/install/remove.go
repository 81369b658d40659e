package install

import (
	"strings"

	"github.com/tidwall/gjson"
)

// remove removes the program's handlers from the text of a settings file, along with any group,
// event or "hooks" member that becomes empty. before is the text before the first registration, or
// nil. If the registration is the only change since then, remove returns before exactly. The text
// must have passed check.
func remove(text string, before *string) string {
	bom, bare := cutBOM(text)
	found := programs(bare)
	if len(found) == 0 {
		return text
	}
	if before != nil && text == add(*before, found[0], nil) {
		return *before
	}
	root := rootOf(bare)
	rest, gone := without(root.Result, rootDepth)
	if gone {
		rest = "{}"
	}
	return bom + bare[:root.Index] + rest + bare[root.Index+len(root.Raw):]
}

// Nesting depths from the root of a settings file down to a handler.
const (
	rootDepth = iota // its member "hooks" holds the events
	_
	groupsDepth // the list for an event
	groupDepth  // its member "hooks" is the list of handlers
	handlersDepth
	handlerDepth
)

// without returns the text of v without this program's handlers. gone reports whether v contained
// nothing else. A group without handlers is gone too, because it has no effect.
func without(v gjson.Result, depth int) (text string, gone bool) {
	n, list := look(v), depth == groupsDepth || depth == handlersDepth
	switch {
	case depth == handlerDepth:
		return v.Raw, programOf(v) != ""
	case len(n.kids) == 0 || v.IsArray() != list:
		return v.Raw, false
	}
	end := 0 // offset in v after the last kid
	for _, k := range n.kids {
		start, value, gone := k.start-v.Index, k.value.Raw, false
		if k.key == "hooks" || depth != rootDepth && depth != groupDepth {
			value, gone = without(k.value, depth+1)
		}
		if gone && depth == groupDepth {
			return "", true
		}
		if !gone {
			if text == "" { // the first remaining kid follows the opening bracket
				end, text = start, v.Raw[:n.kids[0].start-v.Index]
			}
			text += v.Raw[end:k.value.Index-v.Index] + value
		}
		end = k.end - v.Index
	}
	return text + v.Raw[end:], text == ""
}

// empty reports whether text contains no settings.
func empty(text string) bool {
	_, text = cutBOM(text)
	return len(rootOf(text).kids) == 0
}

func blank(text string) bool {
	_, text = cutBOM(text)
	return strings.TrimSpace(text) == ""
}
