package clienthooks

import (
	"encoding/json"
	"io"
	"reflect"
	"strings"
)

// Same reports whether the client runs the same hooks, with the same effect, after a file of the
// kind changed from one text to the other. A missing file is an empty text. In doubt the answer is
// no.
func Same(kind Kind, before, after string) bool {
	if kind == Foreign || before == after {
		return true
	}
	switch kind {
	case Script:
		return false
	case Markdown:
		before, after = head(before), head(after)
		return before == after || !bringsHooks(before) && !bringsHooks(after)
	}
	old, ok := parse(before)
	if !ok {
		return false // the client skipped this file, and may not skip what replaces it
	}
	changed, ok := parse(after)
	if !ok {
		return false
	}
	if kind == Settings {
		return harmless(old, changed) && reflect.DeepEqual(old, changed)
	}
	return reflect.DeepEqual(old, changed)
}

// head is the YAML head of a Markdown file.
func head(text string) string {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	if !strings.HasPrefix(text, "---") {
		return ""
	}
	head, _, _ := strings.Cut(text[3:], "\n---")
	return head
}

// bringsHooks reports whether a head may have hooks in it. A key may be spelled with escapes.
func bringsHooks(head string) bool {
	return strings.Contains(head, "hooks") || strings.Contains(head, `\`)
}

// parse reads a file as the client does: one object, of members with one name the last. Numbers
// keep their spelling.
func parse(text string) (map[string]any, bool) {
	text = strings.TrimPrefix(text, "\ufeff")
	if strings.TrimSpace(text) == "" {
		return map[string]any{}, true
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil || v == nil {
		return nil, false
	}
	_, err := d.Token()
	return v, err == io.EOF
}

// harmless removes from both what reaches no hook, and reports whether all of it has the type that
// the client checks: one value of a wrong type makes the client skip the whole file. Every key that
// is not listed here counts.
func harmless(files ...map[string]any) bool {
	for _, v := range files {
		if model, ok := v["model"]; ok {
			if _, ok = model.(string); !ok {
				return false
			}
		}
		if !permissions(v) {
			return false
		}
		for key := range v {
			if key == "model" || comment(key) {
				delete(v, key)
			}
		}
	}
	return true
}

// comment reports whether the client knows no key of such a name: people write notes under it.
func comment(key string) bool {
	for _, mark := range []string{"_", "//", "#", "x-"} {
		if strings.HasPrefix(key, mark) {
			return true
		}
	}
	return key == "comment" || key == "comments"
}

// permissions removes the permission rules and reports whether each of them has a form that the
// client takes.
func permissions(settings map[string]any) bool {
	value, ok := settings["permissions"]
	if !ok {
		return true
	}
	rules, ok := value.(map[string]any)
	if !ok {
		return false
	}
	for _, key := range []string{"allow", "deny", "ask"} {
		list, there := rules[key]
		if !there {
			continue
		}
		items, ok := list.([]any)
		if !ok {
			return false
		}
		for _, item := range items {
			if text, ok := item.(string); !ok || !rule(text) {
				return false
			}
		}
		delete(rules, key)
	}
	if len(rules) == 0 {
		delete(settings, "permissions")
	}
	return true
}

// rule reports whether a text is a permission rule: a tool, and what it may be called with in
// balanced parentheses.
func rule(text string) bool {
	tool, what, called := strings.Cut(text, "(")
	letter := func(c rune) bool {
		return strings.ContainsRune("_-*", c) || c >= '0' && c <= '9' ||
			c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	if tool == "" || strings.TrimFunc(tool, letter) != "" {
		return false
	}
	if strings.HasPrefix(tool, "mcp__") {
		return !called
	}
	what, closed := strings.CutSuffix(what, ")")
	return tool[0] >= 'A' && tool[0] <= 'Z' && called == closed &&
		(!called || strings.TrimSpace(what) != "") &&
		strings.Count(what, "(") == strings.Count(what, ")")
}
