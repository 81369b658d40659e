package driver

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

// Snapshot is the saved state of a world.
type Snapshot struct {
	world       World
	files       []file           // a folder comes before its files
	transcripts map[string]int64 // lengths; transcripts only grow and keep their inode
}

type file struct {
	path string
	mode fs.FileMode
	text []byte
}

// folders returns the folders that the program or a worker writes to.
func (w *World) folders() []string {
	return []string{w.Project(), w.seals(), w.repo()}
}

func (w *World) seals() string { return filepath.Join(w.Dir, "home", ".local") }

// Save returns a snapshot of the world.
func (w *World) Save() *Snapshot {
	s := &Snapshot{world: *w, transcripts: map[string]int64{}}
	s.world.Ledger = w.Ledger.clone()
	for _, dir := range w.folders() {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			if d.IsDir() && d.Name() == "brake" { // links, which the program restores
				return fs.SkipDir
			}
			f := file{path: path, mode: info.Mode()}
			if !d.IsDir() {
				f.text, err = os.ReadFile(path)
			}
			s.files = append(s.files, f)
			return err
		})
		if !errors.Is(err, fs.ErrNotExist) {
			w.Check(err)
		}
	}
	for _, name := range w.transcripts() {
		info, err := os.Stat(name)
		w.Check(err)
		if err == nil {
			s.transcripts[name] = info.Size()
		}
	}
	return s
}

func (w *World) transcripts() []string {
	names, err := filepath.Glob(filepath.Join(w.Dir, "*.jsonl"))
	w.Check(err)
	workers, err := filepath.Glob(filepath.Join(w.Dir, "*", "subagents", "*.jsonl"))
	w.Check(err)
	return append(names, workers...)
}

// Restore restores the world from a snapshot but keeps its errors.
func (w *World) Restore(s *Snapshot) {
	kept := w.Errors
	*w = s.world
	w.Ledger, w.Errors = s.world.Ledger.clone(), kept
	for _, dir := range w.folders() {
		w.Check(os.RemoveAll(dir))
	}
	for _, f := range s.files {
		if f.mode.IsDir() {
			w.Check(os.MkdirAll(f.path, f.mode.Perm()))
		} else {
			w.Check(os.WriteFile(f.path, f.text, f.mode.Perm()))
		}
	}
	for _, name := range w.transcripts() {
		if size, known := s.transcripts[name]; known {
			w.Check(os.Truncate(name, size))
		} else {
			w.Check(os.Remove(name))
		}
	}
}

// Bury replaces the client's pid in every state file and seal with gone, the pid of an ended
// process. The client then seems to have just died.
func (w *World) Bury(gone int) {
	pid := regexp.MustCompile(`("pid": ?)` + strconv.Itoa(w.Client) + `\b`)
	names, _ := filepath.Glob(filepath.Join(w.State(), w.Skill+".*"))
	seals, _ := filepath.Glob(filepath.Join(w.seals(), "state", "hooks", "*", "*"))
	for _, name := range append(names, seals...) { // the seals also contain the pid
		if filepath.Base(filepath.Dir(name)) == "brake" { // folders of links
			continue
		}
		text, err := os.ReadFile(name)
		w.Check(err)
		if err == nil { // an existing file keeps its mode
			text = pid.ReplaceAll(text, []byte("${1}"+strconv.Itoa(gone)))
			w.Check(os.WriteFile(name, text, 0o600))
		}
	}
}
