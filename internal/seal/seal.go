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
	// Boot is the machine's boot in which the record was written, empty where that is not known. A record of another
	// boot may be older than the files: it is not made durable, they are.
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
	// HeldFor names the command, reset or accept, that a person typed while the session's client was alive, and HeldBudget is
	// the run's budget as it was: the session stays shut until that person's next prompt in it.
	HeldFor    string
	HeldBudget string
	// State is what was written last. Next is set while a change is under way: a crash leaves each file as in the one or
	// as in the other.
	State Files
	Next  *Files
}

// Files are the files of one run, each as its whole JSON text.
type Files struct {
	Budget string
	Tick   string
	// Marker is the path in the budget-file marker.
	Marker string
	// History is the size of the history up to the end of the run's last line, in bytes, and Line that line.
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

// encode writes the texts of the files as they are: they are JSON themselves.
func (r *Record) encode() []byte {
	b := append([]byte(nil), `{"version":`+strconv.Itoa(version)...)
	b = field(b, "session_id", r.Session)
	b = field(b, "project", r.Project)
	b = field(b, "boot", r.Boot)
	b = append(b, `,"loops":[`...)
	for i := range r.Loops {
		if i > 0 {
			b = append(b, ',')
		}
		b = r.Loops[i].encode(b)
	}
	return append(b, "]}\n"...)
}

func (l *Loop) encode(b []byte) []byte {
	b = append(b, `{"on":`+strconv.FormatBool(l.On)...)
	b = field(b, "skill", l.Skill)
	b = field(b, "run_id", l.RunID)
	b = field(b, "budget_file", l.Budget)
	if l.Told {
		b = append(b, `,"told":true`...)
	}
	if l.Unlocked {
		b = append(b, `,"unlocked":true`...)
	}
	if l.HeldFor != "" {
		b = field(b, "held_for", l.HeldFor)
	}
	if l.HeldBudget != "" {
		b = append(b, `,"held_budget":`+l.HeldBudget...)
	}
	b = l.State.encode(append(b, `,"state":`...))
	if l.Next != nil {
		b = l.Next.encode(append(b, `,"next":`...))
	}
	return append(b, '}')
}

func (f *Files) encode(b []byte) []byte {
	b = append(b, `{"history":`+strconv.FormatInt(f.History, 10)...)
	if f.Marker != "" {
		b = field(b, "marker", f.Marker)
	}
	for _, part := range []struct{ name, text string }{{"budget", f.Budget}, {"tick", f.Tick}, {"line", f.Line}} {
		if part.text != "" {
			b = append(b, `,"`+part.name+`":`+part.text...)
		}
	}
	return append(b, '}')
}

func field(b []byte, name, value string) []byte {
	text, err := json.Marshal(value)
	if err != nil { // a string always marshals
		text = []byte(`""`)
	}
	return append(append(b, `,"`+name+`":`...), text...)
}

// errDamaged says that a record is not what this program writes.
var errDamaged = errors.New("it is not what hooks writes")

func decode(text []byte) (*Record, error) {
	if !gjson.ValidBytes(text) {
		return nil, errDamaged
	}
	root := gjson.ParseBytes(text)
	if v := root.Get("version").Int(); v > version {
		return nil, fmt.Errorf("it has format version %d, newer than this program knows: upgrade hooks", v)
	}
	r := &Record{}
	root.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "session_id":
			r.Session = value.String()
		case "project":
			r.Project = value.String()
		case "boot":
			r.Boot = value.String()
		case "loops":
			value.ForEach(func(_, loop gjson.Result) bool {
				r.Loops = append(r.Loops, decodeLoop(loop))
				return true
			})
		}
		return true
	})
	if r.Session == "" || r.Project == "" {
		return nil, errDamaged
	}
	return r, nil
}

func decodeLoop(v gjson.Result) (l Loop) {
	v.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "on":
			l.On = value.Bool()
		case "skill":
			l.Skill = value.String()
		case "run_id":
			l.RunID = value.String()
		case "budget_file":
			l.Budget = value.String()
		case "told":
			l.Told = value.Bool()
		case "unlocked":
			l.Unlocked = value.Bool()
		case "held_for":
			l.HeldFor = value.String()
		case "held_budget":
			l.HeldBudget = value.Raw
		case "state":
			l.State = decodeFiles(value)
		case "next":
			next := decodeFiles(value)
			l.Next = &next
		}
		return true
	})
	return l
}

func decodeFiles(v gjson.Result) (f Files) {
	v.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "history":
			f.History = value.Int()
		case "marker":
			f.Marker = value.String()
		case "budget":
			f.Budget = value.Raw
		case "tick":
			f.Tick = value.Raw
		case "line":
			f.Line = value.Raw
		}
		return true
	})
	return f
}
