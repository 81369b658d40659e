package brake

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/natefinch/atomic"

	"hooks/internal/seal"
)

// keptName is the folder of kept programs, beside those of links.
const keptName = ".program"

// Keep copies a program into the state directory, once for each build, and gives the copy's path:
// links that lead there work on while the program itself is updated, moved or made unusable.
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
	// A program that cannot be started yet is copied again, and a link to it refuses.
	return errors.Join(atomic.WriteFile(to, in), os.Chmod(to, 0o700))
}

// Dress makes a session's folder of links to exe, 0700, and repairs links that lead elsewhere.
func Dress(home, session, exe string) error {
	dir := seal.LinksPath(home, session)
	if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
		if err := os.Remove(dir); err != nil {
			return fmt.Errorf("make links: %w", err)
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make links: %w", err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("make links: %w", err)
	}
	for _, name := range Names {
		if err := link(exe, filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("make links: %w", err)
		}
	}
	now := time.Now()
	_ = os.Chtimes(dir, now, now) // else they may be swept a little early
	return nil
}

// link replaces one link atomically: while a link is missing, a merge could get through.
func link(exe, path string) error {
	if to, err := os.Readlink(path); err == nil && to == exe {
		return nil
	}
	fresh := fmt.Sprintf("%s.%d", path, os.Getpid())
	_ = os.Remove(fresh)
	if err := os.Symlink(exe, fresh); err != nil {
		return err
	}
	if err := os.Rename(fresh, path); err == nil {
		return nil
	}
	if err := os.RemoveAll(path); err != nil { // a folder
		return err
	}
	return os.Rename(fresh, path)
}

// linksAge is the minimum time that links are kept after the last loop of their session began.
// Background work that remembered a link's path still starts its program by it, long after the loop
// has ended.
const linksAge = 30 * 24 * time.Hour

// Sweep removes the links of each session that has no loop on, began its last loop over 30 days
// ago, and has no living client as far as lives knows.
func Sweep(home string, lives func(session string) bool) {
	remove(home, linksAge, func(session string) bool {
		_, err := os.Lstat(seal.SwitchPath(home, session))
		return errors.Is(err, fs.ErrNotExist) && !lives(session)
	})
}

// Remove removes the links of some sessions.
func Remove(home string, of func(session string) bool) { remove(home, 0, of) }

// remove removes links of at least that age, and kept programs to which no link leads.
func remove(home string, age time.Duration, of func(session string) bool) {
	root := filepath.Join(home, "brake")
	old := func(e os.DirEntry) bool {
		info, err := e.Info()
		return err == nil && time.Since(info.ModTime()) >= age
	}
	used := map[string]bool{}
	folders, _ := os.ReadDir(root)
	for _, f := range folders {
		path := filepath.Join(root, f.Name())
		switch {
		case !f.IsDir(), f.Name() == keptName:
		case old(f) && of(f.Name()):
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
	_, _ = os.Remove(kept), os.Remove(root) // unless they hold anything
}
