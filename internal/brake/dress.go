package brake

import (
	"fmt"
	"os"
	"path/filepath"

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

// Undress removes a session's folder of links.
func Undress(home, session string) error { return os.RemoveAll(seal.LinksPath(home, session)) }
