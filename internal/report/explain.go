package report

import "strings"

// Explanation is how the guard reads a command.
type Explanation struct {
	Command  string         `json:"command"`
	Acts     []ExplainedAct `json:"acts,omitempty"`
	Opaque   []string       `json:"opaque,omitempty"` // parts that cannot be read, with the reason
	ReadOnly bool           `json:"read_only"`        // passes while a question waits for a person
	Verdict  string         `json:"verdict"`
	// HeldBy names what keeps the command from a merge that no person approved; empty for a command
	// that only reads.
	HeldBy string `json:"held_by,omitempty"`
}

// ExplainedAct is one thing the command would do.
type ExplainedAct struct {
	Kind    string   `json:"kind"`
	PR      int      `json:"pr,omitempty"`
	Ref     string   `json:"ref,omitempty"`
	Repo    string   `json:"repo,omitempty"`
	SHA     string   `json:"sha,omitempty"`
	Auto    bool     `json:"auto,omitempty"`
	Admin   bool     `json:"admin,omitempty"`
	Command string   `json:"command"`
	Via     []string `json:"via,omitempty"`
}

// Explained writes how a command is read.
func Explained(s Screen, e Explanation) string {
	p := newPage(s.unwrapped())
	for _, a := range e.Acts {
		p.line(plain, "%s: %s", a.Kind, a.Command)
		if len(a.Via) > 0 {
			p.put("  ", 4, plain, "through "+strings.Join(a.Via, ", "))
		}
	}
	p.notes("cannot be read", e.Opaque)
	if len(e.Acts)+len(e.Opaque) == 0 {
		p.line(plain, "nothing that a loop guards against")
	}
	verdict, hint, more := strings.Cut(e.Verdict, "\nhint: ")
	p.line(plain, "in a loop: %s", verdict)
	if more {
		p.line(plain, "hint: %s", hint)
	}
	if e.HeldBy != "" {
		p.line(plain, "held by: %s", e.HeldBy)
	}
	return p.String()
}
