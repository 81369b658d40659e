package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/child"
	"hooks/internal/event"
	"hooks/internal/install"
	"hooks/internal/loop"
)

// again returns the hint for a problem with the registration in f.
func again(f *install.File) string {
	switch {
	case f.Root != "":
		return "update the plugin, or disable it and run `hooks install`"
	case f.Scope == "managed":
		return "ask the administrator to register it again in the managed settings"
	}
	return "run `hooks install --scope " + f.Scope + "`"
}

// from returns a file's path and scope for people.
func (m *machine) from(f *install.File) string {
	return fmt.Sprintf("%s (%s)", m.shown(f.Path), f.Scope)
}

// settingsFiles finds settings that the client cannot read. A single value of the wrong type makes
// the client skip the whole file; in headless mode (-p) it prints no message.
func settingsFiles(m *machine, n *notes) {
	for _, f := range m.settings().Files {
		if f.Bad != "" {
			n.fail("repair the file or move it away; until then the client ignores it",
				"%s: %s", m.from(f), f.Bad)
			continue
		}
		n.note("%s", m.from(f))
		if f.Root != "" {
			continue
		}
		for _, w := range install.WrongTypes(f.Text) {
			text := fmt.Sprintf("%s: %s; the client skips the whole file", m.shown(f.Path), w.Text)
			if w.Choice {
				n.warn("correct it, unless your client accepts that value", "%s", text)
			} else {
				n.fail("correct that value", "%s", text)
			}
		}
	}
}

func hooksRegistered(m *machine, n *notes) {
	ours := m.settings().Ours
	if len(ours) == 0 {
		n.fail("run `hooks install`, or enable the plugin; the doctor cannot see a plugin that "+
			"is loaded with --plugin-dir",
			"the program is not registered, so no loop is governed")
		return
	}
	var files, missing []string
	add := n.warn
	have := map[string]bool{}
	for _, h := range ours {
		files = loop.AppendNew(files, m.from(h.File))
		have[h.Event] = have[h.Event] || h.Event == event.NameOf(h.Word)
	}
	for _, w := range event.Words {
		if have[w.Name] {
			continue
		}
		missing = append(missing, w.Name)
		if w.Name == event.PreToolUse || w.Name == event.Stop {
			add = n.fail // without them nothing is guarded, or no iteration ever closes
		}
	}
	if len(missing) > 0 {
		add(again(ours[0].File), "not registered: %s; the facts from these events arrive "+
			"late or never", join(missing))
	}
	n.note("%d of %d events in %s", len(event.Words)-len(missing), len(event.Words), join(files))
}

// registeredOnce finds events that would count twice. If several settings files contain the same
// handler, the client runs it once. Different handlers, and those of plugins, run separately.
func registeredOnce(m *machine, n *notes) {
	var events, files []string
	keep := "keep only one registration"
	for _, w := range event.Words {
		var copies, places []string
		for _, h := range m.settings().Ours {
			own := fmt.Sprint(h.Raw.Get("command"), h.Raw.Get("args"))
			if h.File.Root != "" {
				own += h.File.Scope
			}
			if h.Word != w.Word || slices.Contains(copies, own) {
				continue
			}
			copies, places = append(copies, own), append(places, m.from(h.File))
			if slices.Contains(install.Scopes, h.File.Scope) {
				keep = "keep only one; for example: `hooks uninstall --scope " + h.File.Scope + "`"
			}
		}
		if len(places) > 1 {
			events, files = append(events, w.Name), loop.AppendNew(files, places...)
		}
	}
	if len(events) > 0 {
		n.fail(keep, "%s: registered more than once, in %s", join(events),
			strings.Join(files, " and "))
	}
}

// commandForm compares each entry with the one that this version would write.
func commandForm(m *machine, n *notes) {
	for _, h := range m.settings().Ours {
		if h.Current() {
			continue
		}
		add := n.warn
		if h.Event == event.PreToolUse || h.Event == event.Stop { // no rule works without these two
			add = n.fail
		}
		add(again(h.File), "%s in %s differs from what this version writes, so it may not run "+
			"when needed; see `hooks install --dry-run --diff`", h.Event, m.shown(h.File.Path))
	}
}

// located returns the path of a hook's binary. Like the client, it looks up a bare name on PATH.
func (m *machine) located(h install.Hook) (string, error) {
	path, err := exec.LookPath(h.Program)
	return cmp.Or(path, h.Program), err
}

