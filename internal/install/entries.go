package install

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	plugin "hooks"
	"hooks/internal/event"
)

// entry is what is registered for one event: a group with one handler.
type entry struct {
	event string
	group string // compact JSON
}

// entries are those of hooks.json, in its order, with the program in the place of the plugin's.
func entries(program string) []entry {
	var list []entry
	gjson.Get(plugin.Hooks, "hooks").ForEach(func(name, groups gjson.Result) bool {
		group, _ := sjson.SetRaw(groups.Get("0").Raw, "hooks.0.command", quote(program)) // ours, and valid: it cannot fail
		list = append(list, entry{event: name.String(), group: compact(group)})
		return true
	})
	return list
}

// hooksObject is all entries as the value of a settings file's "hooks".
func hooksObject(list []entry) string {
	var b strings.Builder
	for i, e := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quote(e.event) + ":[" + e.group + "]")
	}
	return "{" + b.String() + "}"
}

// ours reports whether a handler starts this program, wherever its binary lies.
func ours(handler gjson.Result) bool { return programOf(handler) != "" }

// programOf is the binary that a handler of this program starts, "" for any other handler. The
// handler is in exec form with one hook word, or a shell's text: a path and a hook word.
func programOf(handler gjson.Result) string {
	if handler.Get("type").String() != "command" {
		return ""
	}
	program, word := handler.Get("command").String(), ""
	if args := handler.Get("args"); args.IsArray() && len(args.Array()) == 1 {
		word = args.Get("0").String()
	} else if words := shellWords(program); !args.Exists() && len(words) == 2 {
		program, word = words[0], words[1]
	}
	base := program[strings.LastIndexAny(program, `/\`)+1:]
	if event.NameOf(word) == "" || base != "hooks" && !strings.EqualFold(base, "hooks.exe") {
		return ""
	}
	return program
}

// shellWords splits a command at blanks outside of quotes, behind what a shell reads before the
// program: variables and exec. Text that does more than start a program keeps its other words.
func shellWords(command string) (words []string) {
	quote, open := rune(0), false
	for _, c := range command {
		switch {
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case c == quote:
			quote = 0
			continue
		case quote == 0 && (c == ' ' || c == '\t' || c == '\n'):
			open = false
			continue
		}
		if !open {
			words, open = append(words, ""), true
		}
		if quote == 0 || c != quote {
			words[len(words)-1] += string(c)
		}
	}
	for len(words) > 0 && (words[0] == "exec" || strings.Contains(words[0], "=")) {
		words = words[1:]
	}
	return words
}

// same tells whether two JSON texts say the same, in whatever layout.
func same(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

// quote is a text as JSON, with <, > and & as they are.
func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string and a buffer: neither fails
	return strings.TrimSuffix(b.String(), "\n")
}

func compact(text string) string {
	var b bytes.Buffer
	_ = json.Compact(&b, []byte(text)) // valid: it was checked, or is ours
	return b.String()
}
