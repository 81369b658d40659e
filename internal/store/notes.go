package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/tidwall/gjson"

	"hooks/internal/codec"
	"hooks/internal/loop"
)

// NotesPath is the path of the notes file, relative to the project. Processes that cannot write the
// record, such as a link of the brake or `hooks report` inside the client's sandbox, leave notes
// there for the session's next event. Anyone can write the file, so a note may only report facts
// that the model could report itself.
const NotesPath = Dir + "/" + notesName

const (
	notesName = "notes.jsonl"
	maxNotes  = 256 << 10 // in bytes; a full file accepts no more notes
)

// Note is one line of the notes file.
type Note struct {
	Session string          `json:"session"`
	Denied  *NotedDenial    `json:"denied,omitempty"`
	Started *NotedStart     `json:"started,omitempty"`
	Report  json.RawMessage `json:"report,omitempty"`
}

// NotedDenial is a command that a link of the brake refused.
type NotedDenial struct {
	Tool string `json:"tool"`
	Rule string `json:"rule"`
	What string `json:"what"`
	At   string `json:"at"`
}

// NotedStart is a forge operation by a program that a link is about to start.
type NotedStart struct {
	Tool  string `json:"tool"`
	Kind  string `json:"kind"`         // such as "comment"; see package guard
	PR    int    `json:"pr,omitempty"` // PR or issue number; 0 if unknown
	Label string `json:"label,omitempty"`
	Repo  string `json:"repo,omitempty"` // owner/name, if the command gives it
	Cwd   string `json:"cwd,omitempty"`
	Issue bool   `json:"issue,omitempty"` // the command names an issue
	At    string `json:"at"`
}

// AppendNote adds a note to a project's notes file. The state folder must exist.
func AppendNote(project string, n Note) error {
	root, err := os.OpenRoot(project)
	if err != nil {
		return err
	}
	defer root.Close()
	return appendLine(root, NotesPath, n)
}

// appendLine appends v as a JSON line in one write. It rejects a full file and anything but a
// regular file, because any program can write to the folder. If the file exists, it writes a
// newline first, because a crash may have cut off the last line.
func appendLine(root *os.Root, name string, v any) error {
	line, err := codec.Encode(v)
	if err != nil {
		return err
	}
	info, err := root.Lstat(name)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxNotes) {
		return fmt.Errorf("%s is full, or not a regular file", name)
	}
	if err == nil {
		line = append([]byte{'\n'}, line...)
	}
	f, err := root.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY|nonblock, fileMode)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// HasNotes reports whether the notes file has any content.
func (s *Store) HasNotes() bool {
	info, err := s.disk.root.Lstat(notesName)
	return err == nil && info.Mode().IsRegular() && info.Size() > 0
}

// TakeNotes removes and returns a session's notes. It also removes invalid lines and the notes of
// sessions that no loop governs. If the program crashes before the caller saves the notes, they
// are lost. The caller must hold the guard.
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
		if !gjson.ValidBytes(line) || codec.Decode(gjson.ParseBytes(line), &n) != nil {
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

// UsePass records that process used a tool call's pass for a PR. first is true if no other process
// had used it. UsePass writes only to the project, because a sandbox may forbid the state
// directory.
func (s *Store) UsePass(
	skill loop.Skill, call string, pr int, process string,
) (first bool, err error) {
	used := map[string]any{"call": call, "pr": pr, "by": process}
	if err := appendLine(s.disk.root, usedName.of(skill), used); err != nil {
		return false, err
	}
	text, err := s.disk.read(usedName.of(skill))
	for line := range bytes.Lines(text) { // if two processes write at once, the first line wins
		v := gjson.ParseBytes(line)
		if v.Get("call").String() == call && v.Get("pr").Int() == int64(pr) {
			return err == nil && v.Get("by").String() == process, err
		}
	}
	return false, err
}