// hookBinary checks that the hooks' binaries exist, start, and have this program's version.
func hookBinary(m *machine, n *notes) {
	seen := map[string]bool{}
	for _, h := range m.settings().Ours {
		path, err := m.located(h)
		if !seen[path] {
			m.binary(n, h, path, err)
		}
		seen[path] = true
	}
}

func (m *machine) binary(n *notes, h install.Hook, path string, err error) {
	install := again(h.File)
	executable := func() error { return os.Chmod(path, 0o755) }
	if errors.Is(err, fs.ErrPermission) && n.repaired("made "+path+" executable", executable) {
		err = nil
	}
	switch {
	case errors.Is(err, fs.ErrPermission):
		n.fail("run `chmod +x "+path+"` or `hooks doctor --fix`",
			"%s is not executable, so it governs no loop", path)
		return
	case err != nil:
		way := "build or install the program there; or " + install
		if h.File.Root != "" {
			way = "start a session, in which the plugin links to an installed hooks of its own " +
				"version; or build the program there"
		}
		if p, ok := errors.AsType[*fs.PathError](err); ok {
			err = p.Err // omit the path, which the message already contains
		}
		n.fail(way, "%s in %s cannot start %s: %v", h.Event, m.shown(h.File.Path), path, err)
		return
	}
	out, err := start(child.Command{
		Args: []string{path, "version"}, Dir: m.project, Wait: hookTime,
	})
	switch {
	case err != nil:
		n.fail("build it for this machine; or "+install,
			"%s does not start: %v", path, err)
	case out != m.Version:
		n.fail("update the registered program; or "+install,
			"%s is %q, but this program is %q", path, out, m.Version)
	default:
		n.note("%s: %s", path, out)
	}
}

// onPath checks that the command hooks starts this program.
func onPath(m *machine, n *notes) {
	path, err := exec.LookPath("hooks")
	hint := "add " + filepath.Dir(m.self.Path) + " to PATH in your shell's startup file"
	switch {
	case err != nil:
		n.warn(hint, "hooks is not on PATH; if a hint says `hooks …`, type %s instead",
			m.shown(m.self.Path))
	case install.Same(path, m.self.Path):
		n.note("%s", path)
	default:
		n.warn(hint+", before "+filepath.Dir(path),
			"the command `hooks` starts %s instead of %s", path, m.self.Path)
	}
}

// maxBlocks is how often in a row the program may keep a turn open. Once is for an answer, once for
// the facts or the schedule.
const maxBlocks = 2

// switches finds settings and environment variables that disable all hooks or end a turn that a
// hook keeps open.
func switches(m *machine, n *notes) {
	if at, v := m.settings().Setting("disableAllHooks"); v.Type == gjson.True {
		n.fail("set it to false or remove it", "%s: disableAllHooks is on", m.shown(at.Path))
	}
	managed := slices.ContainsFunc(m.settings().Ours, func(h install.Hook) bool {
		return h.File.Scope == "managed"
	})
	at, v := m.settings().Setting("allowManagedHooksOnly")
	if v.Type == gjson.True && at.Scope == "managed" && !managed {
		n.fail("ask the administrator to register the program in the managed settings",
			"%s: allowManagedHooksOnly is on, so the client ignores this registration",
			m.shown(at.Path))
	}
	variable := func(name string) string { // "env" in the settings overrides the environment
		if _, v := m.settings().Setting("env", name); v.Exists() {
			return v.String()
		}
		return m.Env(name)
	}
	for _, s := range [...][2]string{
		{"CLAUDE_CODE_SIMPLE", "--bare"}, {"CLAUDE_CODE_SAFE_MODE", "--safe-mode"},
	} {
		if value := variable(s[0]); value != "" && value != "0" && value != "false" {
			n.fail("unset it in the settings or in the environment",
				"%s=%s: the client runs no hooks, as with %s", s[0], value, s[1])
		}
	}
	const blocks = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"
	limit := variable(blocks)
	if count, err := strconv.Atoi(limit); err == nil && count > 0 && count < maxBlocks {
		n.fail(fmt.Sprintf("set it to %d or more, or unset it", maxBlocks),
			"%s=%s: the client ends turns that still lack an answer or facts", blocks, limit)
	}
}
