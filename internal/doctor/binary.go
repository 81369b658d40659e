package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/child"
	"hooks/internal/install"
	"hooks/internal/loop"
	"hooks/internal/proc"
)

// located is the path of a hook's binary. A bare name is looked up as the client does.
func (m *machine) located(h install.Hook) (string, error) {
	if rest, ok := strings.CutPrefix(h.Program, "~/"); ok {
		return filepath.Join(m.home(), rest), nil
	}
	if strings.ContainsAny(h.Program, `/\`) {
		return h.Program, nil
	}
	return exec.LookPath(h.Program)
}

// build returns the build id of the binary at path. It is empty if the binary has no build id.
func build(path string) string {
	p, _ := proc.Identify(path)
	return p.Build
}

// hookBinary checks that what the client would start exists, starts, and is this very program.
func hookBinary(m *machine, n *notes) {
	var seen []string
	for _, h := range m.settings().Ours() {
		path, err := m.located(h)
		if err != nil {
			path = h.Program
		}
		before := len(seen)
		if seen = loop.AppendNew(seen, path); len(seen) > before {
			m.binary(n, h, path, err)
		}
	}
}

func (m *machine) binary(n *notes, h install.Hook, path string, lookup error) {
	where, install := m.where(h), again(h.File)
	info, err := os.Stat(path)
	switch {
	case lookup != nil:
		n.fail("register it with its full path: "+install,
			"%s starts %q, which is not on PATH", where, path)
		return
	case err != nil:
		if p := (*fs.PathError)(nil); errors.As(err, &p) {
			err = p.Err // without the path once more
		}
		way := "build or install the program there, or register it again: " + install
		if h.File.Root != "" {
			way = "start a session: the plugin links an installed program of its version; " +
				"else build it there"
		}
		n.fail(way, "%s starts %s: %v", where, path, err)
		return
	case info.IsDir():
		n.fail("register the program itself: "+install,
			"%s starts %s, which is a folder", where, path)
		return
	case runtime.GOOS != "windows" && info.Mode()&0o111 == 0:
		n.fail("`chmod +x "+path+"`, or `hooks doctor --fix`",
			"%s is not executable: it governs no loop", path).
			repaired("made "+path+" executable", func() error {
				return os.Chmod(path, info.Mode().Perm()|0o755)
			})
		return
	}
	if !filepath.IsAbs(path) {
		n.warn("register it with its full path: "+install,
			"%s is found by the folder that the client happens to be in", path)
	}
	args := []string{path, "version"}
	out, _, err := start(child.Command{Args: args, Dir: m.project, Wait: hookTime})
	switch {
	case err != nil:
		n.fail("build it for this machine, or register it again: "+install,
			"%s does not start: %v", path, err)
	case out != m.Version:
		n.fail("register this one: "+install+", or update the other",
			"%s is %q, this program is %q", path, out, m.Version)
	case build(path) != m.self.Build && m.self.Build != "":
		n.warn("copy this one there, or register it: "+install,
			"%s is of the same version as this program but another build", path)
	default:
		n.note("%s: %s", path, out)
	}
}

// on reports whether a value of an environment variable switches something on.
func on(value string) bool { return value != "" && value != "0" && value != "false" }

// maxBlocks is the number of times in a row that the program holds a turn open: for a question, and
// for the facts or the schedule.
const maxBlocks = 2

// switches finds settings and variables that turn hooks off as a whole.
func switches(m *machine, n *notes) {
	if at, v := m.settings().Setting("disableAllHooks"); v.Type == gjson.True {
		n.fail("set it to false or take it away", "%s: disableAllHooks is on", m.shown(at.Path))
	}
	managed := false
	for _, h := range m.settings().Ours() {
		managed = managed || h.File.Scope == "managed"
	}
	at, v := m.settings().Setting("allowManagedHooksOnly")
	if v.Type == gjson.True && at.Scope == "managed" && !managed {
		n.fail("ask the administrator to register the program in the managed settings",
			"%s: allowManagedHooksOnly is on, so the client ignores this registration",
			m.shown(at.Path))
	}
	for _, s := range [...][2]string{
		{"CLAUDE_CODE_SIMPLE", "--bare"}, {"CLAUDE_CODE_SAFE_MODE", "--safe-mode"},
	} {
		if value := m.variable(s[0]); on(value) {
			n.fail("unset it where loops are started",
				"%s=%s: the client runs no hooks, as with %s", s[0], value, s[1])
		}
	}
	const blocks = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"
	limit := m.variable(blocks)
	if count, err := strconv.Atoi(limit); err == nil && count > 0 && count < maxBlocks {
		n.fail(fmt.Sprintf("set it to %d or more, or unset it", maxBlocks),
			"%s=%s: the client ends turns that still owe an answer or their facts", blocks, limit)
	}
	n.noteIfFine("hooks are switched on")
}

// variable is an environment variable as the client has it: "env" of the settings overrules the
// shell's.
func (m *machine) variable(name string) string {
	if _, v := m.settings().Setting("env", name); v.Exists() {
		return v.String()
	}
	return m.Env(name)
}

// permissions finds rules that keep the questions of a loop, or its reports, from happening.
func permissions(m *machine, n *notes) {
	const hint = "take the rule out of permissions.deny"
	for _, f := range m.settings().Files {
		for _, rule := range f.Body.Get("permissions.deny").Array() {
			tool, what, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(rule.Str), ")"), "(")
			what = strings.TrimRight(what, " :*")
			denies := fmt.Sprintf("%s denies %s", m.shown(f.Path), rule.Str)
			switch {
			case tool == "AskUserQuestion":
				n.fail(hint, "%s: no question can be asked, so every gate pauses the run", denies)
			case tool == "Skill" && what == "":
				n.fail(hint, "%s: the model cannot run a tick", denies)
			case tool == "Bash" && (what == "" || strings.HasPrefix(what+" ", "hooks ")):
				n.fail(hint, "%s: the model cannot report its facts", denies)
			}
		}
	}
	n.noteIfFine("nothing denies the dialog or the reports")
}
