package install

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
)

// What is wrong is named with its place, its key and the type that the client wants; what the
// client passes over is not. Which is which was measured on the client: scripts/e2e holds it.
func TestWrongTypes(t *testing.T) {
	const guarded = `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x",`
	for text, want := range map[string]string{
		"":                               "",
		"\ufeff{}":                       "",
		`{"model":"opus","odd":{"x":5}}`: "",
		`{"model":5}`:                    `line 1, column 10: "model" must be a string, but is 5`,
		"{\n  \"env\": [],\n  \"disableAllHooks\": \"no\"\n}": `line 2, column 10: ` +
			`"env" must be an object, but is a list` + "\n" +
			`line 3, column 22: "disableAllHooks" must be true or false, but is "no"`,
		`{"model":5,"model":"opus"}`: "",
		`{"model":null}`:             `"model" must be a string, but is null`,
		`{"cleanupPeriodDays":0}`: `"cleanupPeriodDays" must be a whole number of 1 or more, ` +
			`but is 0`,
		`{"permissions":{"allow":"Bash"}}`: `"permissions.allow" must be a list, ` +
			`but is "Bash"`,
		`{"permissions":{"allow":[5]}}`: "",
		`{"enabledPlugins":{"a@b":"yes"}}`: `"enabledPlugins.a@b" must be true, false or ` +
			`a list of strings`,
		`{"statusLine":{"type":"command"}}`: `"statusLine" must be an object with "command"`,
		`{"defaultShell":"zsh"}`: `"defaultShell" must be one of bash, powershell, ` +
			`but is "zsh"`,
		`{"theme":5,"extraKnownMarketplaces":7}`:         "",
		`{"hooks":{"Stop":[{"matcher":5,"hooks":[7]}]}}`: "",
		`{"hooks":{"PreToolUse":[{"matcher":5,"hooks":[]}]}}`: `"hooks.PreToolUse.0.matcher" ` +
			`must be a string, but is 5`,
		guarded + `"timeout":"60"}]}]}}`: `column 77: "hooks.PreToolUse.0.hooks.0.timeout" ` +
			`must be a number above 0, but is "60"`,
		`{"hooks":{"PermissionRequest":[{"hooks":[{"type":"command"}]}]}}`: `an object ` +
			`with "command"`,
	} {
		lines := []string{}
		for _, w := range WrongTypes(text) {
			lines = append(lines, w.Text)
		}
		got := strings.Join(lines, "\n")
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s:\n%s\nwant %s", text, got, want)
		}
	}
}

// Every row of the table can find something wrong, and lets a value of its type pass.
func TestEveryWantedTypeCanFail(t *testing.T) {
	for want, key := range wanted {
		for _, v := range []string{
			"null", `{"a":{}}`, "[[]]", "-1.5", `"none of these"`, "false", `{"type":"command"}`,
			`{"type":"http"}`, `{"type":"prompt"}`, `{"type":"agent"}`,
		} {
			if !fits(gjson.Parse(v), want) {
				goto next
			}
		}
		t.Errorf("everything is %s", want)
	next:
		known := strings.HasPrefix(want, oneOf)
		for _, v := range []string{`"a"`, "1", "true", "[]", "{}"} {
			known = known || fits(gjson.Parse(v), want)
		}
		if !known {
			t.Errorf("nothing is %s", want)
		}
		key = strings.ReplaceAll(key, "EVENT", "PreToolUse")
		list, object := `[["no"]]`, `{"x":[]}`
		for _, part := range reversed(strings.Split(key, ".")) {
			list = fmt.Sprintf("{%q:%s}", part, list)
			object = fmt.Sprintf("{%q:%s}", part, object)
		}
		if len(WrongTypes(list))+len(WrongTypes(object)) == 0 {
			t.Errorf("%s of any type passes", key)
		}
	}
}

func reversed(list []string) (back []string) {
	for _, s := range list {
		back = append([]string{s}, back...)
	}
	return back
}

// A shell's text that starts the program is a registration of it; one that does more is another's.
func TestShellForm(t *testing.T) {
	for command, want := range map[string]string{
		"/opt/hooks stop":                                           "/opt/hooks",
		`"/opt/my tools/hooks" stop`:                                "/opt/my tools/hooks",
		"/opt/hooks  pre-tool-use":                                  "/opt/hooks",
		"HOOKS_LOG=/x /opt/hooks stop":                              "",
		`C:\tools\hooks.exe stop`:                                   `C:\tools\hooks.exe`,
		"'/opt/v=1/hooks' stop":                                     "/opt/v=1/hooks",
		"'/o||p/hooks' stop||for d in " + switchName + ";do :;done": "/o||p/hooks",
		"hooks stop":                                                "hooks",
		"echo hooks stop":                                           "",
		"/opt/hooks":                                                "",
		"/opt/hooks explain":                                        "",
		"/opt/webhooks stop":                                        "",
		"/opt/hooks stop && say done":                               "",
	} {
		h := gjson.Parse(fmt.Sprintf(`{"type":"command","command":%s}`, quote(command)))
		if d := cmp.Diff(want, programOf(h)); d != "" {
			t.Errorf("%s: %s", command, d)
		}
	}
}

// A registration in shell form is replaced by Add and taken out by Remove.
func TestShellFormIsReplacedAndRemoved(t *testing.T) {
	const entry = `{"type":"command","command":"\"/old/my hooks/hooks\" stop"}`
	text := `{"hooks":{"Stop":[{"hooks":[` + entry + `]}]}}`
	path := filepath.Join(t.TempDir(), "settings.json")
	write(t, path, text, 0o644)
	r, err := Install(path, program, true)
	if err != nil || !strings.Contains(r.Diff, "/old/my hooks/") {
		t.Errorf("%v\n%s", err, r.Diff)
	}
	added := add(text, program, &text)
	n := len(gjson.Get(added, "hooks.Stop").Array())
	if n != 1 || strings.Contains(added, "/old/") {
		t.Errorf("%d groups of Stop in\n%s", n, added)
	}
	if back := remove(text, nil); strings.Contains(back, "hooks stop") || !empty(back) {
		t.Errorf("removed, it is %s", back)
	}
}
