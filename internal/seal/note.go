package seal

import (
	"io/fs"
	"os"
	"reflect"
	"strings"
	"syscall"

	"github.com/tidwall/gjson"

	"hooks/internal/codec"
)

// maxNotes is the file size in bytes above which a change rewrites the file instead of appending a
// note. Every event reads the whole file.
const maxNotes = 16 << 10

// note is appended to a file after its record. With Next it marks the start of a change to a run's
// files; without Next, the end of the last change. Appending a note costs a tenth of replacing the
// file.
type note struct {
	Skill string `json:"skill"`
	Next  *Files `json:"next,omitempty"`
}

// apply makes the change that the note describes.
func (n note) apply(r *Record) {
	l := r.Loop(n.Skill)
	switch {
	case l == nil:
	case n.Next != nil:
		l.Next = n.Next
	case l.Next != nil:
		l.State, l.Next, l.Told = *l.Next, nil, false
	}
}

// Begin saves r at the start of a change: Next is set in the loop of that skill. It fails as Save
// does.
func (d Dir) Begin(r *Record, skill string) error {
	return d.add(r, note{skill, r.Loop(skill).Next})
}

// End saves r at the end of a change, with the former Next as State.
func (d Dir) End(r *Record, skill string) error { return d.add(r, note{Skill: skill}) }

// add saves a record. If r differs from the file only by the note, add appends the note; otherwise
// it writes the whole record.
func (d Dir) add(r *Record, n note) error {
	if d.path != "" {
		if info := d.noted(d.on(r.Session), r, n); info != nil {
			*d.last = parsed{d.on(r.Session), info, true, r.clone()}
			return nil
		}
	}
	return d.Save(r)
}

// noted appends the note to the file and returns the file's info, or nil if the record must be
// saved whole. Readers ignore an incomplete note.
func (d Dir) noted(path string, r *Record, n note) fs.FileInfo {
	last := *d.last
	if last.path != path || !last.whole {
		return nil
	}
	after := last.record.clone()
	n.apply(after)
	text, err := encodePart(n, n.files()...)
	if err != nil || !reflect.DeepEqual(after, r) || last.file.Size()+int64(len(text)) > maxNotes {
		return nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !same(info, last.file) {
		return nil
	}
	if _, err := f.Write(append([]byte{beforeNote}, text...)); err != nil {
		return nil
	}
	info, _ := f.Stat()
	return info
}

// same reports whether info describes the same, unmodified file as before.
func same(info, before fs.FileInfo) bool {
	return os.SameFile(info, before) && info.Size() == before.Size() &&
		info.ModTime().Equal(before.ModTime())
}

// files returns the Files whose texts follow a note.
func (n note) files() []*Files {
	if n.Next == nil {
		return nil
	}
	return []*Files{n.Next}
}

// split separates a file into its record and the notes after it. It drops a last note that a kill
// tore, and zeros left by a power cut; whole is then false. The change that a torn note announces
// was not started.
func split(text string) (record string, notes []string, whole bool) {
	written := strings.TrimRight(text, "\x00")
	parts := strings.Split(written, string(beforeNote))
	record, notes = parts[0], parts[1:]
	if n := len(notes) - 1; n >= 0 && !isWhole(notes[n]) {
		return record, notes[:n], false
	}
	return record, notes, len(written) == len(text)
}

// applyAll applies the notes after a record.
func (r *Record) applyAll(notes []string) error {
	for _, text := range notes {
		var n note
		if err := decodePart(text, &n, func() []*Files { return n.files() }); err != nil {
			return err
		}
		n.apply(r)
	}
	return nil
}

// A file consists of a record and the notes after it. Each is a part: a small JSON object followed
// by the texts of its files. The texts are most of the data, so they are not encoded. The
// separators cannot occur in JSON.
const (
	beforeNote = '\x1e'
	beforeText = '\x1f'
	partEnd    = "\x1f\n"
)

// texts returns pointers to the texts that follow a part's object.
func (f *Files) texts() [3]*string { return [3]*string{&f.Budget, &f.Tick, &f.Line} }

// encodePart encodes v and the texts of its files as a part.
func encodePart(v any, files ...*Files) ([]byte, error) {
	out, err := codec.Encode(v)
	for _, f := range files {
		for _, t := range f.texts() {
			if strings.IndexByte(*t, beforeNote) >= 0 || strings.IndexByte(*t, beforeText) >= 0 {
				return nil, errDamaged
			}
			out = append(append(out, beforeText), *t...)
		}
	}
	return append(out, partEnd...), err
}

// isWhole reports whether a part is complete.
func isWhole(part string) bool { return strings.HasSuffix(part, partEnd) }

// decodePart decodes a part into v and the texts into the Files of v. files is called once v is
// decoded.
func decodePart(part string, v any, files func() []*Files) error {
	if !isWhole(part) {
		return errDamaged
	}
	list := strings.Split(strings.TrimSuffix(part, partEnd), string(beforeText))
	if !gjson.Valid(list[0]) || codec.Decode(gjson.Parse(list[0]), v) != nil {
		return errDamaged
	}
	list = list[1:]
	for _, f := range files() {
		for _, t := range f.texts() {
			if len(list) == 0 {
				return errDamaged
			}
			*t, list = list[0], list[1:]
		}
	}
	if len(list) > 0 {
		return errDamaged
	}
	return nil
}
