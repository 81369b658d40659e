package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/loop"
	"hooks/internal/store"
	"hooks/internal/usage"
)

// history holds what the project's runs record, archived ones included.
type history struct {
	runs     []loop.Budget
	sessions map[string]bool // in which the program was at work
}

// readHistory skips what cannot be read; other checks and `hooks history` report it.
func (m *machine) readHistory() *history {
	h := &history{sessions: map[string]bool{}}
	files, err := store.Open(m.project)
	if err != nil {
		return h
	}
	defer files.Close()
	h.add(files)
	ids, _ := files.Archives()
	for _, id := range ids {
		if old, err := files.Archived(id); err == nil {
			h.add(old)
			old.Close()
		}
	}
	return h
}

func (h *history) add(files *store.Store) {
	for _, skill := range loop.Skills() {
		if st, _ := files.Load(skill); st.Budget != nil {
			h.runs = append(h.runs, *st.Budget)
			h.sessions[st.Budget.SessionID] = true
			for _, r := range st.Budget.Receipts {
				h.sessions[r.SessionID] = true
			}
		}
		for line, err := range files.RawLines(skill) {
			if err == nil {
				h.sessions[gjson.GetBytes(line.JSON, "session_id").Str] = true
			}
		}
	}
}

// receipts checks that the last session in which hooks fired ran the registered program, and that
// its Stop came.
func receipts(m *machine, n *notes) {
	var last loop.Receipt
	var run loop.Budget
	for _, b := range m.history().runs {
		for _, r := range b.Receipts {
			if run.RunID == "" || r.Last.After(last.Last) {
				last, run = r, b
			}
		}
	}
	if run.RunID == "" {
		n.skip("no loop has run here yet")
		return
	}
	n.note("session %s, last %s: %s",
		last.SessionID, last.Last.UTC().Format(time.RFC3339), join(last.Events))
	n.note("answered by %s %s", m.shown(last.Program.Path), last.Program.Version)
	const hint = "follow the hints of registration, if there are any; the next session leaves a " +
		"receipt of its own"
	came := func(word string) bool { return slices.Contains(last.Events, word) }
	if run.Seq > 0 && run.IterationsUsed > 0 && !came("stop") {
		n.fail(hint, "no Stop ever reached the program in that session")
	}
	if (came("post-tool-use") || came("post-tool-use-failure")) && !came("pre-tool-use") {
		n.fail(hint, "tools ran in that session, and no PreToolUse ever reached the program: "+
			"nothing was guarded")
	}
}

// maxSessions bounds the transcripts that are read, newest first.
const maxSessions = 10

// loopsWithoutHooks finds sessions whose transcript invokes a loop that no run knows.
func loopsWithoutHooks(m *machine, n *notes) {
	real, err := filepath.EvalSymlinks(m.project)
	if err != nil {
		real = m.project
	}
	folder := usage.FolderOf(real)
	sessions := usage.Transcripts(m.client, folder)
	if len(sessions) == 0 {
		n.skip("no transcripts in %s", m.shown(filepath.Join(m.client, "projects", folder)))
		return
	}
	sessions = sessions[:min(len(sessions), maxSessions)]
	for _, s := range sessions {
		command := invoked(s.Path, m.names())
		if command == "" || m.history().sessions[s.ID] {
			continue
		}
		const hint = "start the loop again now that the program is registered; " +
			"if it happens again, see /hooks in the client"
		text := fmt.Sprintf("session %s of %s invoked %q and no hook fired",
			s.ID, s.Changed.UTC().Format(time.RFC3339), command)
		if m.registeredSince(s.Changed) {
			n.warn(hint, "%s; the registration is younger", text)
		} else {
			n.fail(hint, "%s", text)
		}
	}
	n.note("%s read, the newest", loop.Plural(len(sessions), "session"))
}

// registeredSince reports whether the registration changed after a time.
func (m *machine) registeredSince(t time.Time) bool {
	for _, h := range m.settings().Ours() {
		if info, err := os.Stat(h.File.Path); err == nil && info.ModTime().After(t) {
			return true
		}
	}
	return false
}

// invoked returns the first looping command of a session, typed or called through the Skill tool.
// It is empty if there is no such command. names holds those that the configuration adds to ours.
func invoked(transcript string, names []loop.Names) string {
	for moment, err := range usage.Moments(transcript) {
		if moment.Agent == "sidechain" { // an old client's copy of a worker's line
			continue
		} else if err != nil || moment.Agent != "" {
			return "" // the files of workers come last
		}
		name, args := "", ""
		switch {
		case moment.Kind == usage.Prompted && strings.HasPrefix(moment.Text, "<command-"):
			name, _ = usage.Part(moment.Text, "command-name")
			args, _ = usage.Part(moment.Text, "command-args")
		case moment.Kind == usage.Called && moment.Tool == "Skill":
			name, args = moment.Input.Get("skill").String(), moment.Input.Get("args").String()
		}
		typed := strings.TrimSpace("/" + strings.TrimPrefix(name, "/") + " " + args)
		c, ok := loop.ParsePrompt(typed, names...)
		_, looping, err := c.ParseFlags()
		if ok && looping && err == nil { // mistyped flags start nothing
			return typed
		}
	}
	return ""
}
