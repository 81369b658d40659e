package install

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/tidwall/sjson"

	"hooks/internal/hint"
)

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
		os.WriteFile(path, []byte(text), mode), os.Chmod(path, mode)); err != nil {
		t.Fatal(err)
	}
}

func contents(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// names lists a folder, or says that it is not there.
func names(dir string) string {
	list, err := os.ReadDir(dir)
	if err != nil {
		return "absent"
	}
	var all []string
	for _, e := range list {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}

func do(t *testing.T, f func() (Result, error)) Result {
	t.Helper()
	r, err := f()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func installed(t *testing.T, path string) Result {
	t.Helper()
	return do(t, func() (Result, error) { return Install(path, program, false) })
}

func uninstalled(t *testing.T, path string) Result {
	t.Helper()
	return do(t, func() (Result, error) { return Uninstall(path, false) })
}

func TestEveryFileComesBack(t *testing.T) {
	for name, text := range files {
		path := filepath.Join(t.TempDir(), ".claude", "settings.json")
		write(t, path, text, 0o640)
		r := installed(t, path)
		if contents(t, r.Backup) != text || r.Diff == "" {
			t.Errorf("%s: the backup holds %q, the change is %q", name, contents(t, r.Backup),
				r.Diff)
		}
		with := contents(t, path)
		if again := installed(t, path); again.Diff != "" || contents(t, path) != with ||
			contents(t, r.Backup) != text {
			t.Errorf("%s: the second installation changed something: %q", name, again.Diff)
		}
		do(t, func() (Result, error) { return Install(path, "/new/hooks", false) })
		if strings.Contains(contents(t, path), program) || contents(t, r.Backup) != text {
			t.Errorf("%s: the update left the old path, or lost the backup", name)
		}
		uninstalled(t, path)
		if contents(t, path) != text || names(filepath.Dir(path)) != "settings.json" {
			t.Errorf("%s: %q, with %s around", name, contents(t, path), names(filepath.Dir(path)))
		}
		if again := uninstalled(t, path); again.Diff != "" || again.Removed {
			t.Errorf("%s: the second removal changed something: %q", name, again.Diff)
		}
	}
}

func TestAFileMadeByUsGoesAgain(t *testing.T) {
	project := t.TempDir()
	path := filepath.Join(project, ".claude", "settings.local.json")
	if r := installed(t, path); r.Backup != "" || !strings.Contains(r.Diff, "@@ -0,0 +1,") {
		t.Errorf("%+v", r)
	}
	if r := uninstalled(t, path); !r.Removed || names(project) != "" {
		t.Errorf("%+v leaves %s", r, names(project))
	}
	installed(t, path)
	write(t, filepath.Join(project, ".claude", "CLAUDE.md"), "mine", 0o644)
	if uninstalled(t, path); names(filepath.Join(project, ".claude")) != "CLAUDE.md" {
		t.Errorf("it leaves %s", names(filepath.Join(project, ".claude")))
	}
	installed(t, path)
	more, _ := sjson.Set(contents(t, path), "model", "opus")
	write(t, path, more, 0o644)
	if r := uninstalled(t, path); r.Removed ||
		value(t, contents(t, path)).(map[string]any)["model"] != "opus" {
		t.Errorf("%+v leaves %s", r, contents(t, path))
	}
}

func TestALinkStaysALinkAndTheModeStays(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	dotfiles, path := filepath.Join(t.TempDir(), "claude.json"),
		filepath.Join(t.TempDir(), "settings.json")
	write(t, dotfiles, files["tabs"], 0o604)
	if err := os.Symlink(dotfiles, path); err != nil {
		t.Fatal(err)
	}
	check := func(want string) {
		t.Helper()
		link, _ := os.Readlink(path)
		info, err := os.Stat(dotfiles)
		if err != nil || link != dotfiles || info.Mode().Perm() != 0o604 ||
			contents(t, dotfiles) != want || names(filepath.Dir(dotfiles)) != "claude.json" {
			t.Errorf("link to %q, mode %v, %v:\n%s", link, info.Mode(), err, contents(t, dotfiles))
		}
	}
	r := installed(t, path)
	check(add(files["tabs"], program, nil))
	if info, err := os.Stat(r.Backup); err != nil || info.Mode().Perm() != 0o604 ||
		filepath.Dir(r.Backup) != filepath.Dir(path) {
		t.Errorf("backup %s: %v, %v", r.Backup, info, err)
	}
	uninstalled(t, path)
	check(files["tabs"])

	if err := os.Remove(dotfiles); err != nil {
		t.Fatal(err)
	}
	if _, err := Install(path, program, false); hint.Of(err) == "" ||
		!strings.Contains(err.Error(), "broken link") {
		t.Errorf("a broken link: %v", err)
	}
}

// A run that was killed leaves its temporary file and perhaps a backup of an edit that never came.
func TestWhatAKilledRunLeavesDoesNoHarm(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	elsewhere := filepath.Join(t.TempDir(), "precious")
	write(t, elsewhere, "precious", 0o644)
	write(t, path, `{"model":"opus"}`, 0o644)
	write(t, path+".before-hooks", `{"hooks":{"Stop":[]},"old":1}`, 0o644)
	if err := os.Symlink(elsewhere, filepath.Join(filepath.Dir(path),
		".settings.json.hooks.tmp")); err != nil && runtime.GOOS != "windows" {
		t.Fatal(err)
	}
	if r := installed(t, path); contents(t, r.Backup) != `{"model":"opus"}` ||
		contents(t, elsewhere) != "precious" {
		t.Errorf("backup %q, the link's target %q", contents(t, r.Backup), contents(t, elsewhere))
	}
	if uninstalled(t, path); contents(t, path) != `{"model":"opus"}` ||
		names(filepath.Dir(path)) != "settings.json" {
		t.Errorf("%q with %s around", contents(t, path), names(filepath.Dir(path)))
	}
	write(t, path+".before-hooks", "left over", 0o644)
	_ = os.Remove(path)
	if installed(t, path); names(filepath.Dir(path)) != "settings.json" {
		t.Errorf("a backup of nothing is left: %s", names(filepath.Dir(path)))
	}
}

func TestDryRunAndErrorsWriteNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".claude", "settings.json")
	if r := do(t, func() (Result, error) { return Install(path, program, true) }); r.Diff == "" ||
		names(filepath.Dir(path)) != "absent" {
		t.Errorf("%q, and made %s", r.Diff, names(filepath.Dir(path)))
	}
	write(t, path, "{\n // x\n}", 0o644)
	_, err := Install(path, program, false)
	if hint.Of(err) == "" || !strings.Contains(err.Error(), path+": line 2, column 2: ") {
		t.Errorf("a comment: %v", err)
	}
	if _, err = Uninstall(path, false); hint.Of(err) == "" {
		t.Errorf("a comment: %v", err)
	}
	if contents(t, path) != "{\n // x\n}" || names(filepath.Dir(path)) != "settings.json" {
		t.Errorf("%q with %s around", contents(t, path), names(filepath.Dir(path)))
	}
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o755)); err != nil {
		t.Fatal(err)
	}
	if _, err = Install(path, program, false); hint.Of(err) == "" ||
		!strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a folder: %v", err)
	}
}

