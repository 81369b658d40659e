package doctor

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/loop"
	"hooks/internal/regular"
	"hooks/internal/store"
)

// runs are the project's runs, the newest first: the present ones and those in the archive. Runs that cannot be read
// are the business of other checks.
func (m *machine) runs() (list []loop.Budget) {
	files, err := store.Open(m.project)
	if err != nil {
		return nil
	}
	defer files.Close()
	in := func(s *store.Store) {
		for _, skill := range loop.Skills() {
			if st, _ := s.Load(skill); st.Budget != nil {
				list = append(list, *st.Budget)
			}
		}
	}
	in(files)
	ids, _ := files.Archives()
	for _, id := range slices.Backward(ids) {
		if old, err := files.Archived(id); err == nil {
			in(old)
			old.Close()
		}
	}
	return list
}

// receipts: the last session in which hooks fired ran the registered program, and its Stop came.
func receipts(m *machine, n *notes) {
	var last *loop.Receipt
	var run loop.Budget
	for _, b := range m.runs() {
		for _, r := range b.Receipts {
			if last == nil || r.Last.After(last.Last) {
				last, run = &r, b
			}
		}
	}
	if last == nil {
		n.skip("no loop has left a receipt in this project yet")
		return
	}
	n.say("session %s, last %s: %s", last.SessionID, last.Last.UTC().Format(time.RFC3339), join(last.Events))
	n.say("answered by %s %s", m.shown(last.Program.Path), last.Program.Version)
	for _, h := range m.hooks().ours() {
		path, err := m.located(h)
		if err == nil && last.Program.Build != "" && build(path) != last.Program.Build {
			n.warn("nothing to do after an update; else see that no older copy is registered elsewhere",
				"the registered %s is another build than the one that answered then", m.shown(path))
			break
		}
	}
	came := func(word string) bool { return slices.Contains(last.Events, word) }
	if run.Seq > 0 && run.IterationsUsed > 0 && !came("stop") {
		n.fail(wayInstall+" again, and see that no setting keeps Stop hooks away", "no Stop ever reached the program in that session")
	}
	if (came("post-tool-use") || came("post-tool-use-failure")) && !came("pre-tool-use") {
		n.fail(wayInstall+" again", "tools ran in that session, and no PreToolUse ever reached the program: nothing was guarded")
	}
}

const (
	mostSessions   = 10
	mostTranscript = 64 << 20 // bytes
)

// loopsWithoutHooks looks into the last sessions' transcripts: a loop was invoked, and no run knows of it.
func loopsWithoutHooks(m *machine, n *notes) {
	dir := filepath.Join(m.configDir(), "projects", mangled(m.project))
	if _, err := os.Stat(dir); err != nil {
		if real, err := filepath.EvalSymlinks(m.project); err == nil {
			dir = filepath.Join(m.configDir(), "projects", mangled(real))
		}
	}
	sessions := newest(dir)
	if len(sessions) == 0 {
		n.skip("no transcripts in %s", m.shown(dir))
		return
	}
	known := m.known()
	for _, s := range sessions {
		command := invoked(filepath.Join(dir, s.Name()))
		id := strings.TrimSuffix(s.Name(), ".jsonl")
		if command == "" || slices.Contains(known, id) {
			continue
		}
		const way = "start the loop anew now that the program is registered; if it happens again, start the client with --debug and see /hooks"
		text := fmt.Sprintf("session %s of %s invoked %q and no hook fired", id, s.ModTime().UTC().Format(time.RFC3339), command)
		if m.registeredSince(s.ModTime()) {
			n.warn(way, "%s; the registration is younger", text)
		} else {
			n.fail(way, "%s", text)
		}
	}
	n.say("%d of the last sessions looked at", len(sessions))
}

// mangled is the folder name that the client makes of a project's path.
func mangled(path string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, path)
}

// newest are the transcripts of the last sessions.
func newest(dir string) (list []fs.FileInfo) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && strings.HasSuffix(e.Name(), ".jsonl") {
			list = append(list, info)
		}
	}
	slices.SortFunc(list, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	return list[:min(len(list), mostSessions)]
}

