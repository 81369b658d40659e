// Package effect has the tool call and its reading: the acts found in it, and the parts that cannot
// be resolved.
package effect

import (
	"slices"
	"strings"
)

// Kind is the effect of an Act.
type Kind string

// The kinds. Merges reports which of them land code or open the way for it.
const (
	MergePR            Kind = "merge-pr"             // merges a PR now
	PushProtected      Kind = "push-protected"       // moves a protected branch outside a PR
	ArmAutoMerge       Kind = "arm-auto-merge"       // merges later: queue, label, chat-ops
	ApprovePR          Kind = "approve-pr"           // approves a PR
	DismissReview      Kind = "dismiss-review"       // takes a review away
	RelaxProtection    Kind = "relax-protection"     // edits protection, rulesets, auto-merge
	RunMergingWorkflow Kind = "run-merging-workflow" // starts a workflow that merges

	OpenPR  Kind = "open-pr" // opens a PR (R30)
	Comment Kind = "comment" // writes a comment or a review that is no approval

	SetLabel  Kind = "set-label"  // labels an issue or PR: Ref is the label, PR the number (R44)
	DropLabel Kind = "drop-label" // takes a label off

	WriteState       Kind = "write-state"       // writes under .sdd/loop or a transcript
	WriteLedger      Kind = "write-ledger"      // writes a ledger but by `hooks ledger append`
	AnswerGate       Kind = "answer-gate"       // answers a gate, resets the loop, forges an event
	DropRegistration Kind = "drop-registration" // takes the hooks out of the client, or ends them
	OtherSession     Kind = "other-session"     // starts a client that no loop governs

	// UseBranch works on a branch or a PR: edits it, checks it out, pushes to it. It is among the
	// Uses of a Reading.
	UseBranch Kind = "use-branch"

	// WriteSettings is a file tool that edits a settings or plugin file. The caller looks at the
	// text that it leaves.
	WriteSettings Kind = "write-settings"
)

// Merges reports whether the kind lands code on a protected branch, now or later, or opens the way
// for it.
func (k Kind) Merges() bool {
	switch k {
	case MergePR, PushProtected, ArmAutoMerge, ApprovePR, DismissReview, RelaxProtection,
		RunMergingWorkflow:
		return true
	}
	return false
}

// tampers reports whether the kind touches the loop's own files, ledgers, gates or registration.
func (k Kind) tampers() bool {
	switch k {
	case WriteState, WriteLedger, AnswerGate, DropRegistration, OtherSession:
		return true
	}
	return false
}

// Act is one effect of the call.
type Act struct {
	Kind Kind `json:"kind"`
	PR   int  `json:"pr,omitempty"` // 0 if unknown
	// Ref is a URL, a branch or a path, or the text as written when PR is unknown.
	Ref    string `json:"ref,omitempty"`
	Repo   string `json:"repo,omitempty"`  // owner/name if named
	SHA    string `json:"sha,omitempty"`   // the head commit that the command insists on
	Auto   bool   `json:"auto,omitempty"`  // auto-merge was asked for
	Admin  bool   `json:"admin,omitempty"` // protections are bypassed
	Review bool   `json:"-"`               // a comment that is a whole review, and no approval
	// Command is the resolved command, words joined, as in "gh pr merge 142 --squash".
	Command string   `json:"command"`
	Cwd     string   `json:"-"` // where it is done, "" if unknown
	Path    string   `json:"-"` // the written file, seen from Cwd; "" if there is none or unknown
	Via     []string `json:"via,omitempty"`
}

// Opaque is a part that is not plain: a text that is only known when it runs, or that of another
// language.
type Opaque struct {
	Text   string   // the part as written, at most 200 bytes
	Reason string   // as in "the command name is only known when it runs"
	Via    []string // wrappers it was found through, outermost first
	// Forge says that its text names a forge's program beside a word for landing.
	Forge bool
}

// Reading is the effect of a call, as far as its text shows it.
type Reading struct {
	Acts   []Act    // in the order found
	Opaque []Opaque // the parts that could not be resolved
	// Unparsable explains why the text could not be read to its end (too long, syntax, nesting,
	// work). It is empty if the whole text was read. Acts before that point are kept.
	Unparsable string
	// Bound names the bound that ended the reading if the unread rest could land something; no open
	// loop lets such a call pass. It is empty if no bound was hit, or if nothing in the text names
	// a way to land anything.
	Bound string
	// Uses are the branches and PRs that the call fetches by name, checks out, merges into another,
	// pushes to, edits, closes or opens again: Ref is the branch where PR is unknown. They are no
	// acts, because most loops may do it.
	Uses []Act
	// Pushes is the first push in the call, whatever it moves, and empty if the call has no push.
	// It is no act, because the push of a branch of one's own is allowed except in audit loops
	// (A67).
	Pushes string
}

// ReachesForge reports whether a part that is not plain could land something.
func (r Reading) ReachesForge() bool {
	return slices.ContainsFunc(r.Opaque, func(o Opaque) bool { return o.Forge })
}

// Piped reports whether a shell reads text from a pipe of which nothing is known. If the links of
// the brake are left, that counts as a way to land something.
func (r Reading) Piped() bool {
	return slices.ContainsFunc(r.Opaque, func(o Opaque) bool {
		return strings.HasPrefix(o.Text, "… | ")
	})
}

// without returns the acts of other kinds than those left out.
func (r Reading) without(leftOut func(Act) bool) []Act {
	return slices.DeleteFunc(slices.Clone(r.Acts), leftOut)
}

// Merges returns the acts that land code or open the way for it.
func (r Reading) Merges() []Act { return r.without(func(a Act) bool { return !a.Kind.Merges() }) }

// Tampers returns the acts on the loop's own files, gates or registration.
func (r Reading) Tampers() []Act { return r.without(func(a Act) bool { return !a.Kind.tampers() }) }
