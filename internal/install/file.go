package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"hooks/internal/hint"
	"hooks/internal/safefile"
)

// maxEdited is the maximum size of an edited settings file, in bytes.
const maxEdited = 4 << 20

// edited is a settings file being edited and its backup from before the registration.
type edited struct {
	path   string      // absolute, for messages
	target string      // the file to replace, with links resolved
	mode   fs.FileMode // 0 if the file does not exist
	texts
}

// texts holds the contents of the settings file and its backup. A nil pointer means that the file
// does not exist.
type texts struct{ now, before *string }

func (s *edited) backup() string { return s.path + ".before-hooks" }

// open reads the settings file at path and its backup. If path is a link, open reads the link's
// target; save later replaces the target and keeps the link.
func open(path string) (s *edited, err error) {
	s = &edited{path: path, target: path}
	if _, err := os.Lstat(path); err == nil {
		info, err := os.Stat(path)
		if err == nil {
			s.target, err = filepath.EvalSymlinks(path)
		}
		if err != nil || !info.Mode().IsRegular() {
			return nil, hint.New("move it away; nothing was changed",
				"%s is a broken link or not a regular file", path)
		}
		s.mode = info.Mode().Perm()
	}
	if s.now, err = read(s.target, maxEdited); err == nil {
		s.before, err = read(s.backup(), maxEdited)
	}
	return s, err
}

// read returns the contents of a regular file, or nil if it does not exist. It returns an error if
// the file is larger than limit bytes.
func read(path string, limit int64) (*string, error) {
	text, err := safefile.Head(path, limit+1)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case int64(len(text)) > limit:
		return nil, fmt.Errorf("%s is larger than %d bytes", path, limit)
	}
	return &text, nil
}

// save writes or removes both files. It writes the backup first so that a crash never leaves an
// edit without a backup. It changes the settings file only if the file is unchanged since open.
func (s *edited) save(next texts) error {
	if next.now != nil {
		if err := os.MkdirAll(filepath.Dir(s.path), 0o755); err != nil {
			return err
		}
	}
	if next.before != nil && !equal(next.before, s.before) {
		if err := replace(s.backup(), *next.before, s.mode); err != nil {
			return fmt.Errorf("back up: %w", err)
		}
	}
	if err := s.put(next.now); err != nil {
		return err
	}
	if next.before == nil && s.before != nil {
		return os.Remove(s.backup())
	}
	return nil
}

// put writes or removes the settings file. It returns an error if the file has changed since open.
func (s *edited) put(text *string) error {
	found, err := read(s.target, maxEdited)
	switch {
	case err != nil:
		return err
	case !equal(found, s.now):
		return hint.New("repeat the command", "another program has just changed the file")
	case text != nil:
		return replace(s.target, *text, s.mode)
	}
	if err := os.Remove(s.target); err != nil {
		return err
	}
	err = safefile.SyncDir(filepath.Dir(s.target))
	dir := filepath.Dir(s.path)
	if info, serr := os.Lstat(dir); serr == nil && info.IsDir() && filepath.Base(dir) == ".claude" {
		_ = os.Remove(dir) // fails if the client's folder is not empty
	}
	return err
}

func equal(a, b *string) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }

func replace(path, text string, mode fs.FileMode) error {
	return safefile.Replace(path, mode, strings.NewReader(text), nil)
}
