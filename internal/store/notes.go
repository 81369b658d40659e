package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/tidwall/gjson"

	"hooks/internal/loop"
)

// NotesPath is the path, relative to the project's root, of the notes that processes leave for the
// next event of a session if they cannot seal what they write: a link of the brake, or
// `hooks report` inside the client's sandbox. Anyone may write notes, so they say nothing that the
// model could not say itself.
const NotesPath = Dir + "/" + notesName

const (
	notesName = "notes.jsonl"
	maxNotes  = 256 << 10 // in bytes; beyond it nothing is noted
)

// Note is one line of the notes.
type Note struct {
	Session string          `json:"session"`
	Denied  *NotedDenial    `json:"denied,omitempty"`
	Started *NotedStart     `json:"started,omitempty"`
	Report  json.RawMessage `json:"report,omitempty"`
}

// NotedDenial is a command that a link refused.
type NotedDenial struct {
	Tool string `json:"tool"`
	Rule string `json:"rule"`
	What string `json:"what"`
	At   string `json:"at"`
}

// NotedStart is an effect on a forge that a program is about to have which a link let through.
type NotedStart struct {
	Tool  string `json:"tool"`
	Kind  string `json:"kind"`         // as in "comment", by the guard's words
	PR    int    `json:"pr,omitempty"` // or issue; 0 unknown
	Label string `json:"label,omitempty"`
	Repo  string `json:"repo,omitempty"` // owner/name, where the command names it
	Cwd   string `json:"cwd,omitempty"`
	Issue bool   `json:"issue,omitempty"` // the command says that it is about an issue
	At    string `json:"at"`
}

// AppendNote adds a note to a project's notes. The folder must exist.
func AppendNote(project string, n Note) error {
	root, err := os.OpenRoot(project)
	if err != nil {
		return err
	}
	defer root.Close()
	return appendLine(root, NotesPath, n)
}

// appendLine adds a line to a file that anybody may have put there, with one write. A line that a
// kill has torn is ended first.
func appendLine(root *os.Root, name string, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	info, err := root.Lstat(name)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxNotes) {
		return fmt.Errorf("%s is full", name)
	}
	f, err := root.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_RDWR|nonblock, fileMode)
	if err != nil {
		return err
	}
	last := []byte{'\n'}
	if info != nil && info.Size() > 0 {
		_, _ = f.ReadAt(last, info.Size()-1)
	}
	if line = append(line, '\n'); last[0] != '\n' {
		line = slices.Insert(line, 0, '\n')
	}
	_, err = f.Write(line)
	return errors.Join(err, f.Close())
}

// HasNotes reports whether somebody left notes.
func (s *Store) HasNotes() bool {
	info, err := s.disk.root.Lstat(notesName)
	return err == nil && info.Mode().IsRegular() && info.Size() > 0
}

// TakeNotes removes a session's notes and returns them. What is no note is dropped, and so are the
// notes of sessions whose loop is off, which no one would take. The caller holds the guard. A crash
// before they are saved elsewhere loses them.
func (s *Store) TakeNotes(session string) (list []Note, err error) {
	text, err := s.disk.read(notesName)
	if isDamaged(err) {
		return nil, errors.Join(s.disk.remove(notesName), s.settle())
	}
	if text == nil || err != nil {
		return nil, err
	}
	var others []byte
	for line := range bytes.Lines(text) {
		var n Note
		if !gjson.ValidBytes(line) || json.Unmarshal(line, &n) != nil {
			continue
		}
		if n.Session == session {
			list = append(list, n)
		} else if r, err := s.seals.Record(n.Session); r != nil || err != nil {
			others = append(others, line...)
		}
	}
	if len(others) > 0 {
		err = s.disk.replace(notesName, others)
	} else {
		err = s.disk.remove(notesName)
	}
	return list, errors.Join(err, s.settle())
}

func usedName(skill loop.Skill) string { return string(skill) + ".used.jsonl" }

func askerName(skill loop.Skill) string { return string(skill) + ".asker" }

// UsePass uses up the pass that a tool call has for the merge of a PR, once: first reports that
// no one has before. It may run where only the project can be written.
func (s *Store) UsePass(skill loop.Skill, call string, pr int, by string) (first bool, err error) {
	used := map[string]any{"call": call, "pr": pr, "by": by}
	if err := appendLine(s.disk.root, usedName(skill), used); err != nil {
		return false, err
	}
	text, err := s.disk.read(usedName(skill))
	for line := range bytes.Lines(text) { // of several that wrote at once, the first line counts
		v := gjson.ParseBytes(line)
		if v.Get("call").String() == call && v.Get("pr").Int() == int64(pr) {
			return err == nil && v.Get("by").String() == by, err
		}
	}
	return false, err
}
