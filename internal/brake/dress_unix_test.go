//go:build unix

package brake

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hooks/internal/seal"
)

func TestDressMakesAndRepairsLinks(t *testing.T) {
	home := filepath.Join(t.TempDir(), "state")
	dir := seal.LinksPath(home, session)
	dress := func() {
		t.Helper()
		if err := Dress(home, session, "/opt/hooks"); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(dir)
		info, _ := os.Stat(dir)
		if err != nil || len(entries) != len(Names) || info.Mode().Perm() != 0o700 {
			t.Fatalf("%v: %v, %v", entries, info.Mode(), err)
		}
		for _, name := range Names {
			if to, err := os.Readlink(filepath.Join(dir, name)); to != "/opt/hooks" {
				t.Errorf("%s leads to %q, %v", name, to, err)
			}
		}
	}
	dress()
	gh, git, curl := filepath.Join(dir, "gh"), filepath.Join(dir, "git"), filepath.Join(dir, "curl")
	broken := errors.Join(os.Remove(gh), os.Remove(git), os.Symlink("/usr/bin/git", git),
		os.Chmod(dir, 0o777))
	if broken != nil {
		t.Fatal(broken)
	}
	dress()
	if err := errors.Join(os.Remove(curl), os.Mkdir(curl, 0o700)); err != nil {
		t.Fatal(err)
	}
	if err := Dress(home, session, "/opt/hooks"); err == nil {
		t.Error("a directory in place of a link is no error")
	}
	if err := errors.Join(os.RemoveAll(dir), os.Symlink(t.TempDir(), dir)); err != nil {
		t.Fatal(err)
	}
	dress()
}

// Links outlive their loop, for work that it left running. Those of old sessions go once their
// client is gone, and then the programs to which no link leads.
func TestOldLinksAreSwept(t *testing.T) {
	home := filepath.Join(t.TempDir(), "state")
	long := time.Now().Add(-2 * linksAge)
	root := filepath.Join(home, "brake")
	programs := filepath.Join(root, ".program")
	for _, name := range []string{"v1", "v2", "v3"} {
		write(t, filepath.Join(programs, name), name, 0o700)
	}
	age := func(path string) error { return os.Chtimes(path, long, long) }
	err := errors.Join(Dress(home, "old", filepath.Join(programs, "v1")),
		Dress(home, "on", filepath.Join(programs, "v2")), Dress(home, "lives", "/opt/hooks"),
		Dress(home, "young", "/opt/hooks"),
		age(filepath.Join(programs, "v1")), age(filepath.Join(programs, "v2")),
		age(filepath.Join(root, "old")), age(filepath.Join(root, "on")),
		age(filepath.Join(root, "lives")))
	if err != nil {
		t.Fatal(err)
	}
	write(t, seal.SwitchPath(home, "on"), "{}", 0o600)
	left := func() string {
		first, _ := filepath.Glob(filepath.Join(root, "*"))
		second, _ := filepath.Glob(filepath.Join(programs, "*"))
		var names []string
		for _, path := range append(first, second...) {
			names = append(names, filepath.Base(path))
		}
		return strings.Join(names, " ")
	}
	Sweep(home, func(session string) bool { return session == "lives" })
	if got := left(); got != ".program lives on young v2 v3" {
		t.Errorf("swept: left %s", got)
	}
	RemoveLinks(home)
	if _, err := os.Lstat(root); err == nil {
		t.Errorf("left %s", left())
	}
}

// The line is evaluated in the shells that a client may use, alone and as the client joins it to
// other text.
func TestLineInEveryShell(t *testing.T) {
	for _, home := range []string{"/tmp/plain", filepath.Join(t.TempDir(), `it's "a" $HOME \ *`)} {
		line := Line(home, session)
		for _, shell := range []string{"sh", "bash", "zsh", "dash", "bash --posix"} {
			name, flags, _ := strings.Cut(shell, " ")
			program, err := exec.LookPath(name)
			if err != nil {
				t.Logf("%s is not installed", name)
				continue
			}
			said := func(path, text string) string {
				t.Helper()
				cmd := exec.Command(program, append(strings.Fields(flags), "-c", text)...)
				cmd.Env = []string{"PATH=" + path}
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Errorf("%s: %s: %v: %s", shell, text, err, out)
				}
				return string(out)
			}
			links := seal.LinksPath(home, session)
			show := `printf '%s' "$PATH"`
			forms := []string{
				"set -eu\n" + line + "\n" + show, "true && " + line + "\n: && " + show,
				line + " && " + show,
				line + "\n" + line + "\n" + show,
			}
			for _, form := range forms {
				if got := said("/usr/bin:/bin", form); got != "/usr/bin:/bin" {
					t.Errorf("%s, off: %s: %s", shell, form, got)
				}
			}
			write(t, seal.SwitchPath(home, session), "{}", 0o600)
			for i, form := range forms {
				want := strings.Repeat(links+":", 1+i/3) + "/usr/bin:/bin"
				if got := said("/usr/bin:/bin", form); got != want {
					t.Errorf("%s, on: %s: %s", shell, form, got)
				}
			}
			// zsh has a PATH of its own
			if got := said("", line+"; "+show); got != links && name != "zsh" {
				t.Errorf("%s without PATH: %s", shell, got)
			}
			if err := os.Remove(seal.SwitchPath(home, session)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, home := range []string{"", "/a:b", "/a\nb"} {
		if line := Line(home, session); line != "" {
			t.Errorf("home %q gives %q", home, line)
		}
	}
}

func TestArmWritesOneLine(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, ".claude", "session-env", session)
	file := filepath.Join(folder, "sessionstart-hook-0.sh")
	vars := map[string]string{"HOME": dir, "CLAUDE_ENV_FILE": file}
	env := func(name string) string { return vars[name] }
	arm := func() {
		t.Helper()
		if err := Arm(env, session); err != nil {
			t.Fatal(err)
		}
	}
	line := Line(seal.Home(env), session)
	if Arm(env, session) == nil || Armed(env, session) {
		t.Error("a folder that is not there is no error")
	}
	write(t, file, "export OTHER=1", 0o644)
	if arm(); mustRead(t, file) != "export OTHER=1\n"+line+"\n" {
		t.Errorf("the file became %q", mustRead(t, file))
	}
	if arm(); mustRead(t, file) != "export OTHER=1\n"+line+"\n" {
		t.Errorf("the second time it became %q", mustRead(t, file))
	}
	if !Armed(env, session) || Armed(env, "other") || Armed(env, "../"+session) || Armed(env, "") {
		t.Error("armed is not told")
	}
	vars["HOOKS_STATE_HOME"] = "/elsewhere" // the line that is there switches another home
	if Armed(env, session) {
		t.Error("armed for another home")
	}
	delete(vars, "HOOKS_STATE_HOME")
	vars["CLAUDE_CONFIG_DIR"] = filepath.Join(dir, "conf")
	if Armed(env, session) {
		t.Error("armed in another configuration folder")
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if arm(); mustRead(t, file) != line+"\n" {
		t.Errorf("a new file is %q", mustRead(t, file))
	}
	if info, _ := os.Stat(file); info.Mode().Perm() != 0o600 {
		t.Errorf("a new file has %v", info.Mode())
	}
	for _, drop := range []string{"CLAUDE_ENV_FILE", "HOME"} {
		before := vars[drop]
		delete(vars, drop)
		if err := errors.Join(os.RemoveAll(file)); err != nil {
			t.Fatal(err)
		}
		if arm(); mustRead(t, file) != "" {
			t.Errorf("written without %s", drop)
		}
		vars[drop] = before
	}
}
