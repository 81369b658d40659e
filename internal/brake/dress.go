package brake

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hooks/internal/seal"
)

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

// linksAge is how long links stay after the last loop of their session began. Background work that
// remembered a link's path still starts its program by it, long after the loop has ended.
const linksAge = 30 * 24 * time.Hour

// Sweep removes the links of sessions in which no loop is on and none has begun for a month.
func Sweep(home string) {
	folders, _ := os.ReadDir(filepath.Join(home, "brake"))
	for _, f := range folders {
		info, err := f.Info()
		if err != nil || !f.IsDir() || strings.HasPrefix(f.Name(), ".") ||
			time.Since(info.ModTime()) < linksAge {
			continue
		}
		if _, err := os.Lstat(seal.SwitchPath(home, f.Name())); errors.Is(err, fs.ErrNotExist) {
			_ = os.RemoveAll(filepath.Join(home, "brake", f.Name()))
		}
	}
}
