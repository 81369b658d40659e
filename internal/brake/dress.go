package brake

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/natefinch/atomic"

	"hooks/internal/seal"
)

// keptName is the directory of kept programs, next to the link directories.
const keptName = ".program"

// Keep copies each build of a program into the state directory once, and returns the copy's path.
// Links to the copy keep working even if the program itself is updated, moved or broken.
func Keep(home, exe string) (string, error) {
	info, err := os.Stat(exe)
	if err != nil {
		return "", fmt.Errorf("keep program: %w", err)
	}
	name := fmt.Sprintf("%x-%x", info.Size(), info.ModTime().UnixNano())
	kept := filepath.Join(home, "brake", keptName, name)
	old, err := os.Stat(kept)
	if err == nil && old.Size() == info.Size() && old.Mode()&0o500 == 0o500 {
		return kept, nil
	}
	if err := copyProgram(exe, kept); err != nil {
		return "", fmt.Errorf("keep program: %w", err)
	}
	return kept, nil
}

func copyProgram(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	// If the process dies between the two calls, the copy is not executable, and its links fail
	// until Keep copies the program again.
	return errors.Join(atomic.WriteFile(to, in), os.Chmod(to, 0o700))
}

// Dress creates a session's link directory, with mode 0700 and links to exe, and repairs links.
func Dress(home, session, exe string) error {
	dir := seal.LinksPath(home, session)
	var err error
	if info, missing := os.Lstat(dir); missing == nil && !info.IsDir() {
		err = os.Remove(dir)
	}
	err = cmp.Or(err, os.MkdirAll(dir, 0o700))
	err = cmp.Or(err, os.Chmod(dir, 0o700))
	for _, name := range Names {
		if err == nil {
			err = link(exe, filepath.Join(dir, name))
		}
	}
	if err != nil {
		return fmt.Errorf("make links: %w", err)
	}
	now := time.Now()
	_ = os.Chtimes(dir, now, now) // Sweep derives the links' age from this time
	return nil
}

// link creates or replaces one link atomically, because a merge could pass while a link is missing.
func link(exe, path string) error {
	if to, err := os.Readlink(path); err == nil && to == exe {
		return nil
	}
	fresh := fmt.Sprintf("%s.%d", path, os.Getpid())
	_ = os.Remove(fresh)
	if err := os.Symlink(exe, fresh); err != nil {
		return err
	}
	return os.Rename(fresh, path)
}

// linksAge is the minimum time that links are kept after Dress last created or checked them. A
// background process may have resolved a program to a link and may use that path long after the
// loop has ended.
const linksAge = 30 * 24 * time.Hour

// RemoveLinks removes the links of all sessions and the kept programs.
func RemoveLinks(home string) { _ = os.RemoveAll(filepath.Join(home, "brake")) }

// Sweep removes a session's links if they are at least linksAge old, no loop is active in the
// session, and lives returns false. It also removes kept programs of that age if no remaining link
// points to them.
func Sweep(home string, lives func(session string) bool) {
	root := filepath.Join(home, "brake")
	old := func(e os.DirEntry) bool {
		info, err := e.Info()
		return err == nil && time.Since(info.ModTime()) >= linksAge
	}
	on := func(session string) bool {
		_, err := os.Lstat(seal.SwitchPath(home, session))
		return !errors.Is(err, fs.ErrNotExist)
	}
	used := map[string]bool{}
	folders, _ := os.ReadDir(root)
	for _, f := range folders {
		path := filepath.Join(root, f.Name())
		switch {
		case !f.IsDir(), f.Name() == keptName:
		case old(f) && !on(f.Name()) && !lives(f.Name()):
			_ = os.RemoveAll(path)
		default:
			to, _ := os.Readlink(filepath.Join(path, Names[0]))
			used[to] = true
		}
	}
	kept := filepath.Join(root, keptName)
	programs, _ := os.ReadDir(kept)
	for _, p := range programs {
		if path := filepath.Join(kept, p.Name()); old(p) && !used[path] {
			_ = os.Remove(path)
		}
	}
	_, _ = os.Remove(kept), os.Remove(root) // Remove fails unless they are empty
}
