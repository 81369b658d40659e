package seal

import (
	"os"
	"path/filepath"

	"hooks/internal/safefile"
)

// linesPath returns the path where a run's history lines are copied.
func (d Dir) linesPath(run string) string {
	return filepath.Join(d.path, "lines", FileName(run)+".jsonl")
}

// AppendLine appends line to the copy of a run's history lines, so that no count is lost if the
// project's files are removed.
func (d Dir) AppendLine(run, line string) error {
	path := d.linesPath(run)
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = safefile.Append(path, line+"\n")
	}
	return writable(err)
}

// KeepLines replaces the copy of a run's lines.
func (d Dir) KeepLines(run string, text []byte) error {
	_, err := replace(d.linesPath(run), text)
	return writable(err)
}

// Lines returns the copy of a run's lines, or nil if there is none.
func (d Dir) Lines(run string) ([]byte, error) {
	text, err := os.ReadFile(d.linesPath(run))
	return text, orAbsent(err)
}

func (d Dir) DropLines(run string) error {
	return writable(orAbsent(os.Remove(d.linesPath(run))))
}
