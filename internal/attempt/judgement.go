package attempt

import (
	"fmt"

	"hooks/internal/english"
)

// WorkerVerdict is a verdict reported by a worker. It applies to one commit (A71, A75).
type WorkerVerdict struct {
	Word string `json:"verdict"` // clean or dirty
	SHA  string `json:"sha"`
	Seen *Seen  `json:"seen,omitempty"` // nil before the judgement, and in files of older versions
}

// Said returns the verdict for people, such as "clean at 1234567, read 2 of 3 changed files; stale,
// HEAD is 89abcde". head is the checked-out commit, or "" if unknown.
func (v *WorkerVerdict) Said(head string) string {
	text := v.Word + " at " + Short(v.SHA)
	if v.Seen != nil {
		text += ", " + v.Seen.String()
	}
	if head != "" && head != v.SHA {
		text += "; stale, HEAD is " + Short(head)
	}
	return text
}

// Seen records how many of the changed files an auditor read, and whether it ran the check.
type Seen struct {
	Read    int    `json:"read"`            // number of changed files read by the auditor
	Changed int    `json:"changed"`         // number of changed files
	Check   string `json:"check,omitempty"` // "run" or "not run"; "" without a check command
}

// String returns the record in words, such as "read 2 of 3 changed files, check run".
func (s *Seen) String() string {
	text := fmt.Sprintf("read %d of %s", s.Read, english.Plural(s.Changed, "changed file"))
	if s.Check != "" {
		text += ", check " + s.Check
	}
	return text
}

// Judgement is the verdict on an attempt, with its evidence.
type Judgement struct {
	Verdict  Verdict   `json:"verdict"`
	Why      string    `json:"why,omitempty"`
	SHA      string    `json:"sha,omitempty"`
	Check    *CheckRun `json:"check,omitempty"`
	Weakened []string  `json:"tests_weakened,omitempty"` // see Evidence.Weakened
	Seen     *Seen     `json:"seen,omitempty"`           // set for an audit
}

// String returns the verdict with its reason. For a finished task, the reason explains why the
// verdict is not better.
func (j *Judgement) String() string {
	text, between := j.Verdict.String(), ": "
	if j.Verdict.Worked() {
		between = "; "
		if by := j.Check.ByWorker(); by != "" {
			text += between + by
		}
	}
	if j.Why != "" {
		text += between + j.Why
	}
	return text
}

// Verdict is the outcome of one attempt. Verified and Claimed are always counted separately (T63).
type Verdict string

// The verdicts.
const (
	Verified Verdict = "verified" // the check was red before the work and is green after it
	// the check is green, and may have been green before the work
	Unbroken   Verdict = "unbroken"
	Claimed    Verdict = "claimed" // claimed and committed; there is no check command
	CannotTell Verdict = "unsure"  // the check was inconclusive; see CheckRun.Unsure
	Skipped    Verdict = "skipped" // a person skipped the task at a gate
	// done before the run: ticked in the list, or imported at the gate (T97, T99)
	Imported   Verdict = "imported"
	Flagged    Verdict = "flagged"    // the worker asked for a person's help
	Overruled  Verdict = "refused"    // claimed, but contradicted by the evidence
	Unfinished Verdict = "unfinished" // no claim
	Outage     Verdict = "outage"     // ended by the API, the machine or a person
	Ended      Verdict = "ended"      // end of a coding phase, a fix or a post action
	Clean      Verdict = "clean"      // a clean audit
	Dirty      Verdict = "dirty"      // a dirty audit
	Undecided  Verdict = "no_verdict" // an audit without a verdict
)

// Worked reports whether the attempt did the task.
func (d Verdict) Worked() bool { return d == Verified || d == Unbroken || d == Claimed }

// Done reports whether the task needs no further attempt.
func (d Verdict) Done() bool { return d.Worked() || d == Skipped || d == Imported }

// String returns the verdict in plain words.
func (d Verdict) String() string {
	switch d {
	case Unbroken:
		return "not broken"
	case CannotTell:
		return "cannot tell"
	case Undecided:
		return "no verdict"
	}
	return string(d)
}
