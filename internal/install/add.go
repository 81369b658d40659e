package install

import "strings"

// Add registers the program, given by its absolute path, in the text of a settings file. Where it is registered
// already the text comes back unchanged; entries of another binary, or of an older version, are replaced. The text
// before the first registration, as Remove takes it, keeps what was empty then. The text has passed Check.
func Add(text, program string, before *string) string {
	list := entries(program)
	if complete(text, list) {
		return text
	}
	bom, text := cutBOM(Remove(text, before))
	if blank(text) {
		text = "{}\n"
	}
	root := rootOf(text)
	if root.at("hooks") < 0 {
		return bom + appendKid(text, root, "hooks", hooksObject(list))
	}
	for _, e := range list {
		events := look(rootOf(text).member("hooks"))
		if groups := events.member(e.event); groups.Exists() {
			text = appendKid(text, look(groups), "", e.group)
		} else {
			text = appendKid(text, events, e.event, "["+e.group+"]")
		}
	}
	return bom + text
}

// complete tells whether every entry stands in the text once, and no other handler of the program.
func complete(text string, list []entry) bool {
	_, text = cutBOM(text)
	found := handlers(text)
	if len(found) != len(list) {
		return false
	}
	want := map[string]string{}
	for _, e := range list {
		want[e.event] = e.group
	}
	for _, path := range found {
		name := path[1].in.kids[path[1].i].key
		if !same(path[2].in.kids[path[2].i].value.Raw, want[name]) {
			return false
		}
		delete(want, name)
	}
	return len(want) == 0
}

// appendKid puts a member, or with no key an element, behind the last of a container, laid out as that one is.
func appendKid(text string, in node, key, value string) string {
	s := styleOf(text)
	if last := len(in.kids) - 1; last >= 0 {
		lead := in.lead(text, last)
		at := in.kids[last].end
		if !strings.Contains(lead, "\n") {
			return text[:at] + "," + lead + s.kid(key, value, "", true) + text[at:]
		}
		indent := indentOf(lead)
		return text[:at] + "," + s.newline + indent + s.kid(key, value, indent, false) + text[at:]
	}
	open, end := in.Raw[:1], in.Raw[len(in.Raw)-1:]
	filled := open + s.kid(key, value, "", true) + end
	if !s.oneLine {
		outer := lineIndent(text, in.Index)
		inner := outer + s.unit
		filled = open + s.newline + inner + s.kid(key, value, inner, false) + s.newline + outer + end
	}
	return text[:in.Index] + filled + text[in.Index+len(in.Raw):]
}

// kid is a member or an element as text.
func (s style) kid(key, value, indent string, oneLine bool) string {
	colon := ": "
	if oneLine {
		colon = ":"
	} else {
		value = s.render(value, indent)
	}
	if key == "" {
		return value
	}
	return quote(key) + colon + value
}

// cutBOM takes a byte order mark off, which some editors put before the text.
func cutBOM(text string) (bom, rest string) {
	if rest, ok := strings.CutPrefix(text, "\ufeff"); ok {
		return "\ufeff", rest
	}
	return "", text
}
