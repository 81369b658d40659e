package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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

// build is the build id of a binary, "" where it has none.
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
	where := m.where(h)
	info, err := os.Stat(path)
	switch {
	case lookup != nil:
		n.fail("register it with its full path: `hooks install`",
			"%s starts %q, which is not on PATH", where, path)
		return
	case err != nil:
		if p := (*fs.PathError)(nil); errors.As(err, &p) {
			err = p.Err // without the path once more
		}
		way := "build or install the program there, or register it again: `hooks install`"
		if h.File.Root != "" {
			way = "start a session: the plugin links an installed program of its version; " +
				"else build it there"
		}
		n.fail(way, "%s starts %s: %v", where, path, err)
		return
	case info.IsDir():
		n.fail("register the program itself: `hooks install`",
			"%s starts %s, which is a folder", where, path)
		return
	case runtime.GOOS != "windows" && info.Mode()&0o111 == 0:
		n.fail("chmod +x "+path+", or hooks doctor --fix",
			"%s is not executable: it governs no loop", path).
			repaired("made "+path+" executable", func() error {
				return os.Chmod(path, info.Mode().Perm()|0o755)
			})
		return
	}
	if !filepath.IsAbs(path) {
		n.warn("register it with its full path",
			"%s is found by the folder that the client happens to be in", path)
	}
	args := []string{path, "version"}
	out, _, err := start(child.Command{Args: args, Dir: m.project, Wait: hookTime})
	switch {
	case err != nil:
		n.fail("build it for this machine, or register it again: `hooks install`",
			"%s does not start: %v", path, err)
	case out != m.Version:
		n.fail("register this one: `hooks install`, or update the other",
			"%s is %q, this program is %q", path, out, m.Version)
	case build(path) != m.self.Build && m.self.Build != "":
		n.warn("copy this one there, or register it: `hooks install`",
			"%s is of the same version as this program but another build", path)
	default:
		n.note("%s: %s", path, out)
	}
}

// on reports whether a value of an environment variable switches something on.
func on(value string) bool { return value != "" && value != "0" && value != "false" }

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

// workspaceTrust checks that the person trusts the folder. Until then an interactive session runs
// no hooks in it.
func workspaceTrust(m *machine, n *notes) {
	path := filepath.Join(cmp.Or(m.Env("CLAUDE_CONFIG_DIR"), m.home()), ".claude.json")
	f := install.ReadFile("client", path)
	if f == nil || f.Bad != "" {
		n.skip("%s is missing or cannot be read", m.shown(path))
		return
	}
	project, ok := f.Body.Get("projects").Map()[m.project]
	switch {
	case !ok:
		n.skip("no session has been in this folder yet")
	case project.Get("hasTrustDialogAccepted").Type != gjson.True:
		n.warn("start the client here once and accept its question",
			"the folder is not trusted yet: an interactive session runs no hooks in it")
	default:
		n.note("the folder is trusted")
	}
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
			case (tool == "CronCreate" || tool == "ScheduleWakeup") && what == "":
				n.warn(hint, "%s: a loop cannot schedule its next tick", denies)
			}
		}
		mode := f.Body.Get("permissions.defaultMode").Str
		if f.Root == "" && (mode == "dontAsk" || mode == "plan") {
			n.warn("leave it to the session",
				"%s: permissions.defaultMode is %s, in which a loop cannot do its work",
				m.shown(f.Path), mode)
		}
	}
	n.noteIfFine("nothing denies the dialog or the reports")
}
