package tracker

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hooks/scripts/driver"
	"hooks/scripts/forgetest"
)

func TestMain(m *testing.M) {
	forgetest.Alone()
	driver.InMemory()
	os.Exit(m.Run())
}

// sandbox gives an empty directory, real path, and keeps the person's own git settings out of the
// test.
func sandbox(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(dir, "home")
	write(t, filepath.Join(home, ".gitconfig"),
		"[user]\n\tname = T\n\temail = t@example.org\n[init]\n\tdefaultBranch = main\n")
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// run starts the real git, unhardened, as a person would.
func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := plainGit(dir, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func plainGit(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	return cmd
}

// newRepo makes a repository with one commit on main.
func newRepo(t *testing.T, dir string) string {
	t.Helper()
	write(t, filepath.Join(dir, "a.txt"), "a\n")
	run(t, dir, "init", "-q")
	run(t, dir, "add", ".")
	run(t, dir, "commit", "-q", "-m", "first")
	return dir
}

// newRemote makes a bare remote named origin with main pushed.
func newRemote(t *testing.T, repo, bare string) {
	t.Helper()
	run(t, repo, "init", "-q", "--bare", bare)
	run(t, repo, "remote", "add", "origin", bare)
	run(t, repo, "push", "-q", "origin", "main")
}
