package doctor

import (
	"cmp"
	"os/exec"
	"path/filepath"
	"strings"

	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/safefile"
	"hooks/internal/store"
	"hooks/internal/tasks"
)

// hasTasks needs a task loop in the project.
func hasTasks(m *machine, n *notes) bool {
	if !hasState(m, n) {
		return false
	}
	if m.taskRun(n).Budget == nil {
		n.skip("no task loop has run in %s", m.project)
		return false
	}
	return true
}

// taskRun is the project's task loop, the zero State without one. Other checks report what cannot
// be read.
func (m *machine) taskRun(n *notes) store.State {
	s, err := n.state.Load(loop.Tasks)
	if err != nil || s.Budget == nil || s.Budget.Tasks == nil {
		return store.State{}
	}
	return s
}

// taskFile is the path of a file that a task loop writes into the project.
func (m *machine) taskFile(variable, name string) string {
	path := cmp.Or(m.Env(variable), name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(m.project, path)
	}
	return path
}

// taskFiles looks at the two files of a task loop in the project's folder. Neither is believed: the
// loop continues from its own state (T80–T82, T98).
func taskFiles(m *machine, n *notes) {
	path := m.taskFile("SDD_STATE_FILE", ".sdd-state.json")
	text, there := safefile.Read(path, maxRead)
	switch {
	case !there:
		n.warn("nothing is lost: the next commit of the loop writes it again",
			"%s, the view of the task loop, is missing", m.shown(path))
	case n.state.HasView() && !n.state.WroteView([]byte(text)):
		n.warn("the file is a view, and a change to it is ignored; use `hooks gate answer`, or "+
			"/sdd:go --resume with other flags", "%s is not as the loop wrote it", m.shown(path))
	default:
		n.note("%s is as the loop wrote it", m.shown(path))
	}
	path = m.taskFile("SDD_PROGRESS_FILE", ".sdd-progress.md")
	log, there := safefile.Read(path, maxRead)
	kept := n.state.Progress()
	if !there {
		n.warn("nothing is lost: the next attempt begins with the copy that the loop kept",
			"%s is missing", m.shown(path))
		return
	}
	if lost := tasks.Lost(kept, []byte(log)); len(lost) > 0 {
		n.warn("the loop puts the lines back when the next attempt begins",
			"%s lacks %s of Completed Tasks and Learnings", m.shown(path),
			loop.Plural(len(lost), "line"))
	}
}

// checkCommand looks whether the check command of a task loop can run, and whether the client gives
// the hooks the time for it (T80, T86).
func checkCommand(m *machine, n *notes) {
	r := m.taskRun(n).Budget.Tasks
	if r.Check == "" {
		n.note("the run has no check command, so tasks count as claimed, never as verified")
		return
	}
	if word := firstWord(r.Check); word != "" && !m.runs(word) {
		n.fail("install it, or start the loop with another --check",
			"the check command `%s` begins with %q, which is not found", r.Check, word)
	}
	minutes := cmp.Or(r.CheckMinutes, 10)
	least := float64(minutes*60 + 20) // the hooks look at git after the check
	for _, h := range m.settings().Ours() {
		ends := h.Event == event.Stop || h.Event == event.SubagentStop
		timeout := h.Raw.Get("timeout").Num
		if timeout == 0 {
			timeout = 600 // the client's own
		}
		if ends && timeout < least {
			n.fail(`give it "timeout": 3600, or type `+"`hooks install`"+" again",
				"%s is ended by the client after %g seconds, and the check command may take %s: "+
					"the result of a longer one is lost", m.where(h), timeout,
				loop.Plural(minutes, "minute"))
		}
	}
	n.note("`%s`, up to %s", r.Check, loop.Plural(minutes, "minute"))
}

// firstWord is the program that a shell command begins with, "" where that is not a plain word.
func firstWord(command string) string {
	for _, word := range strings.Fields(command) {
		name, _, assigns := strings.Cut(word, "=")
		if assigns && name != "" && !strings.ContainsAny(name, "/\"'$") {
			continue
		}
		if strings.ContainsAny(word, "\"'`$(){}[]<>|&;!*?~\\#") {
			return ""
		}
		return word
	}
	return ""
}

// runs reports whether a shell in the project finds a command, built-in ones too. Without a shell
// it is believed.
func (m *machine) runs(word string) bool {
	if _, err := exec.LookPath("sh"); err != nil {
		return true
	}
	_, err := m.run("sh", "-c", `command -v -- "$1"`, "sh", word)
	return err == nil
}
