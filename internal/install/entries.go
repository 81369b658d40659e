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

// ours tells whether a handler starts this program, wherever its binary lies: in exec form, with one hook word.
func ours(handler gjson.Result) bool {
	args := handler.Get("args").Array()
	command := handler.Get("command").String()
	base := command[strings.LastIndexAny(command, `/\`)+1:]
	return handler.Get("type").String() == "command" && len(args) == 1 && event.NameOf(args[0].String()) != "" &&
		(base == "hooks" || strings.EqualFold(base, "hooks.exe"))
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
