package install

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// add registers the program, given by its absolute path, in the text of a settings file. It returns
// the text unchanged if the program is already registered, and replaces entries of another binary
// or an older version. before is as for remove. The text has passed check.
func add(text, program string, before *string) string {
	list := entries(program)
	_, bare := cutBOM(text)
	if len(handlers(bare)) == len(list) && hasAll(text, list) {
		return text
	}
	bom, text := cutBOM(remove(text, before))
	if blank(text) {
		text = "{}\n"
	}
	if root := rootOf(text); root.at("hooks") < 0 {
		text = appendKid(text, root, "hooks", "{}")
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

// hasAll reports whether the text has every entry as the client reads it: the last of equal keys
// counts. Additional handlers, a longer timeout or another status message are accepted.
func hasAll(text string, list []entry) bool {
	_, text = cutBOM(text)
	var file map[string]any
	if json.Unmarshal([]byte(text), &file) != nil {
		return false
	}
	events, _ := file["hooks"].(map[string]any)
	for _, e := range list {
		var own any
		_ = json.Unmarshal([]byte(e.group), &own) // cannot fail: the program wrote it
		groups, _ := events[e.event].([]any)
		if !slices.ContainsFunc(groups, func(g any) bool { return asStrong(g, own) }) {
			return false
		}
	}
	return true
}

// asStrong reports whether a group has a handler that runs whenever our own group's does, with at
// least its timeout.
func asStrong(group, own any) bool {
	conditions, handlers := apart(group)
	ours, our := apart(own)
	return reflect.DeepEqual(conditions, ours) && slices.ContainsFunc(handlers, func(h any) bool {
		have, seconds := untimed(h)
		want, least := untimed(our[0])
		return seconds >= least && reflect.DeepEqual(have, want)
	})
}

// apart splits a group into its conditions and its handlers.
func apart(group any) (conditions map[string]any, handlers []any) {
	g, _ := group.(map[string]any)
	conditions = maps.Clone(g)
	delete(conditions, "hooks")
	handlers, _ = g["hooks"].([]any)
	return conditions, handlers
}

// untimed splits off a handler's timeout, in seconds, and drops its status message.
func untimed(handler any) (rest map[string]any, seconds float64) {
	h, _ := handler.(map[string]any)
	rest = maps.Clone(h)
	delete(rest, "timeout")
	delete(rest, "statusMessage")
	seconds, _ = h["timeout"].(float64)
	return rest, seconds
}

// appendKid appends a member to an object, or an element to a list if key is "". It follows the
// layout of the last kid.
func appendKid(text string, in node, key, value string) string {
	s := styleOf(text)
	if last := len(in.kids) - 1; last >= 0 {
		lead := in.lead(text, last)
		at := in.kids[last].end
		if !strings.Contains(lead, "\n") {
			return text[:at] + "," + lead + s.kid(key, value, "", true) + text[at:]
		}
		indent := afterNewline(lead)
		return text[:at] + "," + s.newline + indent + s.kid(key, value, indent, false) + text[at:]
	}
	filled := s.kid(key, value, "", true)
	if !s.oneLine {
		outer := lineIndent(text, in.Index)
		inner := outer + s.unit
		filled = s.newline + inner + s.kid(key, value, inner, false) + s.newline + outer
	}
	end := in.Index + len(in.Raw)
	return text[:in.Index+1] + filled + text[end-1:]
}

// kid returns the text of a member, or of an element if key is "".
func (s style) kid(key, value, indent string, oneLine bool) string {
	colon := ":"
	if !oneLine {
		colon, value = ": ", s.render(value, indent)
	}
	if key == "" {
		return value
	}
	return quote(key) + colon + value
}

// cutBOM splits off a byte order mark, which some editors write.
func cutBOM(text string) (bom, rest string) {
	if rest, ok := strings.CutPrefix(text, "\ufeff"); ok {
		return "\ufeff", rest
	}
	return "", text
}

// style describes the layout of a text.
type style struct {
	newline string // "\n" or "\r\n"
	unit    string // one level of indentation
	oneLine bool   // everything is on one line
}

// styleOf detects the style of a text. The first member of the root shows the indentation.
func styleOf(text string) style {
	s := style{newline: "\n", unit: "  "}
	if strings.Contains(text, "\r\n") {
		s.newline = "\r\n"
	}
	root := rootOf(text)
	if len(root.kids) == 0 {
		return s
	}
	if lead := root.lead(text, 0); strings.Contains(lead, "\n") {
		s.unit = afterNewline(lead)
	}
	s.oneLine = !strings.Contains(root.Raw, "\n")
	return s
}

// afterNewline returns the rest of a text after its last line break.
func afterNewline(text string) string { return text[strings.LastIndexByte(text, '\n')+1:] }

// lineIndent returns the indentation of the line that contains the offset at.
func lineIndent(text string, at int) string {
	line := afterNewline(text[:at])
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// render formats a compact value in the style of the surrounding text. The first line is not
// indented.
func (s style) render(value, indent string) string {
	var b bytes.Buffer
	_ = json.Indent(&b, []byte(value), indent, s.unit) // cannot fail: the value is ours
	return strings.ReplaceAll(b.String(), "\n", s.newline)
}
