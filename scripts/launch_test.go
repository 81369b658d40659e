//go:build !windows

package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// stub is a program of hooks that tells what it was started with.
const stub = `#!/bin/sh
[ "$1" = version ] && { echo "hooks VERSION (x) a/b go1"; exit 0; }
echo "started as $1 with $(cat)"
`

// plugin is one that lacks its program, in a folder whose name needs quoting.
func plugin(t *testing.T) (root, home string) {
	t.Helper()
	dir := t.TempDir()
	root, home = filepath.Join(dir, `a "plug" in`), filepath.Join(dir, "home")
	for name, from := range map[string]string{
		".claude-plugin/plugin.json": "../.claude-plugin/plugin.json",
		"launch/hooks.sh":            "../launch/hooks.sh",
		"scripts/install.sh":         "install.sh",
		"hooks.json":                 "../hooks.json",
	} {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		lay(t, filepath.Join(root, name), string(text))
	}
	return root, home
}

func lay(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// launch starts what the client does: the text that is registered, through a shell.
func launch(t *testing.T, root, home, event, payload string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "hooks.json"))
	if err != nil {
		t.Fatal(err)
	}
	command := gjson.GetBytes(text, "hooks."+event+".0.hooks.0.command").String()
	cmd := exec.Command("sh", "-c", command)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "CLAUDE_PLUGIN_ROOT=" + root,
		"CLAUDE_PLUGIN_DATA=" + filepath.Join(home, "data")}
	cmd.Stdin = strings.NewReader(payload + "\n")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", event, err)
	}
	return strings.TrimSpace(string(out))
}

const (
	typed = "UserPromptExpansion"
	loops = `{"cwd":"/p","command_name":"sdd:work","command_args":"--loop --max-iterations 3"}`
)

func ours() string { return strings.Replace(stub, "VERSION", pluginVersion(), 1) }

func pluginVersion() string {
	text, _ := os.ReadFile("../.claude-plugin/plugin.json")
	return gjson.GetBytes(text, "version").String()
}

// Without a program every way into a loop is refused in the form of its event, with the line that
// installs it; what starts no loop passes in silence.
func TestWithoutAProgramLoopsAreRefused(t *testing.T) {
	root, home := plugin(t)
	install := "sh '" + root + "/scripts/install.sh'"
	for payload, at := range map[string][2]string{
		loops: {typed, "reason"},
		`{"command_name":"review","command_args":"--pr 4 --loop"}`:            {typed, "reason"},
		`{"command_name":"work","command_args":"a \"b\"\n--loop"}`:            {typed, "reason"},
		`{"command_name":"loop","command_args":"1m /sdd:work --loop"}`:        {typed, "reason"},
		`{"command_name":"work","command_args":"--loop=x"}`:                   {typed, "reason"},
		`{"command_name":"hooks:go","command_args":"docs/spec.md"}`:           {typed, "reason"},
		`{"command_name":"hooks:do","command_args":"-- sort the imports"}`:    {typed, "reason"},
		`{"command_name":"loop","command_args":"1m /hooks:do -- sort"}`:       {typed, "reason"},
		`{"command_name":"/sdd:audit","command_args":"plan.md"}`:              {typed, "reason"},
		`{"command_name":"other:go","command_args":"docs/spec.md"}`:           {typed, ""},
		`{"command_name":"work","command_args":"issue 4"}`:                    {typed, ""},
		`{"command_name":"work","command_args":"--looping"}`:                  {typed, ""},
		`{"command_name":"loop","command_args":"1m read about --loop flags"}`: {typed, ""},
		`{"command_name":"commit","command_args":"explain work --loop here"}`: {typed, ""},
		`{"tool_name":"Skill","tool_input":{"args":"--loop","skill":"a:work"}}`: {"PreToolUse",
			deny},
		`{"tool_name":"Skill","tool_input":{"skill":"/review","args":"--loop"}}`: {"PreToolUse",
			deny},
		`{"tool_name":"Skill","tool_input":{"skill":"pdf","args":"--loop"}}`: {"PreToolUse",
			""},
		`{"source":"startup"}`: {"SessionStart", "systemMessage"},
	} {
		out := launch(t, root, home, at[0], payload)
		switch reply := gjson.Parse(out); {
		case at[1] == "" && out != "":
			t.Errorf("%s is answered %s", payload, out)
		case at[1] == "":
		case !gjson.Valid(out) || !strings.Contains(reply.Get(at[1]).Str, install):
			t.Errorf("%s is answered %s, without %s", payload, out, install)
		case at[0] == typed && reply.Get("decision").Str != "block":
			t.Errorf("%s is not blocked: %s", payload, out)
		case at[1] == deny && reply.Get("hookSpecificOutput.permissionDecision").Str != "deny":
			t.Errorf("%s is not denied: %s", payload, out)
		}
	}
}

const deny = "hookSpecificOutput.permissionDecisionReason"

// A program of the plugin's version is linked into its place wherever it is found, and gets the
// event that brought it there and every later one.
func TestTheLauncherFindsTheProgram(t *testing.T) {
	carried := "bin/hooks_" + runtime.GOOS + "_" + runtime.GOARCH
	for _, where := range []string{carried, "home/.local/bin/hooks", "home/data/bin/hooks"} {
		for _, event := range []string{typed, "SessionStart"} {
			root, home := plugin(t)
			at := filepath.Join(root, where)
			if rest, ok := strings.CutPrefix(where, "home/"); ok {
				at = filepath.Join(home, rest)
			}
			lay(t, at, ours())
			for range 2 {
				out := launch(t, root, home, event, loops)
				if strings.Count(out, "started as ") != 1 || !strings.Contains(out, "with "+loops) {
					t.Errorf("%s, %s: the program got %q", where, event, out)
				}
			}
			if to, err := os.Readlink(filepath.Join(root, "bin", "hooks")); err != nil || to != at {
				t.Errorf("%s: bin/hooks is a link to %q: %v", where, to, err)
			}
		}
	}
}

// A program that does not start, or is another version, governs nothing: the loop is refused, and
// the reason names that program.
func TestAnotherProgramIsNotTaken(t *testing.T) {
	old := strings.Replace(stub, "VERSION", "0.0.1", 1)
	for name, c := range map[string]struct{ at, text, want string }{
		"another version": {"home/.local/bin/hooks", old, "is another version"},
		"another program": {"home/.local/bin/hooks", "#!/bin/sh\nexit 0\n",
			"it has no working program"},
		"a broken one here": {"bin/hooks", "\x7fELF nothing", "bin/hooks does not start"},
	} {
		root, home := plugin(t)
		at := filepath.Join(root, c.at)
		if rest, ok := strings.CutPrefix(c.at, "home/"); ok {
			at = filepath.Join(home, rest)
		}
		lay(t, at, c.text)
		out := launch(t, root, home, typed, loops)
		if reason := gjson.Get(out, "reason").Str; !strings.Contains(reason, c.want) {
			t.Errorf("%s: it says %q", name, out)
		}
		lay(t, filepath.Join(home, "data/bin/hooks"), ours())
		out = launch(t, root, home, typed, loops)
		if c.at == "bin/hooks" && !strings.Contains(out, "does not start") {
			t.Errorf("%s: a person's own file was replaced: %q", name, out)
		}
	}
}
