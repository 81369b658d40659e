package doctor

import (
	"errors"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/loop"
	"hooks/internal/store"
)

// history holds the content of the project's runs and history lines, including the archive.
type history struct {
	runs     []loop.Budget // the present ones first, then the newest of the archive
	sessions []string      // in which the program was at work
	lines    int
	damaged  []error // lines of the present runs
	archived int     // damaged lines in the archive
}

// maxDamaged bounds the damaged lines that are listed.
const maxDamaged = 10

// readHistory reads everything once, however many checks ask. Runs that cannot be read are reported
// by other checks.
func (m *machine) readHistory() *history {
	h := &history{}
	files, err := store.Open(m.project)
	if err != nil {
		return h
	}
	defer files.Close()
	h.damaged = h.add(files)
	ids, _ := files.Archives()
	for _, id := range slices.Backward(ids) {
		if old, err := files.Archived(id); err == nil {
			h.archived += len(h.add(old))
			old.Close()
		}
	}
	return h
}

// add reads the runs of a folder and returns what is wrong with their lines.
func (h *history) add(files *store.Store) (damaged []error) {
	for _, skill := range loop.Skills() {
		if st, _ := files.Load(skill); st.Budget != nil {
			h.runs = append(h.runs, *st.Budget)
			h.sessions = append(h.sessions, st.Budget.SessionID)
			for _, r := range st.Budget.Receipts {
				h.sessions = append(h.sessions, r.SessionID)
			}
		}
		for line, err := range files.RawLines(skill) {
			h.lines++
			if err == nil {
				_, err = line.Scan(h.field)
			}
			if err != nil {
				damaged = append(damaged, err)
			}
		}
	}
	return damaged
}

func (h *history) field(name string, v gjson.Result) {
	last := len(h.sessions) - 1
	if name == "session_id" && (last < 0 || h.sessions[last] != v.Str) {
		h.sessions = append(h.sessions, strings.Clone(v.Str))
	}
}

func historyLines(m *machine, n *notes) {
	h := m.history()
	for _, err := range h.damaged[:min(len(h.damaged), maxDamaged)] {
		if newer := (*store.NewerError)(nil); errors.As(err, &newer) {
			unreadable(n, err)
			continue
		}
		n.warn("the line is skipped; repair it by hand, or archive the run with "+
			"`hooks loop reset`", "%v", err)
	}
	for _, skill := range loop.Skills() {
		if torn, err := n.state.Torn(skill); err == nil && torn {
			n.warn("the end of the next iteration copies it aside; nothing before it is lost",
				"%s: the last line is torn, a write was cut off", store.HistoryPath(skill))
		}
	}
	if more := len(h.damaged) - maxDamaged; more > 0 {
		n.warn("archive the run with `hooks loop reset`", "%s",
			loop.Plural(more, "more damaged line"))
	}
	if h.archived > 0 {
		n.note("%s in the archive", loop.Plural(h.archived, "damaged line"))
	}
	n.note("%s", loop.Plural(h.lines, "line"))
}
