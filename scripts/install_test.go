// Package scripts tests the scripts beside it, run by the shell against a release on loopback.
package scripts

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"hooks/scripts/driver"
)

var name = fmt.Sprintf("hooks_%s_%s.tar.gz", runtime.GOOS, runtime.GOARCH)

// release builds the program for this machine and packs it as a release does.
func release(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	program := filepath.Join(dir, "hooks")
	if err := driver.Build(program, "hooks/hooks"); err != nil {
		t.Fatal(err)
	}
	body, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	pack(t, filepath.Join(dir, name), body)
	return dir
}

// pack writes an archive with one program, and its checksum.
func pack(t *testing.T, path string, program []byte) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z, _ := gzip.NewWriterLevel(f, gzip.BestSpeed)
	w := tar.NewWriter(z)
	if err := w.WriteHeader(&tar.Header{Name: "hooks/bin/hooks", Mode: 0o755,
		Size: int64(len(program))}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(program); err != nil {
		t.Fatal(err)
	}
	for _, close := range []func() error{w.Close, z.Close, f.Close} {
		if err := close(); err != nil {
			t.Fatal(err)
		}
	}
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(filepath.Dir(path), "checksums.txt"),
		fmt.Sprintf("%x  other.zip\n%x  %s\n", sha256.Sum256(nil), sha256.Sum256(body), name))
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// script runs scripts/install.sh with an environment of its own.
func script(t *testing.T, home string, env []string, args ...string) (string, error) {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	return scriptOf(t, root, home, env, args...)
}

// scriptOf is script for another checkout.
func scriptOf(t *testing.T, root, home string, env []string, args ...string) (string, error) {
	t.Helper()
	path := filepath.Join(root, "scripts", "install.sh")
	cmd := exec.Command("sh", append([]string{path}, args...)...)
	cmd.Dir = home
	cmd.Env = append([]string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir()},
		env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// files lists everything below a folder.
func files(dir string) (all []string) {
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && path != dir {
			rel, _ := filepath.Rel(dir, path)
			all = append(all, rel)
		}
		return err
	})
	return all
}

func TestInstallScriptTakesACheckedRelease(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the script is for a POSIX shell")
	}
	dir := release(t)
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	home := t.TempDir()

	out, err := script(t, home, []string{"HOOKS_BASE_URL=" + server.URL + "/"})
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program := filepath.Join(home, ".local", "bin", "hooks")
	if got := strings.Join(files(home), " "); got != strings.Join([]string{".local",
		".local/bin", ".local/bin/hooks"}, " ") {
		t.Errorf("it left %s", got)
	}
	for _, want := range []string{"hooks 0.", "installed as " + program, program + " init",
		program + " demo"} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	prefix := filepath.Join(t.TempDir(), "with blanks")
	out, err = script(t, home, []string{"HOOKS_BASE_URL=" + server.URL,
		"PATH=" + prefix + "/bin:" + os.Getenv("PATH")}, prefix)
	if err != nil || !strings.Contains(out, "    hooks init ") {
		t.Errorf("%v\n%s", err, out)
	}
	if said, err := exec.Command(filepath.Join(prefix, "bin", "hooks"),
		"version").Output(); err != nil || !strings.HasPrefix(string(said), "hooks ") {
		t.Errorf("the installed program says %q, %v", said, err)
	}
}

