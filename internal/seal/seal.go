package seal

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// Record holds the state that the program last wrote for a session's loops in one project.
type Record struct {
	Session string `json:"session_id,omitempty"`
	Project string `json:"project,omitempty"` // absolute
	// Boot identifies the machine's boot when the record was written, or is empty if unknown. After
	// a reboot the record may be older than the project's files, because only the files are synced.
	Boot string `json:"boot,omitempty"`
	// Rewired describes the effect that a change to the client's settings would have had on the
	// running hooks, until it is reported to the person.
	Rewired string `json:"rewired,omitempty"`
	Loops   []Loop `json:"loops"`
}

// Loop is one skill's run. In State and Next, an empty string means that the file is missing.
type Loop struct {
	// On reports that the loop governs its session, because it is active or its gate remains.
	On     bool   `json:"on,omitempty"`
	Skill  string `json:"skill,omitempty"`
	RunID  string `json:"run_id,omitempty"`
	Budget string `json:"budget_file,omitempty"` // relative to the project or absolute
	// Unlocked records that the program itself removed the run's lock.
	Unlocked bool `json:"unlocked,omitempty"`
	// HeldFor is "reset" if a person reset the run while the session's client was alive. The
	// session is blocked until the person's next prompt. State holds the files before the reset.
	HeldFor string `json:"held_for,omitempty"`
	// Quiet is the gate of an ended run, empty until it is recorded.
	Quiet string `json:"quiet" codec:"raw"`
	// State holds the files as last written. Next holds the files as they will be after the change
	// in progress, or is nil. After a crash, each file matches State or Next.
	State Files  `json:"state"`
	Next  *Files `json:"next,omitempty"`
}

// Files holds a run's budget, tick and last history line as JSON. A record file stores them after
// the record's own JSON object.
type Files struct {
	// History is the size of the history in bytes, and Line is the run's last line in it.
	History int64  `json:"history,omitempty"`
	Marker  string `json:"marker,omitempty"` // contents of the pointer to a --budget-file
	Budget  string `json:"-"`
	Tick    string `json:"-"`
	Line    string `json:"-"`
}

// On reports whether any loop in the record governs its session.
func (r *Record) On() bool {
	return r != nil && slices.ContainsFunc(r.Loops, func(l Loop) bool { return l.On })
}

// Ended reports whether the loop's run has ended but the loop still governs its session. Its gate
// remains at least until a person types.
func (l *Loop) Ended() bool {
	if !l.On || l.HeldFor != "" || l.Next != nil || l.State.Tick != "" {
		return false
	}
	status := gjson.Get(l.State.Budget, "status").Str
	return status == "halted" || status == "paused"
}

// Shut reports whether the gate of an ended loop blocks the current turn (design §7).
func (r *Record) Shut() bool {
	return r != nil && slices.ContainsFunc(r.Loops, func(l Loop) bool {
		return l.Ended() && !gjson.Get(l.Quiet, "free").Bool()
	})
}

// Runs reports whether a loop whose run has not ended governs the session.
func (r *Record) Runs() bool {
	return r != nil && slices.ContainsFunc(r.Loops, func(l Loop) bool { return l.On && !l.Ended() })
}

// Release clears On and the gate of every loop, so that none governs the session.
func (r *Record) Release() {
	for i := range r.Loops {
		r.Loops[i].On, r.Loops[i].Quiet = false, ""
	}
}

// Loop returns a skill's run, or nil if there is none. r may be nil.
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

// clone returns a deep copy.
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

// Drop removes a skill's run from the record. Pointers to it stay valid.
func (r *Record) Drop(skill string) {
	list := slices.Clone(r.Loops)
	r.Loops = slices.DeleteFunc(list, func(l Loop) bool { return l.Skill == skill })
}

// Trim returns a file's contents in the form stored in a record.
func Trim(text []byte) string { return strings.TrimSpace(string(text)) }
