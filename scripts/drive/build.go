package drive

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Patch is one replaced text of a source file, whose path is relative to the module; without an old text it is a file of
// its own.
type Patch struct{ File, Old, New string }

// Pinned keeps the program's own work on one thread, which changes nothing else: strace counts the calls of each thread
// apart, so only then the k-th call is the same one every time.
var Pinned = Patch{File: "hooks/pinned.go", New: "package main\n\nimport \"runtime\"\n\nfunc init() { runtime.LockOSThread() }\n"}

// NoLocks makes the program one on a file system without locks, FalseLocks one on a file system that
// pretends to lock and keeps nobody out.
var (
	NoLocks    = lockingWith("syscall.ENOLCK")
	FalseLocks = lockingWith("nil")
)

func lockingWith(answer string) Patch {
	const call = "\tif ok, err := lock.TryLock(); ok || err != nil {"
	patched := "\tif op == \"lock\" {\n\t\treturn " + answer + "\n\t}\n" + call
	return Patch{File: "internal/store/guard.go", Old: call, New: patched}
}

// Build makes the program, as it is released, at out. Patched sources are laid over the tree's own, which stay as they
// are; a text that does not stand in its file exactly once is an error.
func Build(out string, patches ...Patch) error {
	root, err := Root()
	if err != nil {
		return err
	}
	args := []string{"build", "-trimpath", "-ldflags", "-s -w", "-o", out}
	if len(patches) > 0 {
		overlay, err := lay(root, out, patches)
		if err != nil {
			return err
		}
		args = append(args, "-overlay", overlay)
	}
	cmd := exec.Command("go", append(args, "./hooks")...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, text)
	}
	return nil
}

// Root is the module's folder.
func Root() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find module: %w", err)
	}
	return filepath.Dir(strings.TrimSpace(string(out))), nil
}

// lay writes the patched files beside out and the list that names them.
func lay(root, out string, patches []Patch) (string, error) {
	texts := map[string]string{}
	for _, p := range patches {
		path := filepath.Join(root, filepath.FromSlash(p.File))
		if _, read := texts[path]; !read && p.Old == "" {
			texts[path] = p.New
			continue
		} else if !read {
			text, err := os.ReadFile(path)
			if err != nil {
				return "", fmt.Errorf("read source: %w", err)
			}
			texts[path] = string(text)
		}
		if n := strings.Count(texts[path], p.Old); n != 1 {
			return "", fmt.Errorf("%s has the text to patch %d times, not once: %q", p.File, n, p.Old)
		}
		texts[path] = strings.Replace(texts[path], p.Old, p.New, 1)
	}
	replace := map[string]string{}
	for path, text := range texts {
		replace[path] = out + "-" + filepath.Base(path)
		if err := os.WriteFile(replace[path], []byte(text), 0o600); err != nil {
			return "", fmt.Errorf("write patched source: %w", err)
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	return out + "-overlay.json", os.WriteFile(out+"-overlay.json", list, 0o600)
}
