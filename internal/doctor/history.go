package doctor

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/loop"
	"hooks/internal/store"
)

// history is what the project's runs and history lines tell, those in the archive too.
type history struct {
	runs     []loop.Budget // the present ones first, then the newest of the archive
	sessions []string      // in which the program was at work
	lines    int
	damaged  []error // of the first maxDamaged damaged lines
	more     int     // further damaged lines
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
	h.add(files, "")
	ids, _ := files.Archives()
	for _, id := range slices.Backward(ids) {
		if old, err := files.Archived(id); err == nil {
			h.add(old, "archive/"+id+": ")
			old.Close()
		}
	}
	return h
}

func (h *history) add(files *store.Store, folder string) {
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
			if err != nil && len(h.damaged) < maxDamaged {
				h.damaged = append(h.damaged, fmt.Errorf("%s%w", folder, err))
			} else if err != nil {
				h.more++
			}
		}
	}
}

func (h *history) field(name string, v gjson.Result) {
	last := len(h.sessions) - 1
	if name == "session_id" && (last < 0 || h.sessions[last] != v.Str) {
		h.sessions = append(h.sessions, strings.Clone(v.Str))
	}
}

func historyLines(m *machine, n *notes) {
	h := m.history()
	for _, err := range h.damaged {
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
	if h.more > 0 {
		n.warn("archive the run with `hooks loop reset`", "%s",
			loop.Plural(h.more, "more damaged line"))
	}
	n.note("%s", loop.Plural(h.lines, "line"))
}
