package drive

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

// Snapshot is a world at one moment.
type Snapshot struct {
	files   map[string][]byte // of the project's state and its seal, by path; nil for a folder
	modes   map[string]fs.FileMode
	scripts map[string]int64 // length of each transcript: they only grow, and keep their inode
	world   World
}

// Save keeps the world as it is.
func (w *World) Save() (*Snapshot, error) {
	s := &Snapshot{files: map[string][]byte{}, modes: map[string]fs.FileMode{}, scripts: map[string]int64{}, world: *w}
	s.world.Ledger = w.Ledger.clone()
	err := w.walk(func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(w.Dir, path)
		s.modes[rel] = info.Mode().Perm()
		if d.IsDir() {
			s.files[rel] = nil
			return nil
		}
		s.files[rel], err = os.ReadFile(path)
		if s.files[rel] == nil {
			s.files[rel] = []byte{}
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("save world: %w", err)
	}
	names, err := filepath.Glob(filepath.Join(w.Dir, "*.jsonl"))
	for _, name := range names {
		if info, serr := os.Stat(name); serr == nil {
			s.scripts[name] = info.Size()
		}
	}
	return s, err
}

// folders are those in which the program keeps anything.
func (w *World) folders() []string {
	return []string{filepath.Join(w.Project(), ".sdd"), filepath.Join(w.Dir, "home", ".local")}
}

func (w *World) walk(see fs.WalkDirFunc) error {
	for _, dir := range w.folders() {
		if err := filepath.WalkDir(dir, see); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}

// Restore makes the world what it was.
func (w *World) Restore(s *Snapshot) error {
	*w = s.world
	w.Ledger = s.world.Ledger.clone()
	for _, dir := range w.folders() {
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("restore world: %w", err)
		}
	}
	for _, rel := range sortedByLength(s.files) {
		path := filepath.Join(w.Dir, rel)
		var err error
		if body := s.files[rel]; body == nil {
			err = os.Mkdir(path, s.modes[rel])
		} else {
			err = os.WriteFile(path, body, s.modes[rel])
		}
		if err != nil {
			return fmt.Errorf("restore world: %w", err)
		}
	}
	names, err := filepath.Glob(filepath.Join(w.Dir, "*.jsonl"))
	for _, name := range names {
		if size, known := s.scripts[name]; known {
			err = os.Truncate(name, size)
		} else {
			err = os.Remove(name)
		}
		if err != nil {
			return fmt.Errorf("restore transcript: %w", err)
		}
	}
	return err
}

// Bury makes the recorded client a dead one in every state file and in its seal, as if it had died
// just now: its number is given to gone, a process that has ended.
func (w *World) Bury(gone int) error {
	pid := regexp.MustCompile(`("pid": ?)` + strconv.Itoa(w.Client) + `\b`)
	names, err := filepath.Glob(filepath.Join(w.State(), "work.*"))
	seals, _ := filepath.Glob(filepath.Join(w.Dir, "home", ".local", "state", "hooks", "o*", "*"))
	names = append(names, seals...)
	for _, name := range names {
		info, serr := os.Stat(name)
		body, rerr := os.ReadFile(name)
		if serr != nil || rerr != nil {
			return fmt.Errorf("bury client: %w", rerr)
		}
		body = pid.ReplaceAll(body, []byte("${1}"+strconv.Itoa(gone)))
		if err := os.WriteFile(name, body, info.Mode().Perm()); err != nil {
			return fmt.Errorf("bury client: %w", err)
		}
	}
	return err
}
