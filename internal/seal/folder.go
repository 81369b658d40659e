package seal

import (
	"os"
	"path/filepath"

	"github.com/tidwall/gjson"

	"hooks/internal/safefile"
)

// maxBudget bounds the budget file that Adopt reads, in bytes.
const maxBudget = 1 << 20

// Adopt reports whether a record belongs to the folder project: the recorded path leads there, or
// the run's files were moved there, in which case Adopt updates the record's path. A copy of a
// project, whose original still has the files, is not the same folder.
func (r *Record) Adopt(project string) bool {
	if r.Project == project {
		return true
	}
	here, err := os.Stat(project)
	if err != nil {
		return false
	}
	there, err := os.Stat(r.Project)
	if err == nil && os.SameFile(here, there) {
		return true
	}
	known := err == nil || absent(err) // else the old folder may only be out of reach
	moved := known && r.liesIn(project) && !r.liesIn(r.Project)
	if moved {
		r.Project = project
	}
	return moved
}

// liesIn reports whether a folder holds the budget of one of the record's runs.
func (r *Record) liesIn(folder string) bool {
	for _, l := range r.Loops {
		if filepath.IsAbs(l.Budget) { // the same file for every copy of the project
			continue
		}
		text, _ := safefile.Read(filepath.Join(folder, filepath.FromSlash(l.Budget)), maxBudget)
		if l.RunID != "" && gjson.Get(text, "run_id").Str == l.RunID {
			return true
		}
	}
	return false
}
