package seal

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/tidwall/gjson"

	"hooks/internal/codec"
)

// maxNotes is the size of a file, in bytes, from which a change replaces it and adds nothing: every
// event reads it.
const maxNotes = 16 << 10

// note is an addition to a file, after its record. With Next it marks the beginning of a change of
// a run's files; without, the end of the last one begun. Adding a note costs a tenth of replacing
// the file.
type note struct {
	Skill string `json:"skill"`
	Next  *Files `json:"next,omitempty"`
}

// ends reports whether a note is the end of a change.
func (n note) ends() bool { return n.Next == nil }

// apply makes the change to a record that the note describes.
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

// Begin saves that a change of a run's files begins: r with Next set in the loop of that skill. It
// fails as Save does.
func (d Dir) Begin(r *Record, skill string) error {
	return d.add(r, note{skill, r.Loop(skill).Next})
}

// End saves that the change has come to its end: r with Next as the State.
func (d Dir) End(r *Record, skill string) error { return d.add(r, note{Skill: skill}) }

// add saves a record. It only adds the note if that is all that differs from the file; otherwise it
// writes the whole record.
func (d Dir) add(r *Record, n note) error {
	if d.path != "" {
		if info := d.noted(d.on(r.Session), r, n); info != nil {
			*d.last = parsed{d.on(r.Session), info, true, r.clone()}
			return nil
		}
	}
	return d.Save(r)
}

// noted adds the note to the file and returns the file's info, or nil if the record must be saved
// whole. No reader takes an incomplete note.
func (d Dir) noted(path string, r *Record, n note) fs.FileInfo {
	last := *d.last
	if last.path != path || !last.whole {
		return nil
	}
	after := last.record.clone()
	n.apply(after)
	text, err := encodePart(n, n.files()...)
	if err != nil || !after.equal(r) || last.file.Size()+int64(len(text)) > maxNotes {
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

// same reports whether a file is the one that was looked at before, and was not written since.
func same(info, before fs.FileInfo) bool {
	return os.SameFile(info, before) && info.Size() == before.Size() &&
		info.ModTime().Equal(before.ModTime())
}

// equal reports whether two records are equal.
func (r *Record) equal(o *Record) bool {
	return r.Session == o.Session && r.Project == o.Project && r.Boot == o.Boot &&
		slices.EqualFunc(r.Loops, o.Loops, func(a, b Loop) bool {
			if a.Next != nil && b.Next != nil && *a.Next == *b.Next {
				b.Next = a.Next
			}
			return a == b
		})
}

// files returns the Files whose texts follow a note.
func (n note) files() []*Files {
	if n.Next == nil {
		return nil
	}
	return []*Files{n.Next}
}

// split cuts a file into its record and the notes after it. A last note that a kill has cut off is
// left out, and whole is false: what it was to announce was not begun. A power cut leaves zeros.
func split(text string) (record string, notes []string, whole bool) {
	written := strings.TrimRight(text, "\x00")
	parts := strings.Split(written, string(beforeNote))
	record, notes = parts[0], parts[1:]
	if n := len(notes) - 1; n >= 0 && !isWhole(notes[n]) {
		return record, notes[:n], false
	}
	return record, notes, len(written) == len(text)
}

// applyAll applies the notes after a record. Of a loop's notes the last change that came to its end
// counts, and what follows it; only those are read.
func (r *Record) applyAll(notes []string) error {
	for _, l := range r.Loops {
		var last []note
		for _, text := range slices.Backward(notes) {
			if gjson.Get(text, "skill").Str != l.Skill {
				continue
			}
			var n note
			if err := decodePart(text, &n, func() []*Files { return n.files() }); err != nil {
				return err
			}
			last = append(last, n)
			if n.Next != nil && slices.ContainsFunc(last, note.ends) {
				break
			}
		}
		for _, n := range slices.Backward(last) {
			n.apply(r)
		}
	}
	return nil
}

// A file is a record and the notes after it. Each of them is a part: a small JSON object, and then
// the texts of its files as they are, which are most of it and are only copied. Neither separator
// is in any JSON.
const (
	beforeNote = '\x1e'
	beforeText = '\x1f'
	partEnd    = "\x1f\n"
)

// texts returns pointers to the texts that a part has after its object.
func (f *Files) texts() [3]*string { return [3]*string{&f.Budget, &f.Tick, &f.Line} }

// encodePart is a part: v, which holds the files, and their texts.
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

// isWhole reports whether a part has its end.
func isWhole(part string) bool { return strings.HasSuffix(part, partEnd) }

// decodePart reads a part into v, and the texts into its files, which are known after that.
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
