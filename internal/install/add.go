package install

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// add registers program, an absolute path, in the text of a settings file and returns the new text.
// It replaces entries of another binary or version, and changes nothing if program is already
// registered. before is the text before the first registration, or nil. The text must have passed
// check.
func add(text, program string, before *string) string {
	list := entries(program)
	if _, bare := cutBOM(text); len(programs(bare)) == len(list) && hasAll(bare, list) {
		return text
	}
	bom, text := cutBOM(remove(text, before))
	if blank(text) {
		text = "{}\n"
	}
	if root := rootOf(text); root.at("hooks") < 0 {
		text = appendKid(text, root.Result, "hooks", "{}")
	}
	for _, e := range list {
		events := rootOf(text).member("hooks")
		if groups := look(events).member(e.event); groups.Exists() {
			text = appendKid(text, groups, "", e.group)
		} else {
			text = appendKid(text, events, e.event, "["+e.group+"]")
		}
	}
	return bom + text
}

// hasAll reports whether text contains every entry of list. Of repeated keys, the last one counts,
// as in the client. Extra handlers, longer timeouts and other messages are allowed.
func hasAll(text string, list []entry) bool {
	return !slices.ContainsFunc(list, func(e entry) bool {
		found := false
		eachHandler(rootOf(text).Result, func(event string, group, _ gjson.Result) {
			found = found || event == e.event && asStrong(group.Raw, e.group)
		})
		return !found
	})
}

// asStrong reports whether group has a handler that runs whenever own's handler would, with at
// least the same timeout. Both are hook groups in JSON. Status messages are ignored.
func asStrong(group, own string) bool {
	const timeout, message = "timeout", "statusMessage"
	want := gjson.Get(own, "hooks.0")
	return reflect.DeepEqual(fieldsBut(group, "hooks"), fieldsBut(own, "hooks")) &&
		slices.ContainsFunc(rootOf(group).member("hooks").Array(), func(h gjson.Result) bool {
			return look(h).member(timeout).Num >= want.Get(timeout).Num && reflect.DeepEqual(
				fieldsBut(h.Raw, timeout, message), fieldsBut(want.Raw, timeout, message))
		})
}

// fieldsBut returns the members of a JSON object, excluding those with the given names.
func fieldsBut(object string, names ...string) (list map[string]any) {
	_ = json.Unmarshal([]byte(object), &list) // any other value has no members
	for _, name := range names {
		delete(list, name)
	}
	return list
}

// appendKid returns text with value appended to the container in, on a new line. If in is an
// object, key is the name of the new member; if it is a list, key is "". The new line is indented
// one level deeper than the line where in begins.
func appendKid(text string, in gjson.Result, key, value string) string {
	unit := "  "
	if root := rootOf(text); len(root.kids) > 0 { // use the indentation of the first member
		if lead := text[root.Index+1 : root.kids[0].start]; strings.Contains(lead, "\n") {
			unit = afterNewline(lead)
		}
	}
	line := afterNewline(text[:in.Index])
	outer := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	var b bytes.Buffer
	if key != "" {
		b.WriteString(quote(key) + ": ")
	}
	// cannot fail because this program wrote the value
	_ = json.Indent(&b, []byte(value), outer+unit, unit)
	kid := "\n" + outer + unit + b.String()
	if kids := look(in).kids; len(kids) > 0 {
		end := kids[len(kids)-1].end
		return text[:end] + "," + kid + text[end:]
	}
	return text[:in.Index+1] + kid + "\n" + outer + text[in.Index+len(in.Raw)-1:]
}

// cutBOM splits off a byte order mark, which some editors write.
func cutBOM(text string) (bom, rest string) {
	if rest, ok := strings.CutPrefix(text, "\ufeff"); ok {
		return "\ufeff", rest
	}
	return "", text
}

// afterNewline returns the text after the last line break, or all of it if there is none.
func afterNewline(text string) string { return text[strings.LastIndexByte(text, '\n')+1:] }
