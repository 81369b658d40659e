// Package attempt describes attempts at the tasks of a task loop and the phases of an audit loop:
// the state of an attempt, the claim that ends it, the evidence for or against the claim, the
// judgement, and retries after a service outage. It also finds changes that weaken the tests or the
// check command. Its functions are pure: they use no clock, files or processes.
package attempt

import (
	"cmp"
	"slices"
	"time"
)

// Attempt is one try at a task or a phase, made in the open iteration.
type Attempt struct {
	Task  int    `json:"task"` // number of the task or section, from 1; Of+1 is the PR
	Of    int    `json:"of"`   // number of tasks or sections
	Try   int    `json:"try"`
	Title string `json:"title"`
	// PR is the number of the PR in this repository that the attempt opened or commented on.
	PR int `json:"pr,omitempty"`
	// Token is part of the claim, so that earlier text cannot be mistaken for a claim (T85).
	Token  string `json:"token"`
	Head   string `json:"head,omitempty"` // HEAD when the attempt began; "" if there is no commit
	Base   string `json:"base,omitempty"` // see tasks.Item
	Branch string `json:"branch,omitempty"`
	NoGit  bool   `json:"no_git,omitempty"` // the project has no repository
	// why git could not report the start of the attempt
	Unread string `json:"unread,omitempty"`
	Sent   bool   `json:"sent,omitempty"`  // the worker was started
	Call   string `json:"call,omitempty"`  // tool_use_id of the call that started the worker
	Holds  int    `json:"holds,omitempty"` // number of times the worker was kept running
	// Fresh is "agent ID" or "session ID" if the worker provably began with an empty context (T93).
	Fresh  string     `json:"fresh,omitempty"`
	List   string     `json:"list,omitempty"`  // hash of the task list when the worker ended
	Stale  bool       `json:"stale,omitempty"` // the context may come from an earlier attempt
	Judged *Judgement `json:"judged,omitempty"`
	// Feedback is the newest feedback in the task's ledger when the attempt began (L31).
	Feedback string `json:"feedback,omitempty"`
	// Tree is a checksum of the uncommitted files when the attempt began; empty if there were none.
	// EndHead and EndTree are the commit and the checksum at the time of the judgement.
	Tree    string `json:"tree,omitempty"`
	EndHead string `json:"end_head,omitempty"`
	EndTree string `json:"end_tree,omitempty"`
	// Reset is when the service whose failure ended the attempt is available again. It is zero if
	// the service did not announce a time.
	Reset time.Time `json:"reset,omitzero"`
	// Phase is the phase of the audit loop, such as "coding"; empty for a task.
	Phase    string         `json:"phase,omitempty"`
	Reported *WorkerVerdict `json:"verdict,omitempty"` // the auditor's last verdict, or nil
	// Opened and Resolved list the ids of findings opened and resolved by the auditor.
	Opened   []string `json:"findings_opened,omitempty"`
	Resolved []string `json:"findings_resolved,omitempty"`
	// Last is the last message of the worker in a post action, redacted and cut (A58).
	Last string `json:"last_words,omitempty"`
	// Looked lists the files in the tree that the auditor looked at. Ran reports whether the
	// auditor ran the check.
	Looked []string `json:"looked_at,omitempty"`
	Ran    bool     `json:"check_ran,omitempty"`
	// Told is the hash of the last report read from a call by the auditor.
	Told string `json:"told,omitempty"`
}

// maxLooked bounds Looked: once it holds that many files, Look adds no more.
const maxLooked = 1000

// Look records the files that an auditor looked at and whether it ran the check. It reports whether
// any of this is new.
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

// Moved reports whether the worker changed HEAD or the uncommitted files.
func (a *Attempt) Moved() bool {
	return a.EndHead != "" && (a.EndHead != a.Head || a.EndTree != a.Tree)
}

// Closed reports whether the auditor resolved a finding from before the attempt.
func (a *Attempt) Closed() bool {
	return slices.ContainsFunc(a.Resolved, func(id string) bool {
		return !slices.Contains(a.Opened, id)
	})
}

// Start returns the revision to compare the attempt's commits with, or "" if unknown.
func (a *Attempt) Start() string {
	if a.Unread != "" || a.NoGit {
		return ""
	}
	return cmp.Or(a.Head, emptyTree)
}

// emptyTree is git's hash of an empty tree. A branch without commits is compared with it.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// Short returns an abbreviated commit hash.
func Short(sha string) string { return sha[:min(len(sha), 7)] }

// Verdict returns the judgement of an attempt whose iteration is ending. stopped or failed is set
// if a person or a failure ended the iteration, and says why. A stale attempt counts as an outage.
// An attempt without a judgement is an outage if either is set, and unfinished otherwise.
func (a *Attempt) Verdict(stopped, failed string) Judgement {
	switch {
	case a.Stale:
		return Judgement{Verdict: Outage, Why: "its context is not proven to be fresh"}
	case a.Judged != nil:
		return *a.Judged
	case stopped != "" || failed != "":
		return Judgement{Verdict: Outage, Why: cmp.Or(stopped, failed)}
	case !a.Sent:
		return Judgement{Verdict: Unfinished, Why: "no worker was started"}
	}
	return Judgement{Verdict: Unfinished, Why: "the worker ended without a claim"}
}
