package attempt

import (
	"cmp"
	"fmt"
	"strings"

	"hooks/internal/english"
)

// CheckRun is one run of the person's check command.
type CheckRun struct {
	Exit    int    `json:"exit"`
	Stopped bool   `json:"stopped,omitempty"` // the check did not exit on its own; Exit is 1
	Seconds int    `json:"seconds"`
	Head    string `json:"head"` // the checked commit; "" if the check left uncommitted files
	Tail    string `json:"tail,omitempty"`
	Command string `json:"command,omitempty"`
	// Changed lists the pinned files that changed since the run began. If the check is green
	// anyway, it passed in a separate checkout with the original files. Unsure explains why the
	// result is inconclusive; it is empty otherwise.
	Changed []string `json:"changed,omitempty"`
	Unsure  string   `json:"unsure,omitempty"`
}

// Fails explains why the check is not green at commit head. It returns "" if it is green.
func (c *CheckRun) Fails(head string) string {
	switch {
	case c.Stopped:
		return fmt.Sprintf("the check did not exit on its own; it was stopped after %s",
			english.Plural(c.Seconds, "second"))
	case c.Exit > 0:
		return fmt.Sprintf("the check is red: exit %d", c.Exit)
	case c.Head != head:
		return "the check changed the repository"
	}
	return ""
}

// Red reports whether a check ran and failed. A check that could not be started, was stopped or was
// inconclusive is not red.
func (c *CheckRun) Red() bool {
	return c != nil && c.Exit > 0 && c.Exit != 126 && c.Exit != 127 && !c.Stopped && c.Unsure == ""
}

// Of reports whether c ran command at commit head.
func (c *CheckRun) Of(command, head string) bool {
	return c != nil && head != "" && c.Head == head && c.Command == command
}

// ByWorker returns a clause that names the pinned files that changed since the run began, or "" if
// there are none.
func (c *CheckRun) ByWorker() string {
	if c == nil || len(c.Changed) == 0 {
		return ""
	}
	return "check changed by the worker: " + strings.Join(c.Changed, ", ")
}

// Worker holds facts from the worker's own transcript.
type Worker struct {
	Ours  bool // the worker was started for the open attempt
	Fresh bool // the transcript begins with the attempt's prompt
	Known bool // the transcript and the call that started the worker could be read
}

// Evidence holds the facts from git that support or refute a claim or verdict (T36, T87).
type Evidence struct {
	Head     string
	Branch   string
	Dropped  string   // a commit that HEAD must contain but does not, or ""
	Same     bool     // no file has changed since the task began
	Dirty    []string // uncommitted paths, some with a remark
	Weakened []string // how the attempt weakened the tests (T96)
	Failed   string   // why git could not report these facts, or ""
	Tree     string   // checksum of the uncommitted files; see Attempt
	Changed  []string // files changed by the audited commits
}

// Untidy checks the branch, uncommitted files and lost commits at the end of an attempt. why names
// the first problem, or is ""; more has details. unit is what began on branch, such as "loop".
func (e *Evidence) Untidy(branch, unit string) (why, more string) {
	switch {
	case e.Failed != "":
		return "git could not read the tree: " + e.Failed, ""
	case e.Branch != branch:
		return fmt.Sprintf("the current branch is %s, but the %s began on %s",
			cmp.Or(e.Branch, "none"), unit, cmp.Or(branch, "none")), ""
	case len(e.Dirty) > 0:
		return english.Plural(len(e.Dirty), "file") + " not committed",
			strings.Join(e.Dirty[:min(len(e.Dirty), 20)], "\n")
	case e.Dropped != "":
		return "the branch no longer contains commit " + Short(e.Dropped), ""
	}
	return "", ""
}

// LostTip returns a clause saying that the branch lost the last accepted commit.
func LostTip(sha string) string {
	return fmt.Sprintf("commit %s, the last accepted one, is no longer on the branch", Short(sha))
}
