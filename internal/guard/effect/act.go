// Package effect defines a tool call and its reading: the acts found in the call, and the parts
// that could not be resolved.
package effect

import (
	"slices"
	"strings"
)

// Kind classifies the effect of an Act.
type Kind string

// The kinds of acts. Kind.Merges returns true for the first seven.
const (
	MergePR            Kind = "merge-pr"             // merges a PR now
	PushProtected      Kind = "push-protected"       // moves a protected branch outside a PR
	ArmAutoMerge       Kind = "arm-auto-merge"       // merges later: queue, label, chat-ops
	ApprovePR          Kind = "approve-pr"           // approves a PR
	DismissReview      Kind = "dismiss-review"       // dismisses a review
	RelaxProtection    Kind = "relax-protection"     // edits protection, rulesets, auto-merge
	RunMergingWorkflow Kind = "run-merging-workflow" // starts a workflow that merges

	OpenPR  Kind = "open-pr" // opens a PR (R30)
	Comment Kind = "comment" // writes a comment, or a review that does not approve

	SetLabel  Kind = "set-label"  // labels an issue or PR; Ref is the label, PR the number (R44)
	DropLabel Kind = "drop-label" // removes a label

	WriteState       Kind = "write-state"       // writes under .sdd/loop or a transcript
	WriteLedger      Kind = "write-ledger"      // writes a ledger without `hooks ledger append`
	AnswerGate       Kind = "answer-gate"       // answers a gate, resets the loop, forges an event
	DropRegistration Kind = "drop-registration" // unregisters or kills the hooks, or the client
	OtherSession     Kind = "other-session"     // starts another client, outside the loop

	// UseBranch edits a PR, or checks out or pushes to a branch. Such acts are in Reading.Uses.
	UseBranch Kind = "use-branch"
)

// Merges reports whether the kind lands code on a protected branch, now or later, or removes an
// obstacle to a merge.
func (k Kind) Merges() bool {
	return slices.Contains([]Kind{
		MergePR, PushProtected, ArmAutoMerge, ApprovePR, DismissReview, RelaxProtection,
		RunMergingWorkflow,
	}, k)
}

// Act is one effect of the call.
type Act struct {
	Kind Kind `json:"kind"`
	PR   int  `json:"pr,omitempty"` // 0 if unknown
	// Ref names the target: a URL, branch, path, label or setting, the argument as written, or a
	// short description.
	Ref    string `json:"ref,omitempty"`
	Repo   string `json:"repo,omitempty"`  // owner/name if named
	SHA    string `json:"sha,omitempty"`   // the head commit that the command requires
	Auto   bool   `json:"auto,omitempty"`  // requests auto-merge
	Admin  bool   `json:"admin,omitempty"` // bypasses protections
	Review bool   `json:"-"`               // submits a review that does not approve
	// Command is the resolved command on one line, such as "gh pr merge 142 --squash".
	Command string   `json:"command"`
	Cwd     string   `json:"-"` // working directory, empty if unknown
	Path    string   `json:"-"` // the written file, resolved against Cwd; empty if unknown
	Via     []string `json:"via,omitempty"`
	// Elsewhere is the repository that the act targets if it is not the project's own. Own is then
	// the project's repository. The caller sets both; they are empty in a Reading.
	Elsewhere, Own string `json:"-"`
}

// Words describes the act for a person, for example "push-protected main".
func (a Act) Words() string {
	s := string(a.Kind)
	if a.Ref != "" {
		s += " " + a.Ref
	}
	if len(a.Via) > 0 {
		s += " (through " + strings.Join(a.Via, ", ") + ")"
	}
	return s
}

// Opaque is a part of a call that could not be read, because it is only known at run time or is
// written in another language.
type Opaque struct {
	Text   string   // the part as written, at most 200 bytes
	Reason string   // for example "the command's name is only known at run time"
	Via    []string // enclosing wrappers, outermost first
	// Forge reports whether the part could land something.
	Forge bool
}

// Reading is the effect of a call, as far as its text reveals it.
type Reading struct {
	Acts   []Act    // in the order found
	Opaque []Opaque // parts that could not be resolved
	// Unparsable explains why the reading stopped before the end of the text (too long, syntax,
	// nesting, work). It is empty if the whole text was read. Acts before that point are kept.
	Unparsable string
	// Bound names the bound that stopped the reading. It is empty if no bound was reached, or if
	// nothing in the text could land code. An open loop refuses a call whose Bound is set.
	Bound string
	// Uses holds the branches and PRs that the call works on, for example by fetching by name,
	// checking out, merging locally, pushing, editing or commenting. Ref is the branch if PR is
	// unknown. Uses are separate from Acts because most loops allow them.
	Uses []Act
	// Pushes is the first push command in the call, to any branch. It is empty if there is none. It
	// is separate from Acts because only audit loops refuse every push (A67).
	Pushes string
}

// ReachesForge reports whether an opaque part could land something.
func (r Reading) ReachesForge() bool {
	return slices.ContainsFunc(r.Opaque, func(o Opaque) bool { return o.Forge })
}

// Piped reports whether a shell reads unknown text from a pipe. If the command also bypasses the
// brake's links, callers assume that it could land code.
func (r Reading) Piped() bool {
	return slices.ContainsFunc(r.Opaque, func(o Opaque) bool {
		return strings.HasPrefix(o.Text, "… | ")
	})
}

// only returns the acts whose kind satisfies passes.
func (r Reading) only(passes func(Kind) bool) []Act {
	return slices.DeleteFunc(slices.Clone(r.Acts), func(a Act) bool { return !passes(a.Kind) })
}

// Merges returns the acts that land code or remove an obstacle to a merge.
func (r Reading) Merges() []Act { return r.only(Kind.Merges) }

// Tampers returns the acts that affect the loop's own files, ledgers, gates or registration.
func (r Reading) Tampers() []Act {
	tampering := []Kind{WriteState, WriteLedger, AnswerGate, DropRegistration, OtherSession}
	return r.only(func(k Kind) bool { return slices.Contains(tampering, k) })
}
