package driver

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Patch replaces lines in one source file. File is relative to the module. If Old is empty, the
// file is new.
type Patch struct{ File, Old, New string }

// Build compiles a package as for a release. It applies patches as an overlay, so the tree does not
// change. A file may have only one patch, and Old must occur in it exactly once. Build uses go run
// -exec cp because go run, unlike go build, caches the linked binary.
func Build(out, pkg string, patches ...Patch) error {
	gomod, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return fmt.Errorf("find module: %w", err)
	}
	root := filepath.Dir(strings.TrimSpace(string(gomod)))
	overlay := out + "-overlay.json"
	if err := writeOverlay(overlay, root, patches); err != nil {
		return err
	}
	flags := []string{"-trimpath", "-ldflags", "-s -w", "-overlay", overlay}
	cmd := exec.Command("go", slices.Concat([]string{"run", "-exec", "cp"}, flags,
		[]string{pkg, out})...)
	if runtime.GOOS == "windows" {
		cmd = exec.Command("go", slices.Concat([]string{"build", "-o", out}, flags,
			[]string{pkg})...)
	}
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", pkg, err, text)
	}
	return nil
}

// writeOverlay writes the overlay's file list, and the patched files next to it.
func writeOverlay(list, root string, patches []Patch) error {
	replace := map[string]string{}
	for i, p := range patches {
		path, text := filepath.Join(root, filepath.FromSlash(p.File)), p.New
		if p.Old != "" {
			source, err := os.ReadFile(path)
			if err != nil {
				return fmt.Errorf("read source: %w", err)
			}
			if replace[path] != "" {
				return fmt.Errorf("%s has two patches, want 1", p.File)
			}
			if n := strings.Count(string(source), p.Old); n != 1 {
				return fmt.Errorf("%s has the text to patch %d times, want 1: %q", p.File, n, p.Old)
			}
			text = strings.Replace(string(source), p.Old, p.New, 1)
		}
		replace[path] = fmt.Sprintf("%s-%d.go", list, i)
		if err := os.WriteFile(replace[path], []byte(text), 0o600); err != nil {
			return fmt.Errorf("write patched source: %w", err)
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	return os.WriteFile(list, text, 0o600)
}
