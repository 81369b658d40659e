package seal

import (
	"os"
	"path/filepath"

	"github.com/tidwall/gjson"

	"hooks/internal/safefile"
)

// maxBudget is the maximum size in bytes of a budget file that Adopt reads.
const maxBudget = 1 << 20

// Adopt reports whether a record belongs to the project in a folder, because the recorded path
// leads to that folder or the project was moved there. After a move, Adopt updates the recorded
// path. As long as the recorded path exists, any other folder is a copy of the project.
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
	moved := absent(err) && r.liesIn(project)
	if moved {
		r.Project = project
	}
	return moved
}

// liesIn reports whether a folder holds the budget of one of the record's runs.
func (r *Record) liesIn(folder string) bool {
	for _, l := range r.Loops {
		if filepath.IsAbs(l.Budget) { // it is the same file for every copy of the project
			continue
		}
		text, _ := safefile.Read(filepath.Join(folder, filepath.FromSlash(l.Budget)), maxBudget)
		if l.RunID != "" && gjson.Get(text, "run_id").Str == l.RunID {
			return true
		}
	}
	return false
}