// Whatever is wrong with a release, nothing of it is installed, and what was there stays.
func TestInstallScriptInstallsNothingWrong(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the script is for a POSIX shell")
	}
	program := []byte("#!/bin/sh\necho hooks 9\n")
	for _, c := range []struct {
		name, want string
		spoil      func(t *testing.T, dir string)
	}{
		{"another checksum", "has the checksum", func(t *testing.T, dir string) {
			put(t, filepath.Join(dir, "checksums.txt"),
				fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte("x")), name))
		}},
		{"a changed archive", "has the checksum", func(t *testing.T, dir string) {
			sums, _ := os.ReadFile(filepath.Join(dir, "checksums.txt"))
			pack(t, filepath.Join(dir, name), []byte("#!/bin/sh\necho evil\n"))
			put(t, filepath.Join(dir, "checksums.txt"), string(sums))
		}},
		{"no checksum", "does not name " + name,
			func(t *testing.T, dir string) {
				put(t, filepath.Join(dir, "checksums.txt"),
					"00  other\n")
			}},
		{"no checksums", "checksums.txt cannot be fetched",
			func(t *testing.T, dir string) { _ = os.Remove(filepath.Join(dir, "checksums.txt")) }},
		{"no archive", name + " cannot be fetched",
			func(t *testing.T, dir string) { _ = os.Remove(filepath.Join(dir, name)) }},
		{"a program that does not run", "does not run on this machine",
			func(t *testing.T, dir string) {
				pack(t, filepath.Join(dir, name), []byte("\x7fELF of another machine"))
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, home := t.TempDir(), t.TempDir()
			pack(t, filepath.Join(dir, name), program)
			c.spoil(t, dir)
			server := httptest.NewServer(http.FileServer(http.Dir(dir)))
			defer server.Close()
			put(t, filepath.Join(home, "hooks"), "the old one")
			out, err := script(t, home, []string{"HOOKS_BASE_URL=" + server.URL}, home)
			if err == nil || !strings.Contains(out, "error: ") ||
				!strings.Contains(out, "hint: ") || !strings.Contains(out, c.want) {
				t.Errorf("%v\n%s", err, out)
			}
			if got := strings.Join(files(home), " "); got != "hooks" {
				t.Errorf("it left %s", got)
			}
		})
	}
}

// Without a release the checkout is built, if Go is there; else the script says what it needs.
func TestInstallScriptBuildsACheckout(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the script is for a POSIX shell")
	}
	home, caches := t.TempDir(), goEnv(t, "GOCACHE", "GOMODCACHE", "GOFLAGS")
	root := checkout(t) // the script links the program into it
	out, err := scriptOf(t, root, home, caches)
	program := filepath.Join(home, ".local/bin/hooks")
	if err != nil || !strings.Contains(out, "installed as "+program) {
		t.Errorf("%v\n%s", err, out)
	}
	if linked, err := os.Readlink(filepath.Join(root, "bin/hooks")); linked != program {
		t.Errorf("the plugin's program is %q, %v", linked, err)
	}
	bare, tools := t.TempDir(), t.TempDir()
	for _, tool := range []string{"sh", "mktemp", "rm", "dirname", "grep"} {
		path, err := exec.LookPath(tool)
		if err == nil {
			err = os.Symlink(path, filepath.Join(tools, tool))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	out, err = script(t, bare, []string{"PATH=" + tools})
	if err == nil || !strings.Contains(out, "Go is not installed") || len(files(bare)) != 0 {
		t.Errorf("%v, left %v\n%s", err, files(bare), out)
	}
}

// checkout copies this checkout as it is, without its history and what was built in it.
func checkout(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, part := range []string{".claude-plugin", "go.mod", "go.sum", "hooks", "hooks.json",
		"internal", "launch", "plugin.go", "schemas", "scripts"} {
		from, to := filepath.Join("..", part), filepath.Join(dir, part)
		info, err := os.Stat(from)
		if err == nil && info.IsDir() {
			err = os.CopyFS(to, os.DirFS(from))
		} else if err == nil {
			var text []byte
			if text, err = os.ReadFile(from); err == nil {
				err = os.WriteFile(to, text, info.Mode())
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func goEnv(t *testing.T, keys ...string) (env []string) {
	t.Helper()
	for _, key := range keys {
		out, err := exec.Command("go", "env", key).Output()
		if err != nil {
			t.Fatal(err)
		}
		env = append(env, key+"="+strings.TrimSpace(string(out)))
	}
	return env
}
