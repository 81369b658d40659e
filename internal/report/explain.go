package report

import "strings"

// Explanation is how the guard reads a command.
type Explanation struct {
	Command  string         `json:"command"`
	Acts     []ExplainedAct `json:"acts,omitempty"`
	Opaque   []string       `json:"opaque,omitempty"` // parts that cannot be read, with the reason
	ReadOnly bool           `json:"read_only"`        // passes while a question waits for a person
	Verdict  string         `json:"verdict"`
	// HeldBy names what keeps the command from a merge that no person approved, empty for one that
	// only looks.
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

// Explained prints how a command is read.
func Explained(e Explanation) string {
	t := wholeText()
	for _, a := range e.Acts {
		t.line("%s: %s", a.Kind, a.Command)
		if len(a.Via) > 0 {
			t.line("  through %s", strings.Join(a.Via, ", "))
		}
	}
	for _, o := range e.Opaque {
		t.line("cannot be read: %s", o)
	}
	if len(e.Acts)+len(e.Opaque) == 0 {
		t.line("nothing that a loop cares about")
	}
	verdict, way, more := strings.Cut(e.Verdict, "\nhint: ")
	t.line("in a loop: %s", verdict)
	if more {
		t.line("hint: %s", way)
	}
	if e.HeldBy != "" {
		t.line("held by: %s", e.HeldBy)
	}
	return t.String()
}
