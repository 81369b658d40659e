package seal

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/codec"
)

// version is the format of a file. A file with a later version is never rewritten.
const version = 3

// maxFile is the file size in bytes above which a save replaces the file instead of appending to
// it. Every event reads the whole file.
const maxFile = 64 << 10

// A file holds records of one session, of which the last one counts. A record is a small JSON
// object followed by the texts of its files. The texts are most of the data, so they are not
// encoded. The separators cannot occur in JSON.
const (
	beforeRecord = "\x1e" // except for the first record
	beforeText   = "\x1f"
	recordEnd    = "\x1f\n"
)

// errDamaged reports that a record is not in the form that this program writes.
var errDamaged = errors.New("it is not in the form that hooks writes")

// versioned is the encoding of a record's object.
type versioned struct {
	Version int64 `json:"version"`
	Record
}

// files returns the Files whose texts follow the record's object.
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
	out, err := codec.Encode(versioned{version, *r})
	for _, f := range r.files() {
		for _, text := range [...]string{f.Budget, f.Tick, f.Line} {
			if strings.ContainsAny(text, beforeRecord+beforeText) {
				return nil, errDamaged
			}
			out = append(append(out, beforeText...), text...)
		}
	}
	return append(out, recordEnd...), err
}

// decode reads the last record of a file. It skips a record torn by a kill, because its change was
// never started, and zeros left by a power cut. whole is false if no record may be appended to the
// file.
func decode(text string) (r *Record, whole bool, err error) {
	written := strings.TrimRight(text, "\x00")
	parts := strings.Split(written, beforeRecord)
	last := len(parts) - 1
	if whole = len(written) == len(text); last > 0 && !strings.HasSuffix(parts[last], recordEnd) {
		last, whole = last-1, false
	}
	switch of := gjson.Get(parts[0], "version").Int(); {
	case of > version:
		return nil, false, fmt.Errorf(
			"it has format version %d, newer than this program knows: upgrade hooks", of)
	case of == 2:
		r, err = decodeNoted(parts[:last+1])
		return r, false, err
	}
	r, err = decodeRecord(parts[last])
	return r, whole, err
}

func decodeRecord(text string) (*Record, error) {
	var v versioned
	texts, err := decodeObject(text, &v)
	files := v.files()
	if err != nil || v.Session == "" || v.Project == "" || len(texts) != 3*len(files) {
		return nil, errDamaged
	}
	for i, f := range files {
		f.Budget, f.Tick, f.Line = texts[3*i], texts[3*i+1], texts[3*i+2]
	}
	return &v.Record, nil
}

// decodeObject decodes the object of a record into v and returns the texts after it.
func decodeObject(text string, v any) (texts []string, err error) {
	body, isWhole := strings.CutSuffix(text, recordEnd)
	list := strings.Split(body, beforeText)
	if !isWhole || !gjson.Valid(list[0]) || codec.Decode(gjson.Parse(list[0]), v) != nil {
		return nil, errDamaged
	}
	return list[1:], nil
}

// decodeNoted reads a file of version 2. Its first part is a record, and each other part is a note
// of a change: with next, the start of the change; without next, its end.
func decodeNoted(parts []string) (*Record, error) {
	r, err := decodeRecord(parts[0])
	for _, text := range parts[1:] {
		var note struct {
			Skill string `json:"skill"`
			Next  *Files `json:"next"`
		}
		texts, nerr := decodeObject(text, &note)
		if err != nil || nerr != nil {
			return nil, errDamaged
		}
		l := r.Loop(note.Skill)
		switch {
		case note.Next != nil && len(texts) != 3:
			return nil, errDamaged
		case l == nil:
		case note.Next != nil:
			l.Next = note.Next
			l.Next.Budget, l.Next.Tick, l.Next.Line = texts[0], texts[1], texts[2]
		case l.Next != nil:
			l.State, l.Next, l.Told = *l.Next, nil, false
		}
	}
	return r, err
}