// Control characters of a foreign file do not reach the terminal.
func TestDiffIsHarmless(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	write(t, path, "{\"a\": \"\u009b31m\u202e\x7f\"\r\n}", 0o644)
	if r := installed(t, path); strings.ContainsAny(r.Diff, "\u009b\u202e\x7f\r") ||
		!strings.Contains(r.Diff, `"a": "31m"`) {
		t.Errorf("%q", r.Diff)
	}
}

// A write of another program between reading and renaming is seen, and kept.
func TestAWriteInBetweenIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	write(t, path, "{}", 0o644)
	_, err := edit(path, false, func(x texts) (texts, error) {
		write(t, path, `{"permissions":{}}`, 0o644)
		text := add(*x.now, program, nil)
		return texts{now: &text}, nil
	})
	if hint.Of(err) == "" || contents(t, path) != `{"permissions":{}}` {
		t.Errorf("%v: %s", err, contents(t, path))
	}
}

func TestBinariesThatWouldNotLast(t *testing.T) {
	for path, want := range map[string]string{
		"/tmp/go-build123/b001/exe/hooks":      "go run",
		`C:\Temp\go-build9\b001\exe\hooks.exe`: "go run",
		"/usr/bin/hooks-linux-amd64":           "named", "/usr/bin/hooks": "",
		"/home/a/go-build/hooks": "",
	} {
		err := checkLasting(path)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
