package doctor

import (
	"slices"
	"time"

	"hooks/internal/kind"
	"hooks/internal/loop"
	"hooks/internal/store"
)

// receipts checks that Stop and PreToolUse reached the program in the last session where hooks
// fired.
func receipts(m *machine, n *notes) {
	var last loop.Receipt
	var run loop.Budget
	if files, err := store.Open(m.project); err == nil {
		for _, skill := range kind.Skills() {
			st, _ := files.Load(skill) // the check state-files reports errors
			if st.Budget == nil {
				continue
			}
			for _, r := range st.Budget.Receipts {
				if run.RunID == "" || r.Last.After(last.Last) {
					last, run = r, *st.Budget
				}
			}
		}
		files.Close()
	}
	if run.RunID == "" {
		n.skip("no loop has run here yet")
		return
	}
	n.note("session %s, last event at %s; events: %s",
		last.SessionID, last.Last.UTC().Format(time.RFC3339), join(last.Events))
	n.note("answered by %s %s", m.shown(last.Program.Path), last.Program.Version)
	const hint = "follow the hints of the registration checks, if any; then run a loop in a new " +
		"session, which writes a new receipt"
	came := func(word string) bool { return slices.Contains(last.Events, word) }
	if run.Seq > 0 && run.IterationsUsed > 0 && !came("stop") {
		n.fail(hint, "no Stop event reached the program in that session")
	}
	if (came("post-tool-use") || came("post-tool-use-failure")) && !came("pre-tool-use") {
		n.fail(hint, "tools ran in that session, but no PreToolUse event reached the program, "+
			"so no tool call was checked")
	}
}
