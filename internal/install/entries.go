package install

import (
	"bytes"
	"encoding/json"
	"runtime"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	plugin "hooks"
	"hooks/internal/event"
	"hooks/internal/loop"
)

// entry is the registration for one event: a group with one handler.
type entry struct {
	event string
	group string // compact JSON
}

// entries returns the entries of hooks.json in order, with the plugin's command replaced by
// program.
func entries(program string) (list []entry) {
	gjson.Get(plugin.Hooks, "hooks").ForEach(func(name, groups gjson.Result) bool {
		group := groups.Get("0").Raw
		set := func(key, raw string) { // cannot fail for embedded JSON
			group, _ = sjson.SetRaw(group, "hooks.0."+key, raw)
		}
		word := event.WordOf(name.String())
		command := gjson.Get(group, "hooks.0.command").String()
		if check := switchCheck(command); check != "" && runtime.GOOS != "windows" {
			path := "'" + strings.ReplaceAll(program, "'", `'"'"'`) + "'"
			set("command", quote(path+" "+word+"||"+check))
		} else {
			set("command", quote(program))
			set("args", "["+quote(word)+"]")
			group, _ = sjson.Delete(group, "hooks.0.onFailure") // the machine may have no shell
		}
		var b bytes.Buffer
		_ = json.Compact(&b, []byte(group))
		list = append(list, entry{event: name.String(), group: b.String()})
		return true
	})
	return list
}

// switchCheck returns the shell check at the end of a command from hooks.json, or "" if there is no
// check. The check fails while the session has an active loop.
func switchCheck(command string) string {
	_, check, _ := strings.Cut(command, "||for ")
	check, _, found := strings.Cut(check, ";exit #>")
	if !found {
		return ""
	}
	return "for " + check
}

// switchName is the end of the switch file's path in the registered shell commands; see
// seal.SwitchPath.
const switchName = "/on/$CLAUDE_CODE_SESSION_ID"

// programOf returns the path of this program's binary if handler starts it, or "" if handler starts
// another program.
func programOf(handler gjson.Result) string {
	program, word := starts(handler)
	if event.NameOf(word) == "" || !named(program) {
		return ""
	}
	return program
}

// named reports whether a path ends in this program's file name.
func named(program string) bool {
	base := program[strings.LastIndexAny(program, `/\`)+1:]
	return base == "hooks" || strings.EqualFold(base, "hooks.exe")
}

// starts returns the program started by handler and its single argument. It recognizes the exec
// form, and shell commands that consist of a path and a word, optionally followed by the fallback
// and the check from hooks.json. For any other handler, starts returns "" and "".
func starts(handler gjson.Result) (program, word string) {
	if kind := handler.Get("type").String(); kind != "command" && kind != "" {
		return "", ""
	}
	command, args := handler.Get("command").String(), handler.Get("args")
	if list := args.Array(); args.IsArray() && len(list) == 1 {
		return command, list[0].String()
	}
	line := command
	// everything before the shell part is for PowerShell
	if _, shell, found := strings.Cut(command, "<#'\n"); found {
		line = shell
	}
	for _, behind := range []string{"||sh ", "||for "} { // the path itself may contain ||
		if run, rest, _ := strings.Cut(line, behind); strings.Contains(rest, switchName) ||
			strings.Contains(rest, "/launch/hooks.sh") {
			command = run
			break
		}
	}
	if words := loop.SplitWords(command); !args.Exists() && len(words) == 2 {
		return words[0], words[1]
	}
	return "", ""
}

// quote returns s as a JSON string without escaping <, > and &.
func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // encoding a string to a buffer cannot fail
	return strings.TrimSuffix(b.String(), "\n")
}
