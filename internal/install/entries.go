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

// entries returns the entries of hooks.json, in its order, with the program in place of the
// plugin's.
func entries(program string) (list []entry) {
	gjson.Get(plugin.Hooks, "hooks").ForEach(func(name, groups gjson.Result) bool {
		group := groups.Get("0").Raw
		set := func(key, raw string) { // it never fails: the text is ours, and valid
			group, _ = sjson.SetRaw(group, "hooks.0."+key, raw)
		}
		word := event.WordOf(name.String())
		command := gjson.Get(group, "hooks.0.command").String()
		if check := switchCheck(command); check != "" && runtime.GOOS != "windows" {
			set("command", quote(shellQuote(program)+" "+word+"||"+check))
		} else {
			set("command", quote(program))
			set("args", "["+quote(word)+"]")
			group, _ = sjson.Delete(group, "hooks.0.onFailure") // no shell is certain to be there
		}
		var b bytes.Buffer
		_ = json.Compact(&b, []byte(group))
		list = append(list, entry{event: name.String(), group: b.String()})
		return true
	})
	return list
}

// switchCheck returns the part of a shell line of hooks.json that runs last: it fails while a loop
// of the session is on. It is empty for a line that lets everything pass.
func switchCheck(command string) string {
	_, check, _ := strings.Cut(command, "||for ")
	check, _, found := strings.Cut(check, ";exit #>")
	if !found {
		return ""
	}
	return "for " + check
}

// switchName is the end of the path of the session's switch in our shell lines, see
// seal.SwitchPath.
const switchName = "/on/$CLAUDE_CODE_SESSION_ID"

// programOf returns the binary of this program that a handler starts, or "" if it starts another
// program.
func programOf(handler gjson.Result) string {
	program, word := starts(handler)
	if event.NameOf(word) == "" || !named(program) {
		return ""
	}
	return program
}

// named reports whether a path has the name of this program.
func named(program string) bool {
	base := program[strings.LastIndexAny(program, `/\`)+1:]
	return base == "hooks" || strings.EqualFold(base, "hooks.exe")
}

// starts returns the program that a handler starts with one word, as written: in exec form, or by a
// shell text that has a path and a word, and no more than our own check behind them. Any other
// handler gives two empty texts.
func starts(handler gjson.Result) (program, word string) {
	if kind := handler.Get("type").String(); kind != "command" && kind != "" {
		return "", ""
	}
	command, args := handler.Get("command").String(), handler.Get("args")
	if list := args.Array(); args.IsArray() && len(list) == 1 {
		return command, list[0].String()
	}
	line := command
	if _, shell, found := strings.Cut(command, "<#'\n"); found { // before it, for PowerShell only
		line = shell
	}
	for _, behind := range []string{"||sh ", "||for "} { // a path may have || in it
		if run, rest, _ := strings.Cut(line, behind); strings.Contains(rest, switchName) ||
			strings.Contains(rest, "/launch/hooks.sh") {
			command = run
			break
		}
	}
	if words := shellWords(command); !args.Exists() && len(words) == 2 {
		return words[0], words[1]
	}
	return "", ""
}

// shellWords splits a command at blanks outside of quotes, without what a shell reads before the
// program: variables, env and exec. A text that does more keeps its other words.
func shellWords(command string) []string {
	words := loop.SplitWords(command)
	for len(words) > 0 && (words[0] == "exec" || words[0] == "env" || assigns(words[0])) {
		words = words[1:]
	}
	return words
}

// assigns reports whether a word sets a variable. A path may have an equals sign in it.
func assigns(word string) bool {
	name, _, found := strings.Cut(word, "=")
	return found && !strings.ContainsAny(name, `/\`)
}

// shellQuote returns a path as one word of a shell.
func shellQuote(path string) string {
	return "'" + strings.ReplaceAll(path, "'", `'"'"'`) + "'"
}

// quote returns a text as JSON, with <, > and & as they are.
func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // neither a string nor a buffer fails
	return strings.TrimSuffix(b.String(), "\n")
}
