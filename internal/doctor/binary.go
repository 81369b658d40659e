package doctor

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/tidwall/gjson"

	"hooks/internal/child"
	"hooks/internal/loop"
)

// hookBinary: what the client would start is there, may be started, and is this very program.
func hookBinary(m *machine, n *notes) {
	var seen []string
	for _, h := range m.hooks().ours() {
		path, err := m.located(h)
		if err != nil {
			path = m.program(h)
		}
		before := len(seen)
		if seen = loop.AppendNew(seen, path); len(seen) > before {
			m.binary(n, h, path, err)
		}
	}
	if len(seen) == 0 {
		n.skip("the program is registered nowhere")
	}
}

func (m *machine) binary(n *notes, h handler, path string, lookup error) {
	info, err := os.Stat(path)
	switch {
	case lookup != nil:
		n.fail("register it with its full path: `hooks install`", "%s starts %q, which is not on PATH", m.where(h), path)
		return
	case err != nil:
		n.fail("build or install the program there, or register it anew: `hooks install`",
			"%s starts %s: %v", m.where(h), path, bareErr(err))
		return
	case info.IsDir():
		n.fail("register the program itself: `hooks install`", "%s starts %s, which is a folder", m.where(h), path)
		return
	case runtime.GOOS != "windows" && info.Mode()&0o111 == 0:
		n.fail("chmod +x "+path+", or hooks doctor --fix", "%s is not executable: the client passes every call", path).mend = func() (string, error) {
			return "made " + path + " executable", os.Chmod(path, info.Mode().Perm()|0o755)
		}
		return
	}
	if len(path) > 0 && !filepath.IsAbs(path) {
		n.warn("register it with its full path", "%s is found by the folder that the client happens to be in", path)
	}
	m.compare(n, h, path)
}

// bareErr is an error without the path that it names once more.
func bareErr(err error) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return p.Err
	}
	return err
}

// compare asks the registered binary who it is.
func (m *machine) compare(n *notes, h handler, path string) {
	out, _, err := feed(child.Command{Args: []string{path, "version"}, Dir: m.project, Wait: hookTime})
	switch {
	case err != nil:
		n.fail("build it for this machine, or register it anew: `hooks install`", "%s does not start: %v", path, err)
	case out != m.Version:
		n.fail("register this one: `hooks install`, or update the other", "%s is %q, this program is %q", path, out, m.Version)
	case build(path) != m.self.Build && m.self.Build != "":
		n.warn("copy this one there, or register it: `hooks install`", "%s is of the same version as this program but another build", path)
	default:
		n.say("%s: %s", path, out)
	}
}

// switches: settings and variables that turn hooks off as a whole.
func switches(m *machine, n *notes) {
	managed := false
	for _, h := range m.hooks().ours() {
		managed = managed || h.from.scope == "managed"
	}
	if at, v := m.effective("disableAllHooks"); v.Type == gjson.True {
		n.fail("set it to false or take it away", "%s: disableAllHooks is on", m.shown(at.path))
	}
	if at, v := m.effective("allowManagedHooksOnly"); v.Type == gjson.True && at.scope == "managed" && !managed {
		n.fail("ask the administrator to register the program in the managed settings", "%s: allowManagedHooksOnly is on, so the client ignores this registration", m.shown(at.path))
	}
	for name, what := range map[string]string{"CLAUDE_CODE_SIMPLE": "--bare", "CLAUDE_CODE_SAFE_MODE": "--safe-mode"} {
		if v := m.setting(name); v != "" && v != "0" && v != "false" {
			n.fail("unset it where loops are started", "%s=%s: the client runs no hooks, as with %s", name, v, what)
		}
	}
	if len(n.problems) == 0 {
		n.say("hooks are switched on")
	}
}

// effective is a setting's value in the file that counts most.
func (m *machine) effective(name string) (at *settings, v gjson.Result) {
	for _, s := range m.hooks().files {
		if found := s.body.Get(name); s.root == "" && found.Exists() {
			at, v = s, found
		}
	}
	return at, v
}

// setting is an environment variable as the client will have it: the settings' own "env" counts over the shell's.
func (m *machine) setting(name string) string {
	if value, ok := m.inSettings(name); ok {
		return value
	}
	return m.Env(name)
}

// inSettings is a variable of the settings' "env", of the file that counts most.
func (m *machine) inSettings(name string) (value string, set bool) {
	for _, s := range m.hooks().files {
		if s.root == "" {
			if v, ok := s.body.Get("env").Map()[name]; ok {
				value, set = v.String(), true
			}
		}
	}
	return value, set
}

// workspaceTrust: an interactive session holds every hook back until the person trusts the folder.
func workspaceTrust(m *machine, n *notes) {
	path := filepath.Join(cmp.Or(m.Env("CLAUDE_CONFIG_DIR"), m.home()), ".claude.json")
	s := open("client", path)
	if s == nil || s.bad != "" {
		n.skip("%s tells nothing", m.shown(path))
		return
	}
	project, ok := s.body.Get("projects").Map()[m.project]
	switch {
	case !ok:
		n.skip("no session has been in this folder yet")
	case project.Get("hasTrustDialogAccepted").Type != gjson.True:
		n.warn("start the client here once and accept its question", "the folder is not trusted yet: an interactive session runs no hooks in it")
	default:
		n.say("the folder is trusted")
	}
}