// known are the sessions in which the program was at work: of receipts, runs and history lines.
func (m *machine) known() (ids []string) {
	for _, b := range m.runs() {
		ids = append(ids, b.SessionID)
		for _, r := range b.Receipts {
			ids = append(ids, r.SessionID)
		}
	}
	return append(ids, m.histories().sessions...)
}

// histories are what the lines of the project's histories tell, archived ones too.
type histories struct {
	sessions []string // neighbours once
	lines    int
	damaged  []damagedLine // the first ones
	more     int
}

type damagedLine struct {
	folder string // of the archive, with a colon
	err    error
}

// readHistories goes through all lines once.
func (m *machine) readHistories() *histories {
	h := &histories{}
	files, err := store.Open(m.project)
	if err != nil {
		return h
	}
	defer files.Close()
	h.in(files, "")
	ids, _ := files.Archives()
	for _, id := range ids {
		if old, err := files.Archived(id); err == nil {
			h.in(old, "archive/"+id+": ")
			old.Close()
		}
	}
	return h
}

func (h *histories) in(files *store.Store, folder string) {
	for _, skill := range loop.Skills() {
		for line, err := range files.RawLines(skill) {
			h.lines++
			if err == nil {
				_, err = line.Skim(h.field)
			}
			if err == nil {
				err = line.Check() // the snapshot as well: this is where damage is looked for
			}
			switch {
			case err == nil:
			case len(h.damaged) == mostDamage:
				h.more++
			default:
				h.damaged = append(h.damaged, damagedLine{folder, err})
			}
		}
	}
}

func (h *histories) field(name string, v gjson.Result) {
	if name == "session_id" && (len(h.sessions) == 0 || h.sessions[len(h.sessions)-1] != v.Str) {
		h.sessions = append(h.sessions, strings.Clone(v.Str))
	}
}

// registeredSince says whether the registration changed after a time.
func (m *machine) registeredSince(t time.Time) bool {
	for _, h := range m.hooks().ours() {
		if info, err := os.Stat(h.from.path); err == nil && info.ModTime().After(t) {
			return true
		}
	}
	return false
}

// invoked is the first looping command of a transcript: typed, or called through the Skill tool. Copies of it in other
// lines, as in results of tools, are none.
func invoked(path string) string {
	f, _, err := regular.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	for line := range bounded(f, mostTranscript) {
		if !bytes.Contains(line, []byte("--loop")) || !gjson.ValidBytes(line) {
			continue
		}
		if c := commandOf(gjson.ParseBytes(line)); c != "" {
			return c
		}
	}
	return ""
}

// commandOf is the looping command that a transcript line holds.
func commandOf(line gjson.Result) string {
	content := line.Get("message.content")
	switch line.Get("type").String() {
	case "user":
		if content.Type != gjson.String {
			return ""
		}
		return looping(tag(content.Str, "command-name"), tag(content.Str, "command-args"))
	case "assistant":
		for _, part := range content.Array() {
			if part.Get("name").String() == "Skill" {
				if c := looping(part.Get("input.skill").String(), part.Get("input.args").String()); c != "" {
					return c
				}
			}
		}
	}
	return ""
}

func tag(text, name string) string {
	_, rest, ok := strings.Cut(text, "<"+name+">")
	inner, _, closed := strings.Cut(rest, "</"+name+">")
	if !ok || !closed {
		return ""
	}
	return inner
}

// looping is the command as typed, if it starts a tick of a loop.
func looping(name, args string) string {
	typed := strings.TrimSpace("/" + strings.TrimPrefix(name, "/") + " " + args)
	if name == "" {
		return ""
	}
	c, ok := loop.ParsePrompt(typed)
	if _, _, err := loop.ParseFlags(c.Skill, c.Args); !ok || err != nil { // mistyped ones start nothing
		return ""
	}
	return typed
}
