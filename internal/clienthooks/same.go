package clienthooks

import (
	"encoding/json"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Same reports whether the client certainly runs the same hooks with the same effect after a file
// of this kind changed from before to after. A missing file is an empty text.
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
		return false // the client skipped this file but may read the new one
	}
	changed, ok := parse(after)
	if !ok {
		return false
	}
	if kind == Settings {
		dropHarmless(old)
		dropHarmless(changed)
	}
	return reflect.DeepEqual(old, changed)
}

// head returns the YAML head of a Markdown file.
func head(text string) string {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	if !strings.HasPrefix(text, "---") {
		return ""
	}
	head, _, _ := strings.Cut(text[3:], "\n---")
	return head
}

// bringsHooks reports whether a head may define hooks. An escape may hide the key.
func bringsHooks(head string) bool {
	return strings.Contains(head, "hooks") || strings.Contains(head, `\`)
}

// parse reads a file as the client does: one object, in which the last of duplicate keys counts.
// Numbers keep their spelling.
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

// dropHarmless removes the settings that affect no hook. It keeps a value of the wrong type,
// because such a value makes the client skip the whole file. All keys not listed here count.
func dropHarmless(settings map[string]any) {
	maps.DeleteFunc(settings, func(key string, value any) bool {
		_, text := value.(string)
		return key == "model" && text || comment(key)
	})
	permissions, _ := settings["permissions"].(map[string]any)
	maps.DeleteFunc(permissions, func(key string, value any) bool {
		rules, ok := value.([]any)
		return ok && (key == "allow" || key == "deny" || key == "ask") &&
			!slices.ContainsFunc(rules, func(item any) bool {
				text, ok := item.(string)
				return !ok || !rule(text)
			})
	})
	if permissions != nil && len(permissions) == 0 {
		delete(settings, "permissions")
	}
}

// comment reports whether the client ignores key, which people use for comments.
func comment(key string) bool {
	for _, mark := range []string{"_", "//", "#", "x-"} {
		if strings.HasPrefix(key, mark) {
			return true
		}
	}
	return key == "comment" || key == "comments"
}

// rule reports whether a text is a permission rule: a tool name with optional arguments in balanced
// parentheses.
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

// Commands returns the words that may name a file in the commands of a settings or plugin file. It
// does not expand ${CLAUDE_PROJECT_DIR} and other variables.
func Commands(text string) (words []string) {
	var walk func(key string, v any)
	walk = func(key string, v any) {
		switch v := v.(type) {
		case string:
			if key == "command" || key == "args" || strings.HasSuffix(key, "Helper") {
				words = append(append(words, v), split(v)...) // a path, or a shell command
			}
		case []any:
			for _, x := range v {
				walk(key, x)
			}
		case map[string]any:
			for name, x := range v {
				walk(name, x)
			}
		}
	}
	settings, _ := parse(text)
	walk("", settings)
	return words
}

// split splits a command, removes quotes and keeps the words that may be paths.
func split(command string) (words []string) {
	ends := func(c rune) bool { return strings.ContainsRune(" \t\n;|&<>()", c) }
	for _, w := range strings.FieldsFunc(command, ends) {
		if w = strings.NewReplacer(`"`, "", `'`, "").Replace(w); strings.ContainsAny(w, "/.") {
			words = append(words, w)
		}
	}
	return words
}
