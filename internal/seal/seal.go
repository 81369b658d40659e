package seal

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// version is the format of a record. One of a later program is never rewritten.
const version = 1

// Record is what the program wrote last about the loops of one session in one project.
type Record struct {
	Session string
	Project string // absolute
	// Boot is the machine's boot in which the record was written, empty where that is not known. A
	// record of another boot may be older than the files: it is not made durable, they are.
	Boot  string
	Loops []Loop
}

// Loop is one skill's run. The zero value of a text says that the file is not there.
type Loop struct {
	Skill  string
	RunID  string
	Budget string // where the budget lies, relative to the project or absolute
	// On says that the loop governs its session: it is active, or its last turn is not over.
	On bool
	// Told says that the person has been told of damage.
	Told bool
	// Unlocked says that the program itself took the run's lock away.
	Unlocked bool
	// HeldFor names the command, reset or accept, that a person typed while the session's client
	// was alive, and HeldBudget is the run's budget as it was: the session stays shut until that
	// person's next prompt in it.
	HeldFor    string
	HeldBudget string
	// State is what was written last. Next is set while a change is under way: a crash leaves each
	// file as in the one or as in the other.
	State Files
	Next  *Files
}

// Files are the files of one run, each as its whole JSON text.
type Files struct {
	Budget string
	Tick   string
	// Marker is the path in the budget-file marker.
	Marker string
	// History is the size of the history up to the end of the run's last line, in bytes, and Line
	// that line.
	History int64
	Line    string
}

// On says that a loop of the record governs its session.
func (r *Record) On() bool {
	return r != nil && slices.ContainsFunc(r.Loops, func(l Loop) bool { return l.On })
}

// Loop is the run of a skill, nil when the record has none.
func (r *Record) Loop(skill string) *Loop {
	if r == nil {
		return nil
	}
	for i := range r.Loops {
		if r.Loops[i].Skill == skill {
			return &r.Loops[i]
		}
	}
	return nil
}

// Held says that a loop of the record waits for the person's next prompt.
func (r *Record) Held() bool {
	return r != nil && slices.ContainsFunc(r.Loops, func(l Loop) bool { return l.HeldFor != "" })
}

// clone is a copy that can be changed.
func (r *Record) clone() *Record {
	c := *r
	c.Loops = slices.Clone(r.Loops)
	for i, l := range c.Loops {
		if l.Next != nil {
			next := *l.Next
			c.Loops[i].Next = &next
		}
	}
	return &c
}

// Drop takes a skill's run out of the record.
func (r *Record) Drop(skill string) {
	r.Loops = slices.DeleteFunc(r.Loops, func(l Loop) bool { return l.Skill == skill })
}

// Trim is a file's text as a record holds it.
func Trim(text []byte) string { return strings.TrimSpace(string(text)) }

// field is one field of a record's JSON. One of text, flag and size is set.
type field struct {
	name string
	text *string
	raw  bool // the text is JSON itself
	flag *bool
	size *int64
}

func (r *Record) fields() []field {
	return []field{
		{name: "session_id", text: &r.Session}, {name: "project", text: &r.Project},
		{name: "boot", text: &r.Boot},
	}
}

func (l *Loop) fields() []field {
	return []field{
		{name: "on", flag: &l.On},
		{name: "skill", text: &l.Skill}, {name: "run_id", text: &l.RunID},
		{name: "budget_file", text: &l.Budget},
		{name: "told", flag: &l.Told}, {name: "unlocked", flag: &l.Unlocked},
		{name: "held_for", text: &l.HeldFor},
		{name: "held_budget", text: &l.HeldBudget, raw: true},
	}
}

func (f *Files) fields() []field {
	return []field{
		{name: "history", size: &f.History}, {name: "marker", text: &f.Marker},
		{name: "budget", text: &f.Budget, raw: true}, {name: "tick", text: &f.Tick, raw: true},
		{name: "line", text: &f.Line, raw: true},
	}
}

func (r *Record) encode() []byte {
	b := strconv.AppendInt([]byte(`{"version":`), version, 10)
	b = append(appendFields(b, r.fields()), `,"loops":[`...)
	for i := range r.Loops {
		if i > 0 {
			b = append(b, ',')
		}
		b = r.Loops[i].encode(b)
	}
	return append(b, "]}\n"...)
}

func (l *Loop) encode(b []byte) []byte {
	b = appendFields(append(b, '{'), l.fields())
	b = append(appendFields(append(appendKey(b, "state"), '{'), l.State.fields()), '}')
	if l.Next != nil {
		b = append(appendFields(append(appendKey(b, "next"), '{'), l.Next.fields()), '}')
	}
	return append(b, '}')
}

// appendFields writes the fields that are not empty.
func appendFields(b []byte, list []field) []byte {
	for _, f := range list {
		var value []byte
		switch {
		case f.flag != nil && *f.flag:
			value = []byte("true")
		case f.size != nil && *f.size != 0:
			value = strconv.AppendInt(nil, *f.size, 10)
		case f.text != nil && *f.text != "" && f.raw:
			value = []byte(*f.text)
		case f.text != nil && *f.text != "":
			value, _ = json.Marshal(*f.text) // a string always marshals
		default:
			continue
		}
		b = append(appendKey(b, f.name), value...)
	}
	return b
}

func appendKey(b []byte, name string) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	return append(append(append(b, '"'), name...), `":`...)
}

// errDamaged says that a record is not what this program writes.
var errDamaged = errors.New("it is not what hooks writes")

func decode(text []byte) (*Record, error) {
	if !gjson.ValidBytes(text) {
		return nil, errDamaged
	}
	root := gjson.ParseBytes(text)
	if v := root.Get("version").Int(); v > version {
		return nil, fmt.Errorf(
			"it has format version %d, newer than this program knows: upgrade hooks", v)
	}
	r := &Record{}
	setFields(root, r.fields(), func(name string, value gjson.Result) {
		if name == "loops" {
			value.ForEach(func(_, loop gjson.Result) bool {
				r.Loops = append(r.Loops, decodeLoop(loop))
				return true
			})
		}
	})
	if r.Session == "" || r.Project == "" {
		return nil, errDamaged
	}
	return r, nil
}

func decodeLoop(v gjson.Result) (l Loop) {
	setFields(v, l.fields(), func(name string, value gjson.Result) {
		switch name {
		case "state":
			setFields(value, l.State.fields(), nil)
		case "next":
			l.Next = &Files{}
			setFields(value, l.Next.fields(), nil)
		}
	})
	return l
}

// setFields fills fields from an object. other gets what is none of them.
func setFields(v gjson.Result, list []field, other func(name string, value gjson.Result)) {
	v.ForEach(func(key, value gjson.Result) bool {
		i := slices.IndexFunc(list, func(f field) bool { return f.name == key.Str })
		switch {
		case i < 0 && other != nil:
			other(key.Str, value)
		case i < 0:
		case list[i].flag != nil:
			*list[i].flag = value.Bool()
		case list[i].size != nil:
			*list[i].size = value.Int()
		case list[i].raw:
			*list[i].text = value.Raw
		default:
			*list[i].text = value.String()
		}
		return true
	})
}
