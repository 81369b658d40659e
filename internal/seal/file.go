package seal

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/codec"
)

// version is the format version of a file. A file with a newer version is never rewritten.
const version = 2

// maxFile is the maximum size in bytes to which a save extends a file by appending. Beyond that, it
// replaces the file, because every event reads the whole file.
const maxFile = 16 << 10

// A file holds one session's record, followed by notes about later changes. The record and each
// note consist of a small JSON object and the contents of project files. The contents are most of
// the data, so they are stored unencoded. The separators cannot occur in JSON.
const (
	beforeNote = "\x1e"
	beforeText = "\x1f"
	partEnd    = "\x1f\n"
)

// errDamaged is returned if a record is not in the form that this program writes.
var errDamaged = errors.New("it is not in the form that hooks writes")

// versioned is a record's JSON object with its version.
type versioned struct {
	Version int64 `json:"version"`
	Record
}

// files returns the Files whose contents follow the record's JSON object.
func (r *Record) files() (list []*Files) {
	for i := range r.Loops {
		l := &r.Loops[i]
		if list = append(list, &l.State); l.Next != nil {
			list = append(list, l.Next)
		}
	}
	return list
}

func (r *Record) encode() ([]byte, error) {
	return encodePart(versioned{version, *r}, r.files())
}

func encodePart(object any, files []*Files) ([]byte, error) {
	out, err := codec.Encode(object)
	for _, f := range files {
		for _, text := range [...]string{f.Budget, f.Tick, f.Line} {
			if strings.ContainsAny(text, beforeNote+beforeText) {
				return nil, errDamaged
			}
			out = append(append(out, beforeText...), text...)
		}
	}
	return append(out, partEnd...), err
}

// note records the start of a change to one run's files or, if Next is nil, the end of the change.
type note struct {
	Skill string `json:"skill"`
	Next  *Files `json:"next,omitempty"`
}

// files returns the Files whose contents follow the note's JSON object.
func (n *note) files() []*Files {
	if n.Next == nil {
		return nil
	}
	return []*Files{n.Next}
}

func (n *note) apply(r *Record) {
	l := r.Loop(n.Skill)
	switch {
	case l == nil:
	case n.Next != nil:
		l.Next = n.Next
	case l.Next != nil:
		l.State, l.Next = *l.Next, nil
	}
}

// noted returns the encoded note that turns before into r, or nil if no single note does.
func (r *Record) noted(before *Record) []byte {
	for i := range r.Loops {
		n, after := note{r.Loops[i].Skill, r.Loops[i].Next}, before.clone()
		if n.apply(after); reflect.DeepEqual(after, r) {
			text, _ := encodePart(n, n.files())
			return text
		}
	}
	return nil
}

// decode decodes a record file. It skips zeros left by a power cut, and a note cut off by a kill,
// because the record before that note is still valid. whole is false if no note may be appended.
func decode(text string) (r *Record, whole bool, err error) {
	written := strings.TrimRight(text, "\x00")
	parts := strings.Split(written, beforeNote)
	last := len(parts) - 1
	if whole = len(written) == len(text); last > 0 && !strings.HasSuffix(parts[last], partEnd) {
		last, whole = last-1, false
	}
	if of := gjson.Get(parts[0], "version").Int(); of > version {
		return nil, false, fmt.Errorf(
			"it has format version %d, which this program does not know: upgrade hooks", of)
	}
	var v versioned
	err = decodePart(parts[0], &v, v.files)
	if err != nil || v.Session == "" || v.Project == "" {
		return nil, false, errDamaged
	}
	for _, part := range parts[1 : last+1] {
		var n note
		if err := decodePart(part, &n, n.files); err != nil {
			return nil, false, err
		}
		n.apply(&v.Record)
	}
	return &v.Record, whole, nil
}

// decodePart decodes a part's JSON into object, and its file contents into what files then returns.
func decodePart(part string, object any, files func() []*Files) error {
	body, isWhole := strings.CutSuffix(part, partEnd)
	texts := strings.Split(body, beforeText)
	if !isWhole || !gjson.Valid(texts[0]) || codec.Decode(gjson.Parse(texts[0]), object) != nil {
		return errDamaged
	}
	list := files()
	if texts = texts[1:]; len(texts) != 3*len(list) {
		return errDamaged
	}
	for i, f := range list {
		f.Budget, f.Tick, f.Line = texts[3*i], texts[3*i+1], texts[3*i+2]
	}
	return nil
}
