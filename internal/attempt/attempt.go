// Package attempt holds what the attempts at tasks and at phases of an audit share: the state of an
// attempt, the claim that ends it, the evidence for or against the claim, the judgement, and the
// retries after an outage of the service. It also finds changes that weaken the tests or the check
// command. Its functions are pure: they use no clock, files or processes.
package attempt

import (
	"cmp"
	"slices"
	"time"
)

// Attempt is one try at a task or a phase, made by the open iteration.
type Attempt struct {
	Task  int    `json:"task"` // number of the task, from 1; the PR counts as one more
	Of    int    `json:"of"`
	Try   int    `json:"try"`
	Title string `json:"title"`
	// PR is the number of the PR in this repository that the attempt opened or commented on.
	PR int `json:"pr,omitempty"`
	// Token is part of the claim, so that no earlier text can be taken for one (T85).
	Token  string `json:"token"`
	Head   string `json:"head,omitempty"` // commit at its beginning; "" before the first commit
	Base   string `json:"base,omitempty"` // see tasks.Item
	Branch string `json:"branch,omitempty"`
	NoGit  bool   `json:"no_git,omitempty"` // the project has no repository
	// reason why git could not report the start of the attempt
	Unread string `json:"unread,omitempty"`
	Sent   bool   `json:"sent,omitempty"`  // the worker was started
	Call   string `json:"call,omitempty"`  // tool_use_id of the call that started the worker
	Holds  int    `json:"holds,omitempty"` // times that the worker was kept running
	// Fresh proves that the worker began with an empty context: "agent ID" or "session ID" (T93).
	Fresh  string     `json:"fresh,omitempty"`
	List   string     `json:"list,omitempty"`  // hash of the task list when the worker ended
	Stale  bool       `json:"stale,omitempty"` // the context may come from an earlier attempt
	Judged *Judgement `json:"judged,omitempty"`
	// Feedback is a person's newest feedback in the task's ledger when the attempt began (L31).
	Feedback string `json:"feedback,omitempty"`
	// Tree is a checksum of the uncommitted files; empty if everything is committed. EndHead and
	// EndTree are the commit and the checksum at the time of the judgement.
	Tree    string `json:"tree,omitempty"`
	EndHead string `json:"end_head,omitempty"`
	EndTree string `json:"end_tree,omitempty"`
	// Reset is the time at which the service that ended the attempt is available again; zero if the
	// service did not announce one.
	Reset time.Time `json:"reset,omitzero"`
	// Phase is the part of the run's work that the attempt does; empty if the kind has only one
	// part.
	Phase    string         `json:"phase,omitempty"`
	Reported *WorkerVerdict `json:"verdict,omitempty"` // the last verdict of its worker, or nil
	// Opened and Resolved list the ids of the findings that it opened and resolved.
	Opened   []string `json:"findings_opened,omitempty"`
	Resolved []string `json:"findings_resolved,omitempty"`
	// last words of the worker, if a later page shows them
	Last string `json:"last_words,omitempty"`
	// Looked lists the files of the tree that its worker looked at. Ran reports whether the worker
	// ran the check.
	Looked []string `json:"looked_at,omitempty"`
	Ran    bool     `json:"check_ran,omitempty"`
	// Told identifies the text of the last report that was read from the worker's call.
	Told string `json:"told,omitempty"`
}

// maxLooked is the number of files at which Look stops recording more.
const maxLooked = 1000

// Look records that an auditor looks at files or runs the check, and reports whether that is new.
func (a *Attempt) Look(files []string, check bool) bool {
	had, ran := len(a.Looked), a.Ran
	if had < maxLooked {
		a.Looked = slices.Clone(a.Looked)
		for _, file := range files {
			if !slices.Contains(a.Looked, file) {
				a.Looked = append(a.Looked, file)
			}
		}
	}
	a.Ran = ran || check
	return len(a.Looked) > had || a.Ran != ran
}

// Moved reports whether the worker left another commit or other uncommitted files.
func (a *Attempt) Moved() bool {
	return a.EndHead != "" && (a.EndHead != a.Head || a.EndTree != a.Tree)
}

// Closed reports whether an auditor resolved a finding that was open before the attempt.
func (a *Attempt) Closed() bool {
	return slices.ContainsFunc(a.Resolved, func(id string) bool {
		return !slices.Contains(a.Opened, id)
	})
}

// Start returns the revision that the attempt's own commits are compared with, or "" if unknown.
func (a *Attempt) Start() string {
	if a.Unread != "" || a.NoGit {
		return ""
	}
	return cmp.Or(a.Head, emptyTree)
}

// emptyTree is git's name for a tree without files. A branch without a commit is compared with it.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// Short returns a commit's name abbreviated for people.
func Short(sha string) string { return sha[:min(len(sha), 7)] }

// Verdict returns the judgement of an attempt whose iteration is ending. A stale attempt counts as
// an outage, and an attempt that was not judged gets a derived judgement. stopped and failed are
// the reasons why a person or a failure ended the iteration, or "".
func (a *Attempt) Verdict(stopped, failed string) Judgement {
	switch {
	case a.Stale:
		return Judgement{Verdict: Outage, Why: "its context is not proven to be fresh"}
	case a.Judged != nil:
		return *a.Judged
	case stopped != "" || failed != "":
		return Judgement{Verdict: Outage, Why: cmp.Or(stopped, failed)}
	case !a.Sent:
		return Judgement{Verdict: Unfinished, Why: "no worker was sent"}
	}
	return Judgement{Verdict: Unfinished, Why: "the worker ended without a claim"}
}
